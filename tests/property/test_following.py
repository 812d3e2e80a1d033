"""Following leaves change what is predicted, and nothing that a tree is grown by."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import sgtrees
from tests.learners import BOOSTING, LEARNERS, Learner, Stream, stream

# Bags do not follow.
FOLLOWERS = [learner for learner in LEARNERS if learner.target != "bag"]
BUILT_IN = [learner for learner in FOLLOWERS if learner.own_loss is None]
# A member of boosting learns at what those before it predict, and that follows.
GROWING_ALONE = [learner for learner in FOLLOWERS if learner not in BOOSTING]
OF_FOLLOWING = ("following", "offsets", "calibration")
each = pytest.mark.parametrize("learner", FOLLOWERS, ids=str)
each_growing_alone = pytest.mark.parametrize("learner", GROWING_ALONE, ids=str)
each_built_in = pytest.mark.parametrize("learner", BUILT_IN, ids=str)
with_delays = pytest.mark.parametrize("label_delay", [0, 30])


def core_of(model: Any) -> Any:
    return model._model.core


def state_of(model: Any) -> dict[str, bytes]:
    return {name: array.tobytes() for name, array in core_of(model).state().items()}


def growth_of(model: Any) -> dict[str, bytes]:
    """The state without what only following leaves have, and what is judged by predictions."""
    state = state_of(model)
    return {name: a for name, a in state.items() if not any(word in name for word in OF_FOLLOWING)}


def taught(learner: Learner, rows: Stream, cuts: tuple[int, ...] = (), **parameters: Any) -> Any:
    model = learner.make(**parameters)
    for begin, end in zip((0, *cuts), (*cuts, rows.n_rows), strict=True):
        learner.learn(model, rows, begin, end)
    return model


@each_growing_alone
@with_delays
def test_the_tree_is_the_same_with_and_without(learner: Learner, label_delay: int) -> None:
    rows = stream(700, seed=1, weighted=True)
    without = taught(learner, rows, following_rates=(), on_drift="ignore")
    for rates in ((0.02, 0.1, 0.3), (1.0,)):
        with_them = taught(
            learner, rows, following_rates=rates, label_delay=label_delay, on_drift="ignore"
        )
        assert growth_of(with_them) == growth_of(without)
        assert any("following" in name for name in state_of(with_them))


@each
@with_delays
def test_a_block_its_parts_and_its_rows_are_the_same(learner: Learner, label_delay: int) -> None:
    rows = stream(500, seed=2)
    whole = taught(learner, rows, label_delay=label_delay)
    parts = taught(learner, rows, (1, 99, 100, 101, 117, 333), label_delay=label_delay)
    one_by_one = taught(learner, rows, tuple(range(1, 500)), label_delay=label_delay)
    assert state_of(whole) == state_of(parts) == state_of(one_by_one)
    expected = learner.predict(whole, rows)
    assert np.array_equal(learner.predict(parts, rows), expected)
    assert np.array_equal(learner.predict(one_by_one, rows), expected)


@each_built_in
@with_delays
def test_it_goes_on_from_a_file_at_any_row(
    learner: Learner, label_delay: int, tmp_path: Any
) -> None:
    rows = stream(400, seed=3, weighted=True)
    whole = taught(learner, rows, label_delay=label_delay)
    model, done = learner.make(label_delay=label_delay), 0
    for moment in (50, 100, 123, 124, 250, 399, 400):
        learner.learn(model, rows, done, moment)
        model.save(tmp_path / "model.safetensors")
        model = sgtrees.load(tmp_path / "model.safetensors")
        done = moment
    assert state_of(model) == state_of(whole)
    assert np.array_equal(learner.predict(model, rows), learner.predict(whole, rows))


@each_built_in
def test_a_file_to_predict_with_predicts_the_same(learner: Learner, tmp_path: Any) -> None:
    rows = stream(500, seed=4)
    model = taught(learner, rows, following_rates=(0.3,))
    model.save(tmp_path / "model.safetensors", inference_only=True)
    loaded = sgtrees.load(tmp_path / "model.safetensors")
    assert np.array_equal(learner.predict(loaded, rows), learner.predict(model, rows))


@each
def test_weights_count_by_their_proportions_and_those_of_0_not_at_all(learner: Learner) -> None:
    rows = stream(500, seed=5, weighted=True)
    assert rows.w is not None
    scaled = Stream(rows.X, rows.score, rows.classes, 8 * rows.w)
    expected = learner.predict(taught(learner, rows, label_delay=5), rows)
    found = learner.predict(taught(learner, scaled, label_delay=5), rows)
    assert np.array_equal(found, expected)
    w = rows.w.copy()
    w[7::3] = 0
    kept = [row for row in range(500) if w[row] > 0]
    with_zeros = Stream(rows.X, rows.score, rows.classes, w)
    one = taught(learner, with_zeros, label_delay=5)
    other = taught(learner, with_zeros.only(kept), label_delay=5)
    assert np.array_equal(learner.predict(one, rows), learner.predict(other, rows))


@each_growing_alone
def test_after_fit_values_alone_are_predicted(learner: Learner) -> None:
    rows = stream(500, seed=6)
    X, y = rows.X, rows.target(learner.target)
    following = learner.make(following_rates=(0.1, 0.5), random_state=0).fit(X, y)
    without = learner.make(following_rates=(), random_state=0).fit(X, y)
    assert np.array_equal(learner.predict(following, rows), learner.predict(without, rows))


@each
def test_in_rounds_leaves_do_not_follow(learner: Learner) -> None:
    rows = stream(500, seed=7)
    one = taught(learner, rows, round_rows=40, following_rates=(0.1, 0.5))
    other = taught(learner, rows, round_rows=40, following_rates=())
    assert np.array_equal(learner.predict(one, rows), learner.predict(other, rows))


@pytest.mark.parametrize("size", [1e-200, 1e-30, 1e30, 1e49])
@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "quantile", "huber"])
def test_huge_and_tiny_targets_leave_predictions_finite(loss: str, size: float) -> None:
    random = np.random.default_rng(8)
    X, y = random.normal(size=(600, 2)), size * random.normal(size=600)
    model = sgtrees.SGTRegressor(
        loss=loss, warm_up=50, following_rates=(0.1, 1.0), label_delay=3
    ).partial_fit(X, y, sample_weight=10 ** random.uniform(-50, 50, 600))
    assert np.isfinite(model.predict(X)).all()
    again = core_of(model)
    assert all(np.isfinite(a).all() for name, a in again.state().items() if "offsets" in name)


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson", "gamma"])
def test_targets_of_one_value_are_predicted(loss: str) -> None:
    X = np.random.default_rng(9).normal(size=(400, 2))
    model = sgtrees.SGTRegressor(loss=loss, warm_up=50).partial_fit(X, np.full(400, 3.0))
    np.testing.assert_allclose(model.predict(X), 3.0, rtol=1e-6)


def test_a_merge_starts_anew() -> None:
    random = np.random.default_rng(0)
    X = random.random((900, 2))
    y = np.sin(np.arange(900) / 20)
    base = sgtrees.SGTRegressor(grace_period=10**6, warm_up=100).partial_fit(X[:300], y[:300])
    one, other = copy.deepcopy(base), copy.deepcopy(base)
    one.partial_fit(X[300:600], y[300:600])
    other.partial_fit(X[600:], y[600:])
    assert core_of(one).state()["following/choices"].any()
    one.merge(other, base=base)
    state = core_of(one).state()
    assert not state["following/choices"].any()
    assert not state["following/sums"].any()
    assert not state["tree0/offsets/now"].any()
