import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

from sgtrees import SGTRegressor
from tests.fingerprint import fingerprint

QUICK = {"warm_up": 50, "grace_period": 20, "delta": 0.01}


def steps(n_rows, seed=0):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"a": rng.random(n_rows), "b": rng.choice(["u", "v", "w"], n_rows)})
    return X, 5.0 * (X["a"] > 0.5) + 2.0 * (X["b"] == "u") + rng.normal(scale=0.1, size=n_rows)


def test_a_block_its_halves_and_its_events_give_the_same_model():
    X, y = steps(600)
    whole = SGTRegressor(**QUICK).partial_fit(X, y)
    halves = SGTRegressor(**QUICK).partial_fit(X[:301], y[:301]).partial_fit(X[301:], y[301:])
    events = SGTRegressor(**QUICK)
    for x, target in zip(X.to_dict("records"), y, strict=True):
        events.learn_one(x, target)
    assert whole.n_splits_ > 0
    assert fingerprint(whole) == fingerprint(halves) == fingerprint(events)
    assert whole.predict(X).tolist() == [events.predict_one(x) for x in X.to_dict("records")]


def test_learn_predict_returns_what_was_predicted_before_each_row():
    X, y = steps(300)
    model, step = SGTRegressor(**QUICK), SGTRegressor(**QUICK)
    predicted = model.learn_predict(X, y)
    for i, x in enumerate(X.to_dict("records")):
        assert step.predict_one(x) == predicted[i]
        step.learn_one(x, y[i])
    assert fingerprint(model) == fingerprint(step)


def test_rows_of_weight_zero_are_passed_over():
    X, y = steps(400)
    weights = np.where(np.arange(400) % 3 == 0, 0.0, 1.0)
    kept = weights > 0
    weighted = SGTRegressor(**QUICK).partial_fit(X, y, sample_weight=weights)
    without = SGTRegressor(**QUICK).partial_fit(X[kept], y[kept], sample_weight=weights[kept])
    events = SGTRegressor(**QUICK)
    for x, target, w in zip(X.to_dict("records"), y, weights, strict=True):
        events.learn_one(x, target, w)
    assert fingerprint(weighted) == fingerprint(without) == fingerprint(events)


def test_fit_on_a_small_data_set_is_useful():
    X, y = steps(300)
    assert SGTRegressor(random_state=0).fit(X, y).score(X, y) > 0.9


def test_nothing_is_known_before_the_first_row():
    model = SGTRegressor()
    assert model.predict_one({"a": 1}) == 0.0
    with pytest.raises(NotFittedError):
        model.predict([[1.0]])


def test_a_copy_learns_on_as_the_original_does():
    X, y = steps(600)
    model = SGTRegressor(**QUICK).partial_fit(X[:300], y[:300])
    twin = pickle.loads(pickle.dumps(model))
    assert fingerprint(twin) == fingerprint(model)
    assert fingerprint(twin.partial_fit(X[300:], y[300:])) == fingerprint(
        model.partial_fit(X[300:], y[300:])
    )


def test_targets_may_be_integers():
    whole = SGTRegressor().partial_fit([[1.0], [2.0]], [3, 4])
    events = SGTRegressor().partial_fit([[1.0]], [3]).learn_one({0: 2.0}, 4)
    assert fingerprint(whole) == fingerprint(events)
