"""Limits hold at every moment, and a model at its limit goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees._core import LossLearner, Options
from tests.property.models import core_of, learn, learned, raw_predictions, trees_of
from tests.property.strategies import Stream, quick, streams, thorough

# What does not grow: the learner itself, without trees and rows.
FIXED = 3072


def check_memory(stream: Stream, max_memory: int, label_delay: int = 0) -> None:
    model = stream.estimator(max_memory=max_memory, label_delay=label_delay)
    for begin in range(0, stream.n_rows, 97):
        learn(model, stream, begin, min(begin + 97, stream.n_rows))
        core = core_of(model)
        if not core.warming_up:
            assert core.memory_bytes <= max_memory + FIXED
        else:
            # The warm-up's rows are bounded by their number: features, targets and weight of each.
            targets = stream.y.shape[1] if stream.y.ndim == 2 else 1
            rows = (
                8
                * (len(stream.nominal) + targets + 1)
                * min(core.n_rows, stream.parameters["warm_up"])
            )
            assert core.memory_bytes <= rows + FIXED
        if model.__sklearn_is_fitted__():
            assert np.isfinite(raw_predictions(model, stream.block(begin, begin + 5))).all()


numeric_streams = streams(n_nominal=(0, 0), n_numeric=(1, 6), n_rows=(1000, 2500), max_leaves=None)
nominal_streams = streams(
    n_nominal=(1, 3), cardinalities=(2, 5), n_rows=(1000, 2500), max_leaves=None
)
limits = st.sampled_from([4096, 10_000, 30_000, 100_000])


@quick(30)
@given(stream=numeric_streams, max_memory=limits)
def test_the_memory_of_trees_of_numeric_splits_stays_within_its_limit(
    stream: Stream, max_memory: int
) -> None:
    check_memory(stream, max_memory)


@quick(30)
@given(stream=nominal_streams, max_memory=limits)
def test_the_memory_of_trees_of_nominal_splits_stays_within_its_limit(
    stream: Stream, max_memory: int
) -> None:
    check_memory(stream, max_memory)


@quick(20)
@given(stream=numeric_streams, max_memory=limits, label_delay=st.sampled_from([1, 30, 500]))
def test_what_waits_for_late_labels_stays_within_the_limit(
    stream: Stream, max_memory: int, label_delay: int
) -> None:
    check_memory(stream, max_memory, label_delay)


@pytest.mark.parametrize(("max_memory", "follows"), [("40MB", True), ("1MB", False)])
def test_leaves_follow_where_a_quarter_of_the_limit_holds_the_moves_that_wait(
    max_memory: str, follows: bool
) -> None:
    random = np.random.default_rng(0)
    X = random.random((3_000, 2))
    y = np.sin(np.arange(3_000) / 300) + X[:, 0]
    settings: dict[str, Any] = {"label_delay": 20_000, "max_memory": max_memory}
    model = SGTRegressor(**settings).partial_fit(X, y)
    without = SGTRegressor(**settings, following_rates=()).partial_fit(X, y)
    state = model.model_.core.state()
    assert len(state["following/late_leaves"]) == (3_000 if follows else 0)
    assert (model.memory_bytes_ > without.memory_bytes_ + 3_000 * 100) == follows
    assert np.array_equal(model.predict(X), without.predict(X)) != follows


def test_leaves_stop_to_follow_when_a_late_class_leaves_no_room_for_moves() -> None:
    random = np.random.default_rng(0)
    X = random.random((4_000, 2))
    y = (X[:, 0] > 0.5).astype(int)
    y[2_000:] += 2 * random.integers(0, 15, 2_000)
    settings: dict[str, Any] = {"label_delay": 500, "max_memory": "800KB", "multiclass": "vector"}
    model = SGTClassifier(**settings).partial_fit(X[:2_000], y[:2_000])
    assert len(model.model_.core.state()["following/late_leaves"]) == 500
    model.partial_fit(X[2_000:], y[2_000:])
    state = model.model_.core.state()
    assert len(model.classes_) > 20
    assert len(state["following/late_leaves"]) == 0
    assert not state["following/choices"].any()


@pytest.mark.parametrize("n_categories", [100, 150])
def test_a_split_with_many_branches_stays_within_the_limit(n_categories: int) -> None:
    random = np.random.default_rng(0)
    x = random.integers(0, n_categories, 20_000)
    x[:n_categories] = np.arange(n_categories)
    y = 10 * random.normal(size=n_categories)[x]
    options = Options(
        max_memory=16_384, warm_up=1, grace_period=2 * n_categories, gamma=0.0, delta=0.5
    )
    core = LossLearner(options, [True])
    core.learn(x[:, None].astype(np.float64), y)
    assert core.memory_bytes <= 16_384 + FIXED


@pytest.mark.long
@thorough()
@given(stream=numeric_streams | nominal_streams, max_memory=st.integers(4096, 10**6))
def test_memory_stays_within_its_limit_on_many_streams(stream: Stream, max_memory: int) -> None:
    check_memory(stream, max_memory)


@quick(10)
@given(stream=streams(n_rows=(1000,)))
def test_a_limit_that_is_never_reached_changes_nothing(stream: Stream) -> None:
    one, other = learned(stream), learned(stream, max_memory="1GB")
    state, limited = core_of(one).state(), core_of(other).state()
    assert {n: a.tobytes() for n, a in state.items()} == {
        n: a.tobytes() for n, a in limited.items()
    }


@quick(40)
@given(
    stream=streams(n_rows=(300, 1000)),
    max_leaves=st.integers(1, 9),
    max_depth=st.none() | st.integers(0, 4),
)
def test_no_tree_has_more_leaves_or_greater_depth_than_allowed(
    stream: Stream, max_leaves: int, max_depth: int | None
) -> None:
    model = stream.estimator(max_leaves=max_leaves, max_depth=max_depth)
    step = max(1, stream.n_rows // 8)
    for begin in range(0, stream.n_rows, step):
        learn(model, stream, begin, min(begin + step, stream.n_rows))
        for tree in trees_of(core_of(model)):
            assert (tree.feature < 0).sum() <= max_leaves
            if max_depth is not None:
                assert tree.depth.max() <= max_depth


@quick(10)
@given(stream=streams(n_rows=(1000,), numeric=("uniform",), n_numeric=(1, 3), gamma=0.0))
def test_a_tree_at_its_limit_of_leaves_still_moves_their_values(stream: Stream) -> None:
    model = learn(stream.estimator(max_leaves=1, max_depth=None, on_drift="ignore"), stream)
    if not model.__sklearn_is_fitted__() or core_of(model).warming_up:
        return
    if stream.task in ("regression", "targets"):
        updates = model.n_updates_
        shifted = replace(stream, y=stream.y + 1e9)
        learn(model, shifted)
        assert model.n_updates_ > updates or stream.parameters["grace_period"] > stream.n_rows
    assert model.n_splits_ == 0
