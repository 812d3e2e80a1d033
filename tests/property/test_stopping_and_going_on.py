"""A model that was saved and loaded goes on as if nothing had happened."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgtrees import load
from sgtrees._core import ClassLearner, Options
from tests.property.models import (
    assert_same_models,
    core_of,
    differing,
    learn,
    learn_events,
    learned,
    raw_predictions,
)
from tests.property.strategies import Estimator, Stream, quick, streams, thorough


def by_state(model: Estimator) -> Estimator:
    """Give the model a core that was made from the state of the old one."""
    if model._model is not None:
        old = model._model.core
        model._model.core = model._model.core_from(Options(**model._model.options), old.state())
    return model


def by_pickle(model: Estimator) -> Estimator:
    again: Estimator = pickle.loads(pickle.dumps(model))
    return again


def by_file(model: Estimator) -> Estimator:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model.safetensors"
        model.save(path)
        again = load(path)
    assert isinstance(again, type(model))
    return again


WAYS: dict[str, Callable[[Estimator], Estimator]] = {
    "file": by_file,
    "pickle": by_pickle,
    "deepcopy": copy.deepcopy,
    "state": by_state,
}


def check_going_on(stream: Stream, way: str, moments: list[int], as_events: bool) -> None:
    never_stopped = learned(stream)
    go_on = learn_events if as_events else learn
    model = stream.estimator()
    done = 0
    for moment in [*sorted(moments), stream.n_rows]:
        go_on(model, stream, done, moment) if moment > done else None
        done = max(done, moment)
        if model._model is None:
            continue
        state = core_of(model).state()
        model = WAYS[way](model)
        assert differing(state, core_of(model).state()) == []
    assert_same_models(never_stopped, model)
    if model.__sklearn_is_fitted__():
        expected = raw_predictions(never_stopped, stream.block())
        assert raw_predictions(model, stream.block()).tobytes() == expected.tobytes()


# Numbers of categories up to which the core writes a category in one byte.
FEW = (2, 5, 25, 100)
moments_in = st.lists(st.floats(0, 1), min_size=1, max_size=3)


@pytest.mark.parametrize("way", WAYS)
@quick(25)
@given(stream=streams(), moments=moments_in, as_events=st.booleans())
def test_a_model_that_was_stopped_at_any_moment_goes_on_as_if_it_had_not_been(
    way: str, stream: Stream, moments: list[float], as_events: bool
) -> None:
    rows = [int(moment * stream.n_rows) for moment in moments]
    check_going_on(stream, way, rows, as_events)


@pytest.mark.parametrize("way", ["file", "pickle", "state"])
@quick(25)
@given(
    stream=streams(cardinalities=FEW),
    moments=moments_in,
    as_events=st.booleans(),
    max_memory=st.sampled_from([4096, 20_000, 100_000]),
)
def test_it_goes_on_under_a_limit_on_memory_too(
    way: str, stream: Stream, moments: list[float], as_events: bool, max_memory: int
) -> None:
    rows = [int(moment * stream.n_rows) for moment in moments]
    check_going_on(stream.with_parameters(max_memory=max_memory), way, rows, as_events)


@pytest.mark.long
@pytest.mark.parametrize("way", WAYS)
@thorough(500)
@given(
    stream=streams(cardinalities=FEW),
    moments=moments_in,
    as_events=st.booleans(),
    max_memory=st.sampled_from([None, 4096, 20_000, 100_000]),
)
def test_models_go_on_as_if_they_had_not_been_stopped_on_many_streams(
    way: str, stream: Stream, moments: list[float], as_events: bool, max_memory: int | None
) -> None:
    rows = [int(moment * stream.n_rows) for moment in moments]
    check_going_on(stream.with_parameters(max_memory=max_memory), way, rows, as_events)


def test_a_model_takes_as_much_memory_when_it_is_loaded_as_when_it_was_saved() -> None:
    # The third class makes all leaves empty their buffers, just after the second row's change.
    options = Options(warm_up=1, grace_period=2, gamma=0.0, delta=1e-4, reg_lambda=0.0)
    X = np.array([[1.0, 7.0], [8.0, 3.0], [3.0, 5.0], [5.0, 6.0]])
    core = ClassLearner(options, [True, True])
    core.learn(X, np.array([0, 1, 1, 2], dtype=np.int32))
    assert ClassLearner.from_state(options, core.state()).memory_bytes == core.memory_bytes


@quick(10)
@given(stream=streams(n_rows=(300,)))
def test_a_copy_and_its_original_go_separate_ways(stream: Stream) -> None:
    original = learn(stream.estimator(), stream, 0, 150)
    twin = copy.deepcopy(original)
    learn(twin, stream, 150)
    assert_same_models(original, learn(stream.estimator(), stream, 0, 150))
    learn(original, stream, 150)
    assert_same_models(original, twin)
