"""One tree with a score for each class in every leaf."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

import sgtrees
from sgtrees import SGTClassifier
from sgtrees.inspection import rules, top_splits, view_trees
from tests.fingerprint import fingerprint

QUICK = {"multiclass": "vector", "warm_up": 50, "grace_period": 20, "delta": 0.01, "gamma": 0.1}


def bands(n_rows, n_classes=4, seed=0):
    """Return rows of which a nominal and a numeric feature tell the class; one class comes late."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.random(n_rows), "b": rng.choice(["u", "v", "w"], n_rows)})
    X.loc[rng.random(n_rows) < 0.1, "a"] = np.nan
    number = np.floor(n_classes * X["a"].fillna(0.0)).astype(int).to_numpy(copy=True)
    number[X["b"] == "w"] = 0
    number[: n_rows // 3][number[: n_rows // 3] == n_classes - 1] = 1
    return X, np.array(["d", "b", "c", "a", "e", "f"])[number]


def test_there_is_one_tree_whatever_the_number_of_classes():
    X, y = bands(1500)
    model = SGTClassifier(**QUICK).partial_fit(X, y)
    assert model._model.core.has_vector_leaves
    assert model._model.core.n_trees == 1
    assert model.classes_.tolist() == ["a", "b", "c", "d"]
    assert model.n_splits_ > 0
    assert (model.predict(X[-300:]) == y[-300:]).mean() > 0.8
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-12)


def test_a_block_its_halves_and_its_events_give_the_same_model():
    X, y = bands(900)
    weights = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 3.0], len(y))
    whole = SGTClassifier(**QUICK).partial_fit(X, y, sample_weight=weights)
    halves = SGTClassifier(**QUICK)
    for rows in (slice(0, 411), slice(411, None)):
        halves.partial_fit(X[rows], y[rows], sample_weight=weights[rows])
    events = SGTClassifier(**QUICK)
    for x, label, w in zip(X.to_dict("records"), y.tolist(), weights, strict=True):
        events.learn_one(x, label, float(w))
    assert whole.n_splits_ > 0
    assert fingerprint(whole) == fingerprint(halves) == fingerprint(events)
    probabilities = whole.predict_proba(X[:40])
    for x, expected in zip(X[:40].to_dict("records"), probabilities, strict=True):
        found = events.predict_proba_one(x)
        assert [found[label] for label in whole.classes_] == expected.tolist()


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_learn_predict_returns_what_was_predicted_before_each_row(method):
    X, y = bands(500)
    model, step = SGTClassifier(**QUICK), SGTClassifier(**QUICK)
    model.partial_fit(X[:10], y[:10], classes=["a", "b", "c", "d"])
    step.partial_fit(X[:10], y[:10], classes=["a", "b", "c", "d"])
    found = model.learn_predict(X[10:], y[10:], method=method)
    for i in range(10, 500):
        assert found[i - 10].tolist() == getattr(step, method)(X[i : i + 1])[0].tolist()
        step.partial_fit(X[i : i + 1], y[i : i + 1])
    assert fingerprint(model) == fingerprint(step)


def test_class_weights_are_sample_weights():
    X, y = bands(800)
    of_class = {"a": 5.0, "b": 0.5}
    by_class = SGTClassifier(**QUICK, class_weight=of_class).partial_fit(X, y)
    by_row = SGTClassifier(**QUICK).partial_fit(
        X, y, sample_weight=[of_class.get(label, 1.0) for label in y]
    )
    assert fingerprint(by_class) == fingerprint(by_row)
    balanced = SGTClassifier(multiclass="vector", class_weight="balanced", random_state=0)
    assert balanced.fit(X, y).score(X, y) > 0.8


def test_a_copy_learns_on_as_the_original_does():
    X, y = bands(800)
    model = SGTClassifier(**QUICK).partial_fit(X[:250], y[:250])
    twin = pickle.loads(pickle.dumps(model))
    assert fingerprint(twin) == fingerprint(model)
    for copy in (model, twin):
        copy.partial_fit(X[250:], y[250:])
    assert fingerprint(twin) == fingerprint(model)
    assert len(model.classes_) == 4
    assert clone(model).multiclass == "vector"


def test_it_is_as_good_as_the_committee_on_iris():
    X, y = load_iris(return_X_y=True)
    scores = [
        cross_val_score(SGTClassifier(multiclass=kind, random_state=0), X, y, cv=5).mean()
        for kind in ("committee", "vector")
    ]
    assert scores[1] > 0.9
    assert scores[1] > scores[0] - 0.03


@pytest.mark.parametrize("loss", ["focal", "exponential", lambda y, raw: (raw - y, 1 + 0 * raw)])
def test_other_losses_are_refused(loss):
    model = SGTClassifier(multiclass="vector", loss=loss)
    with pytest.raises(ValueError, match="multiclass='vector' goes with loss='log_loss' only"):
        model.partial_fit([[1.0], [2.0]], [0, 1])
    assert fingerprint(model) is None


def test_one_class_is_certain_and_the_second_may_come_late():
    model = SGTClassifier(**QUICK).partial_fit([[1.0]] * 60, ["x"] * 60)
    assert model.predict_proba([[1.0]]).tolist() == [[1.0]]
    model.learn_one({0: 2.0}, "y")
    assert model.predict_proba_one({0: 1.0}) == pytest.approx({"x": 60 / 61, "y": 1 / 61})


def test_its_view_shows_the_log_odds_against_the_first_class():
    X, y = bands(1500)
    model = SGTClassifier(**QUICK).partial_fit(X, y)
    views = view_trees(model)
    seen = model._model.labels.seen
    assert [view.label for view in views] == seen[1:]
    row = X[:1]
    probabilities = dict(zip(model.classes_, model.predict_proba(row)[0], strict=True))
    for view in views:
        assert view.reference == seen[0]
        assert rules(view)
        assert top_splits(view)
        log_odds = np.log(probabilities[view.label] / probabilities[view.reference])
        assert min(abs(leaf.value - log_odds) for leaf in view.leaves) < 1e-9


def test_the_view_of_two_classes_shows_probabilities():
    X, y = bands(900, n_classes=2)
    model = SGTClassifier(**QUICK).partial_fit(X, y)
    (view,) = view_trees(model)
    leaf = view.leaves[0]
    assert 0.0 < rules(view)[0].prediction < 1.0
    assert (
        view.link.of_one(leaf.value)
        in model.predict_proba(X)[:, [*model.classes_].index(view.label)]
    )


@pytest.mark.parametrize(("n_classes", "n_trees", "is_vector"), [(2, 1, False), (4, 1, True)])
def test_the_number_of_classes_in_the_warm_up_may_decide_what_leaves_hold(
    n_classes, n_trees, is_vector, tmp_path
):
    random = np.random.default_rng(0)
    X = random.random((900, 2))
    y = np.floor(X[:, 0] * n_classes).astype(int)
    y[600:] += 1  # a class that comes late
    models = {
        choice: SGTClassifier(multiclass=choice, warm_up=100).partial_fit(X[:600], y[:600])
        for choice in ("auto", "vector" if is_vector else "committee")
    }
    auto, given = models.values()
    assert auto.n_trees_ == n_trees
    auto.save(tmp_path / "model")
    again = sgtrees.load(tmp_path / "model")
    for model in (auto, given, again):
        model.partial_fit(X[600:], y[600:])
        assert model.model_.core.has_vector_leaves == is_vector
    assert auto.predict_proba(X).tolist() == given.predict_proba(X).tolist()
    assert again.predict_proba(X).tolist() == given.predict_proba(X).tolist()
