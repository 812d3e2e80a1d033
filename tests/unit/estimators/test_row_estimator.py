"""Blocks: rows by column name, and predictions while another thread learns."""

import threading

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from tests.fingerprint import fingerprint
from tests.unit.estimators.threads import run_together


def test_blocks_can_be_predicted_while_others_are_learned():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 5))
    y = (X[:, 0] > 0) * 1 + (np.arange(20_000) // 2_000)
    model = SGTClassifier(warm_up=100).partial_fit(X[:500], y[:500])
    done = threading.Event()

    def learn():
        try:
            for start in range(500, len(X), 100):
                model.partial_fit(X[start : start + 100], y[start : start + 100])
        finally:
            done.set()

    def predict():
        while not done.is_set():
            probabilities = model.predict_proba(X[:50])
            np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
            assert set(model.predict(X[:50]).tolist()) <= set(y.tolist())

    run_together(learn, predict)


@pytest.mark.parametrize("estimator", [SGTClassifier, SGTRegressor])
def test_many_rows_by_name_are_the_same_as_single_events(estimator):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(
        {"a": rng.random(300), "b": rng.choice(["x", "y"], 300), "c": rng.random(300)}
    )
    y = (frame["a"] > 0.5).astype(float if estimator is SGTRegressor else int)
    one, many = (estimator(warm_up=50, grace_period=20) for _ in range(2))
    blocks = [frame[["a"]][:100], frame[["b", "a"]][100:200], frame[["c", "b"]][200:]]
    for block in blocks:
        many.learn_many(block, y[block.index])
        for x, target in zip(block.to_dict("records"), y[block.index].tolist(), strict=True):
            one.learn_one(x, target)
    assert fingerprint(one) == fingerprint(many)
    shuffled = frame[["c", "a", "b"]].assign(unknown=1.0)
    assert many.predict_many(shuffled).tolist() == [
        one.predict_one(x) for x in shuffled.to_dict("records")
    ]


def test_probabilities_by_name_are_those_of_single_events():
    frame = pd.DataFrame({"a": [0.1, 0.9] * 50, "b": ["x", "y"] * 50})
    model = SGTClassifier(warm_up=10, grace_period=10).learn_many(frame, ["no", "yes"] * 50)
    one = model.predict_proba_one({"b": "y"})
    (many,) = model.predict_proba_many(pd.DataFrame({"b": ["y"]}))
    assert dict(zip(model.classes_.tolist(), many.tolist(), strict=True)) == one


def test_rows_by_name_need_names():
    model = SGTRegressor().partial_fit(pd.DataFrame({"a": [1.0]}), [1.0])
    with pytest.raises(ValueError, match="X has no column names"):
        model.learn_many([[1.0]], [1.0])
