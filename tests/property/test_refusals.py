"""A call that is refused leaves the model exactly as it was, whatever was wrong and wherever."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fingerprint import fingerprint
from tests.property.models import assert_same_models, learn
from tests.property.strategies import SCALAR_TASKS, Estimator, Stream, quick, streams, thorough

Call = dict[str, Any]
Spoiler = Callable[[Call, Stream, np.random.Generator], None]

# Each makes one thing wrong in the arguments of a call that would be right without it.


def infinity(call: Call, stream: Stream, random: np.random.Generator) -> None:
    place = int(random.choice(np.flatnonzero(~np.array(stream.nominal))))
    row = random.integers(len(call["X"]))
    value = random.choice([np.inf, -np.inf])
    if stream.form == "frame":
        call["X"].iloc[row, place] = value
    else:
        call["X"][row, place] = value


def a_column_too_few(call: Call, stream: Stream, random: np.random.Generator) -> None:
    call["X"] = call["X"].iloc[:, 1:] if stream.form == "frame" else call["X"][:, 1:]


def a_column_too_many(call: Call, stream: Stream, random: np.random.Generator) -> None:
    if stream.form == "frame":
        call["X"]["more"] = 1.0
    else:
        call["X"] = np.hstack([call["X"], np.ones((len(call["X"]), 1))])


def strings_for_numbers(call: Call, stream: Stream, random: np.random.Generator) -> None:
    place = int(random.choice(np.flatnonzero(~np.array(stream.nominal))))
    X = call["X"].astype(object)
    if stream.form == "frame":
        X.iloc[:, place] = "word"
    else:
        X[:, place] = "word"
    call["X"] = X


def one_dimension(call: Call, stream: Stream, random: np.random.Generator) -> None:
    call["X"] = np.asarray(call["X"])[:, 0]


def no_rows(call: Call, stream: Stream, random: np.random.Generator) -> None:
    call["X"], call["y"] = call["X"][:0], call["y"][:0]
    call["sample_weight"] = None


def too_few_targets(call: Call, stream: Stream, random: np.random.Generator) -> None:
    call["y"] = call["y"][:-1]


def no_targets(call: Call, stream: Stream, random: np.random.Generator) -> None:
    call["y"] = None


def two_columns_of_targets(call: Call, stream: Stream, random: np.random.Generator) -> None:
    call["y"] = np.column_stack([call["y"], call["y"]])


def a_missing_target(call: Call, stream: Stream, random: np.random.Generator) -> None:
    call["y"] = call["y"].astype(object)
    call["y"][random.integers(len(call["y"]))] = None if random.random() < 0.5 else np.nan


def targets_of_another_kind(call: Call, stream: Stream, random: np.random.Generator) -> None:
    strings = call["y"].dtype.kind == "U"
    call["y"] = np.array([7 if strings else "word"] * len(call["y"]))


def a_negative_weight(call: Call, stream: Stream, random: np.random.Generator) -> None:
    weights = np.ones(len(call["X"]))
    weights[random.integers(len(weights))] = random.choice([-1.0, np.nan, np.inf, -1e-300])
    call["sample_weight"] = weights


def too_many_weights(call: Call, stream: Stream, random: np.random.Generator) -> None:
    call["sample_weight"] = np.ones(len(call["X"]) + 1)


def weights_of_two_dimensions(call: Call, stream: Stream, random: np.random.Generator) -> None:
    call["sample_weight"] = np.ones((len(call["X"]), 1))


SPOILERS: tuple[Spoiler, ...] = (
    infinity,
    a_column_too_few,
    a_column_too_many,
    strings_for_numbers,
    one_dimension,
    no_rows,
    too_few_targets,
    no_targets,
    two_columns_of_targets,
    a_missing_target,
    targets_of_another_kind,
    a_negative_weight,
    too_many_weights,
    weights_of_two_dimensions,
)


def half_learned(stream: Stream) -> Estimator:
    return learn(stream.estimator(), stream, 0, stream.n_rows // 2)


def check_refusal(stream: Stream, spoil: Spoiler, method: str, seed: int) -> None:
    model = half_learned(stream)
    before = fingerprint(model)
    half = stream.n_rows // 2
    call: Call = {
        "X": stream.block(half),
        "y": stream.y[half:].copy(),
        "sample_weight": stream.weights(half),
    }
    spoil(call, stream, np.random.default_rng(seed))
    with pytest.raises((ValueError, TypeError)):
        getattr(model, method)(**call)
    assert fingerprint(model) == before
    # And it goes on as if the call had not been made.
    learn(model, stream, half)
    assert_same_models(model, learn(half_learned(stream), stream, half))


# A column that is not nominal is there, and rows of weight 0 are not: what is wrong in them may be
# passed over.
refused_streams = streams(
    tasks=SCALAR_TASKS,
    n_numeric=(1, 3),
    n_rows=(30, 300),
    weights=("none", "exponential"),
    missing=(0.0, 0.05),
)


@pytest.mark.parametrize("spoil", SPOILERS, ids=lambda spoil: spoil.__name__)
@quick(8)
@given(
    stream=refused_streams,
    method=st.sampled_from(["partial_fit", "learn_predict"]),
    seed=st.integers(0, 99),
)
def test_a_refused_block_leaves_the_model_as_it_was(
    spoil: Spoiler, stream: Stream, method: str, seed: int
) -> None:
    check_refusal(stream, spoil, method, seed)


@pytest.mark.long
@pytest.mark.parametrize("spoil", SPOILERS, ids=lambda spoil: spoil.__name__)
@thorough(200)
@given(
    stream=refused_streams,
    method=st.sampled_from(["partial_fit", "learn_predict", "fit"]),
    seed=st.integers(0, 10**6),
)
def test_refused_blocks_leave_many_models_as_they_were(
    spoil: Spoiler, stream: Stream, method: str, seed: int
) -> None:
    fitted_anew = {a_column_too_few, a_column_too_many, strings_for_numbers}
    if method == "fit" and spoil in fitted_anew | {targets_of_another_kind, two_columns_of_targets}:
        return  # `fit` starts anew, with other columns, labels and targets
    check_refusal(stream, spoil, method, seed)


BAD_VALUES: tuple[Any, ...] = (np.inf, -np.inf, [], {}, b"word", object(), 1 + 2j, 10**400)
BAD_TARGETS: tuple[Any, ...] = (None, np.nan, np.inf, [], object(), {}, b"word")
BAD_WEIGHTS: tuple[Any, ...] = (None, -1.0, np.nan, np.inf, "1", [], 1j)


@pytest.mark.parametrize("wrong", ["value", "target", "weight", "event"])
@quick(25)
@given(data=st.data(), stream=streams(n_numeric=(1, 3), n_rows=(30, 300), forms=("frame",)))
def test_a_refused_event_leaves_the_model_as_it_was(
    wrong: str, data: st.DataObject, stream: Stream
) -> None:
    model = half_learned(stream)
    row = stream.n_rows // 2
    before = fingerprint(model)
    # A feature and a category that are new, which a right call would have added.
    event: Any = stream.event(row) | {"new": 1.0, "another": "word"}
    target, weight = stream.target(row), 1.0
    if wrong == "value":
        event[data.draw(st.sampled_from([*stream.names, "new"]))] = data.draw(
            st.sampled_from(BAD_VALUES)
        )
    elif wrong == "target":
        target = data.draw(st.sampled_from(BAD_TARGETS))
    elif wrong == "weight":
        weight = data.draw(st.sampled_from(BAD_WEIGHTS))
    else:
        event = data.draw(st.sampled_from([None, [1.0], "word", 1.0]))
    with pytest.raises((ValueError, TypeError, OverflowError)):
        model.learn_one(event, target, weight)
    assert fingerprint(model) == before
