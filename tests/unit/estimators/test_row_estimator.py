"""Rows by column name, and predictions while another thread learns."""

import threading

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTClassifier, SGTRegressor, losses
from sgtrees.persistence.model_file import to_bytes
from sgtrees.persistence.savable import contents_of
from tests.fingerprint import fingerprint

N_EVENTS = 3000


def events(n_events):
    """Return events that bring new features, categories and classes all the time."""
    rng = np.random.default_rng(0)
    for i in range(n_events):
        x = {"a": float(rng.normal()), "b": f"category {i // 20}", f"late {i // 300}": 1.0}
        yield x, i // 100


def run_together(*jobs):
    """Run jobs in threads of their own and raise the first error of any."""
    errors = []

    def guarded(job):
        try:
            job()
        except BaseException as error:  # noqa: BLE001 - whatever it is, the test shall show it
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


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


def test_first_rows_from_several_threads_are_all_learned():
    for _ in range(20):
        model = SGTRegressor()
        barrier = threading.Barrier(4)

        def learn(model=model, barrier=barrier):
            barrier.wait()
            model.learn_one({"a": 1.0}, 2.0)

        run_together(*[learn] * 4)
        assert model._model.core.n_rows == 4


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


# ---- calls that are refused ----------------------------------------------------------------------


def fails_at_large_targets(y, raw):
    if np.any(np.asarray(y) > 100.0):
        raise ArithmeticError
    return raw - y, np.ones_like(raw)


@pytest.mark.parametrize("event", [{"a": 1.0, "new": "word"}, {"a": 1.0, "b": "unheard of"}])
def test_a_loss_that_fails_at_an_event_takes_what_is_new_in_it_back(event):
    model = SGTRegressor(loss=losses.from_derivatives(fails_at_large_targets), warm_up=5)
    for number in range(20):
        model.learn_one({"a": float(number), "b": "red"}, float(number % 3))
    before, lock = to_bytes(contents_of(model)), model._lock
    with pytest.raises(ArithmeticError):
        model.learn_one(event, 1000.0)
    assert to_bytes(contents_of(model)) == before
    assert model._lock is lock
    model.learn_one(event, 1.0)
    assert model.n_samples_seen_ == 21
