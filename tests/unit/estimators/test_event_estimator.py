"""Events: learned and predicted by several threads at once."""

import threading

import numpy as np
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from tests.unit.estimators.threads import run_together

N_EVENTS = 3000


def events(n_events):
    """Return events that bring new features, categories and classes all the time."""
    rng = np.random.default_rng(0)
    for i in range(n_events):
        x = {"a": float(rng.normal()), "b": f"category {i // 20}", f"late {i // 300}": 1.0}
        yield x, i // 100


@pytest.mark.parametrize("estimator", [SGTClassifier, SGTRegressor])
def test_events_can_be_predicted_while_others_are_learned(estimator):
    model = estimator(warm_up=100, grace_period=20)
    done = threading.Event()

    def learn():
        try:
            for x, y in events(N_EVENTS):
                model.learn_one(x, y)
        finally:
            done.set()

    def predict():
        while not done.is_set():
            model.predict_one({"a": 0.5, "b": "category 3", "late 1": 1.0})

    run_together(learn, predict, predict)
    assert model._model.core.n_rows == N_EVENTS


def test_first_rows_from_several_threads_are_all_learned():
    for _ in range(20):
        model = SGTRegressor()
        barrier = threading.Barrier(4)

        def learn(model=model, barrier=barrier):
            barrier.wait()
            model.learn_one({"a": 1.0}, 2.0)

        run_together(*[learn] * 4)
        assert model._model.core.n_rows == 4
