"""``leaf_model="auto"``: trees of constant and of linear leaves, of which the better predict."""

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTForestRegressor, SGTRegressor, load
from sgtrees.inspection import describe, shap_values, to_text, view_model, why
from tests.fingerprint import fingerprint

KINDS = ("constant", "linear", "auto")


def rows(n_rows=4000, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n_rows, 3))
    X[random.random(X.shape) < 0.02] = np.nan
    known = np.nan_to_num(X)
    smooth = known @ [1.0, 2.0, 3.0]
    steps = np.where(known[:, 0] > 0, 5.0, 0.0) + np.where(known[:, 1] > 0.5, 3.0, 1.0)
    return X, {"linear": smooth, "constant": steps}


@pytest.mark.parametrize("better", ["constant", "linear"])
@pytest.mark.parametrize("target", ["number", "numbers"])
def test_the_kind_of_leaves_that_suits_the_target_predicts(better, target):
    X, targets = rows()
    y = targets[better]
    y = y if target == "number" else np.column_stack([y, -2.0 * y])
    models = {kind: SGTRegressor(leaf_model=kind).partial_fit(X, y) for kind in KINDS}
    predicted = {kind: model.predict(X).tolist() for kind, model in models.items()}
    assert predicted["auto"] == predicted[better]
    assert predicted["constant"] != predicted["linear"]
    view = view_model(models["auto"])
    assert view.is_linear == (better == "linear")
    assert models["auto"].n_trees_ == len(view.trees) + view.n_unused == 2


def test_a_committee_of_each_kind_learns_classes():
    X, targets = rows()
    y = np.digitize(targets["linear"], [-2.0, 2.0])
    model = SGTClassifier(leaf_model="auto").partial_fit(X, y)
    assert (model.n_trees_, len(view_model(model).trees)) == (4, 2)
    linear = SGTClassifier(leaf_model="linear").partial_fit(X, y)
    assert model.predict_proba(X).tolist() == linear.predict_proba(X).tolist()


def test_the_choice_follows_the_stream():
    X, targets = rows(6000)
    y = np.concatenate([targets["constant"][:3000], targets["linear"][3000:]])
    model, kinds = SGTRegressor(leaf_model="auto"), []
    for begin in range(0, 6000, 1500):
        model.partial_fit(X[begin : begin + 1500], y[begin : begin + 1500])
        kinds.append(view_model(model).is_linear)
    assert kinds == [False, False, True, True]


def test_a_block_its_parts_a_file_and_two_threads_give_the_same_model(tmp_path):
    X, targets = rows(5000)
    y = targets["linear"]
    whole = SGTRegressor(leaf_model="auto", n_threads=2).partial_fit(X, y)
    parts = SGTRegressor(leaf_model="auto").partial_fit(X[:1234], y[:1234])
    parts.save(tmp_path / "model")
    parts = load(tmp_path / "model").partial_fit(X[1234:4900], y[1234:4900])
    for x, target in zip(X[4900:].tolist(), y[4900:].tolist(), strict=True):
        parts.learn_one(dict(enumerate(x)), target)
    assert fingerprint(parts) == fingerprint(whole)


def test_it_is_shown_and_explained_by_the_trees_in_use():
    X, targets = rows()
    linear, constant = (
        SGTRegressor(leaf_model="auto").partial_fit(X, targets[kind])
        for kind in ("linear", "constant")
    )
    assert describe(linear).splitlines()[1].startswith("1 of 2 trees in use, ")
    assert describe(linear).splitlines()[1].endswith(", linear leaves")
    assert "z(x2)" in to_text(linear)
    assert "z(" not in to_text(constant)
    assert "by x2" in str(why(linear, X[0]))
    explained = shap_values(constant, X[:20])
    total = explained.base_values + explained.values.sum(axis=1)
    np.testing.assert_allclose(total, constant.predict(X[:20]), rtol=1e-9)
    with pytest.raises(ValueError, match="predicts by linear leaves"):
        shap_values(linear, X[:20])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"multiclass": "vector"}, "leaf_model='auto' goes with multiclass='committee' only"),
        ({"warm_up": 1}, "leaf_model='auto' needs the features' spread"),
        ({"round_rows": 10}, "leaf_model='auto' learns row by row"),
        ({"reg_lambda": 0.0}, "leaf_model='auto' needs reg_lambda > 0"),
        ({"loss": lambda y, raw: (raw - y, np.ones_like(raw))}, "goes with the built-in losses"),
    ],
)
def test_what_linear_leaves_refuse_is_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        SGTClassifier(leaf_model="auto", **parameters).partial_fit([[1.0], [2.0]], ["a", "b"])


def test_members_of_an_ensemble_are_of_one_kind():
    with pytest.raises(ValueError, match="leaf_model must be 'constant' or 'linear'"):
        SGTForestRegressor(leaf_model="auto").partial_fit([[1.0]], [1.0])
