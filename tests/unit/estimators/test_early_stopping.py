import numpy as np
import pytest
from scipy.sparse import csr_array

from sgtrees import (
    SGTBoostingClassifier,
    SGTBoostingRegressor,
    SGTClassifier,
    SGTForestClassifier,
    SGTRegressor,
    load,
    losses,
)
from sgtrees.data.columns import Coded
from sgtrees.estimators.early_stopping import set_aside

QUICK = {"warm_up": 50, "grace_period": 20, "random_state": 0}
SMALL = {"n_estimators": 6, "learning_rate": 0.5} | QUICK


def noisy(n_rows=1500):
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, 4))
    return X, np.sin(6.0 * X[:, 0]) + rng.normal(size=n_rows)


@pytest.mark.parametrize(
    ("model", "classes"),
    [
        (SGTRegressor(**QUICK), False),
        (SGTRegressor(loss="huber", **QUICK), False),
        (SGTClassifier(**QUICK), True),
        (SGTClassifier(loss="exponential", **QUICK), True),
        (SGTForestClassifier(n_estimators=3, **QUICK), True),
        (SGTBoostingClassifier(round_rows=30, **SMALL), True),
        (SGTBoostingRegressor(round_rows=30, **SMALL), False),
    ],
)
def test_fit_stops_after_passes_that_do_not_help_and_keeps_the_best(model, classes):
    X, y = noisy()
    y = (y > 0) if classes else y
    model.set_params(n_iter_no_change=3).fit(X, y)
    found = model.validation_losses_
    assert 4 <= len(found) < 25
    assert int(np.argmin(found)) == len(found) - 4
    # As if the best pass had been the last one.
    again = type(model)(**model.get_params() | {"epochs": len(found) - 3, "n_iter_no_change": 20})
    np.testing.assert_array_equal(model.predict(X), again.fit(X, y).predict(X))


@pytest.mark.parametrize(
    ("model", "classes"),
    [(SGTBoostingClassifier(**SMALL), True), (SGTBoostingRegressor(**SMALL), False)],
)
def test_boosting_stops_after_members_that_do_not_help_and_uses_those_before_them(model, classes):
    X, y = noisy()
    y = (y > 0) if classes else y
    model.set_params(n_iter_no_change=3, n_estimators=50, gamma=0.1).fit(X, y)
    found = model.validation_losses_
    assert 4 <= len(found) < 50
    assert int(np.argmin(found)) == len(found) - 4
    assert model.n_members_in_use_ == len(found) - 3
    # As if there were no members after them.
    again = type(model)(**model.get_params() | {"n_estimators": model.n_members_in_use_})
    np.testing.assert_array_equal(model.predict(X), again.fit(X, y).predict(X))


def test_boosting_uses_the_members_that_the_rows_set_aside_choose(tmp_path):
    X, y = noisy(400)
    settings = {"n_estimators": 40, "n_iter_no_change": 1, "learning_rate": 1.0} | QUICK
    model = SGTBoostingRegressor(gamma=0.0, **settings).fit(X, y)
    assert 1 <= model.n_members_in_use_ < 40
    model.save(tmp_path / "model")
    assert load(tmp_path / "model").n_members_in_use_ == model.n_members_in_use_
    stages = list(model.staged_predict(X))
    assert len(stages) == 40
    np.testing.assert_array_equal(stages[model.n_members_in_use_ - 1], model.predict(X))
    assert (stages[-1] != model.predict(X)).any()


def test_stages_of_a_classifier_are_labels_and_probabilities():
    X, y = noisy()
    labels = np.digitize(y, [-0.5, 0.5])
    model = SGTBoostingClassifier(**SMALL).partial_fit(X, labels)
    probabilities = list(model.staged_predict_proba(X))
    assert len(probabilities) == 6
    in_use = probabilities[model.n_members_in_use_ - 1]
    np.testing.assert_array_equal(in_use, model.predict_proba(X))
    for of_stage, predicted in zip(probabilities, model.staged_predict(X), strict=True):
        np.testing.assert_array_equal(predicted, of_stage.argmax(axis=1))


def test_several_targets_and_weights_count():
    X, y = noisy()
    weights = np.ones(len(y))
    weights[::3] = 0
    model = SGTRegressor(n_iter_no_change=2, **QUICK)
    model.fit(X, np.column_stack([y, 100 * y]), sample_weight=weights)
    assert model.n_samples_seen_ <= 0.9 * 1000 * len(model.validation_losses_) + 1


def test_every_class_is_learned():
    y = Coded(np.array([0] * 50 + [1]), ["often", "once"], None)
    for seed in range(30):
        learned, aside = set_aside(y, None, 0.5, np.random.RandomState(seed))
        assert 50 in learned
        assert sorted([*learned, *aside]) == list(range(51))


def test_rows_of_weight_0_are_not_set_aside():
    weights = np.array([0.0, 1.0, 1.0, 0.0, 1.0])
    _, aside = set_aside(np.zeros(5), weights, 0.6, np.random.RandomState(1))
    assert set(aside) < {1, 2, 4}


def test_too_few_rows_are_refused():
    with pytest.raises(ValueError, match=r"validation_fraction=0.5 sets aside 1 of 1 rows"):
        SGTRegressor(n_iter_no_change=1, validation_fraction=0.5).fit([[1.0]], [1.0])


def test_a_loss_without_value_is_refused():
    def derivatives(y, raw):
        return raw - y, np.ones_like(raw)

    loss = losses.from_derivatives(derivatives)
    with pytest.raises(ValueError, match=r"has no value\(y, raw\)"):
        SGTRegressor(n_iter_no_change=1, loss=loss, **QUICK).fit(*noisy(200))


@pytest.mark.parametrize(("name", "value"), [("n_iter_no_change", 0), ("validation_fraction", 1.0)])
def test_parameters_out_of_range_are_named(name, value):
    with pytest.raises(ValueError, match=name):
        SGTRegressor(**{name: value}).fit(*noisy(100))


def test_sparse_rows_are_set_aside_and_predicted_stage_by_stage():
    X, y = noisy(400)
    X[X < 0.5] = 0.0
    model = SGTBoostingRegressor(n_iter_no_change=2, epochs=3, **SMALL)
    dense = model.fit(X, y)
    stages = list(dense.staged_predict(X[:20]))
    sparse = SGTBoostingRegressor(n_iter_no_change=2, epochs=3, **SMALL).fit(csr_array(X), y)
    np.testing.assert_array_equal(stages, list(sparse.staged_predict(csr_array(X[:20]))))
    assert dense.validation_losses_ == sparse.validation_losses_
