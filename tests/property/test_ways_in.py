"""A block, its parts, its rows and its events give one and the same model."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgtrees import SGTClassifier
from sgtrees._core import LossLearner, Options
from tests.property.models import (
    assert_same_models,
    differing,
    learn,
    learn_events,
    learn_in_blocks,
    learned,
    raw_predictions,
    raw_predictions_of_event,
)
from tests.property.strategies import Stream, cuts_of, quick, streams, thorough

# A call of `partial_fit` costs a thousand times what a row does: single rows only at the beginning.
SINGLE_ROWS = 120
# Numbers of categories up to which the core writes a category in one byte.
FEW = (2, 5, 25, 100)


def check_ways_in(stream: Stream, cuts: list[int]) -> None:
    whole = learned(stream)
    halves = learn_in_blocks(stream.estimator(), stream, [0, stream.n_rows // 2, stream.n_rows])
    assert_same_models(whole, halves)
    assert_same_models(whole, learn_in_blocks(stream.estimator(), stream, cuts))
    singles = [*range(min(SINGLE_ROWS, stream.n_rows)), stream.n_rows]
    assert_same_models(whole, learn_in_blocks(stream.estimator(), stream, singles))
    assert_same_models(whole, learn_events(stream.estimator(), stream))


@quick(40)
@given(data=st.data(), stream=streams())
def test_a_block_its_halves_its_pieces_its_rows_and_its_events_give_the_same_model(
    data: st.DataObject, stream: Stream
) -> None:
    check_ways_in(stream, data.draw(cuts_of(stream.n_rows)))


@pytest.mark.long
@thorough(400)
@given(data=st.data(), stream=streams())
def test_they_give_the_same_model_on_many_streams(data: st.DataObject, stream: Stream) -> None:
    check_ways_in(stream, data.draw(cuts_of(stream.n_rows)))


@quick(60)
@given(data=st.data(), stream=streams())
def test_an_array_that_stands_column_after_column_gives_the_same_model(
    data: st.DataObject, stream: Stream
) -> None:
    stream = replace(stream, form=data.draw(st.sampled_from(["float32", "float64"])))
    by_row, by_column = learned(stream), stream.estimator()
    for begin, end in pairwise(data.draw(cuts_of(stream.n_rows))):
        rows = np.asfortranarray(stream.block(begin, end))
        weights = stream.weights(begin, end)
        by_column.partial_fit(rows, stream.y[begin:end], sample_weight=weights)
    assert_same_models(by_row, by_column)
    if not by_row.__sklearn_is_fitted__():  # all weights are 0
        return
    X = stream.block()
    np.testing.assert_array_equal(
        raw_predictions(by_row, X), raw_predictions(by_column, np.asfortranarray(X))
    )


@quick(25)
@given(
    data=st.data(),
    stream=streams(cardinalities=FEW),
    max_memory=st.sampled_from([4096, 20_000, 100_000]),
)
def test_they_give_the_same_model_under_a_limit_on_memory(
    data: st.DataObject, stream: Stream, max_memory: int
) -> None:
    limited = stream.with_parameters(max_memory=max_memory)
    check_ways_in(limited, data.draw(cuts_of(stream.n_rows)))


def test_they_give_the_same_model_under_a_limit_where_a_category_takes_more_than_a_byte() -> None:
    n_rows = 3000
    random = np.random.default_rng(0)
    X = np.column_stack([random.integers(0, 2, n_rows), np.arange(n_rows) % 600]).astype(float)
    y = 3 * X[:, 0] + X[:, 1] % 7 + random.normal(size=n_rows)
    options = Options(max_memory=20_000, warm_up=1, grace_period=20, gamma=0.0, delta=0.05)
    whole, rows = (LossLearner(options, [True, True]) for _ in range(2))
    whole.learn(X, y)
    for i in range(n_rows):
        rows.learn_one(X[i], y[i])
    assert differing(whole.state(), rows.state()) == []


@quick(25)
@given(data=st.data(), stream=streams())
def test_events_and_blocks_can_take_turns(data: st.DataObject, stream: Stream) -> None:
    mixed = stream.estimator()
    cuts = data.draw(cuts_of(stream.n_rows))
    for number, (begin, end) in enumerate(pairwise(cuts)):
        (learn if number % 2 else learn_events)(mixed, stream, begin, end)
    assert_same_models(learned(stream), mixed)


@quick(25)
@given(stream=streams(weights=("none",)))
def test_weights_that_are_all_1_are_no_weights(stream: Stream) -> None:
    weighted = stream.estimator().partial_fit(
        stream.block(), stream.y, sample_weight=np.ones(stream.n_rows)
    )
    assert_same_models(learned(stream), weighted)


def check_that_rows_of_weight_0_are_as_good_as_absent(stream: Stream) -> None:
    assert stream.w is not None
    kept = stream.w > 0
    if not kept.any():
        return
    without = stream.estimator().partial_fit(
        stream.block()[kept], stream.y[kept], sample_weight=stream.w[kept]
    )
    assert_same_models(without, learned(stream))


@quick(40)
@given(stream=streams(weights=("some zero", "both")))
def test_rows_of_weight_0_are_as_good_as_absent(stream: Stream) -> None:
    check_that_rows_of_weight_0_are_as_good_as_absent(stream)


# --------------------------------------------------------------------------------------------------
# Test-then-train
# --------------------------------------------------------------------------------------------------


def check_test_then_train(stream: Stream, cuts: list[int], first: int) -> None:
    """Rows from ``first`` on are learned in blocks, and, by another model, one by one."""
    blocks, rows = (learn(stream.estimator(), stream, 0, first) for _ in range(2))
    parts = []
    for begin, end in pairwise(cuts):
        begin, end = max(begin, first), max(end, first)  # noqa: PLW2901
        if begin < end:
            weights = stream.weights(begin, end)
            X, y = stream.block(begin, end), stream.y[begin:end]
            if isinstance(blocks, SGTClassifier):
                found = blocks.learn_predict(X, y, weights, method="predict_proba")
            else:
                found = blocks.learn_predict(X, y, weights)
            parts.append((begin, found, [*getattr(blocks, "classes_", [])]))
    for begin, found, classes in parts:
        for row, prediction in enumerate(found, start=begin):
            block = stream.block(row, row + 1)
            if not rows.__sklearn_is_fitted__():  # there was nothing to go by
                assert np.all(prediction == (0.5 if stream.task == "labels" else 0.0))
            elif isinstance(rows, SGTClassifier):
                expected = dict.fromkeys(classes, 0.0)
                expected |= zip(rows.classes_, rows.predict_proba(block)[0], strict=True)
                assert prediction.tolist() == list(expected.values())
            else:
                assert prediction.tolist() == rows.predict(block)[0].tolist()
            learn(rows, stream, row, row + 1)
    assert_same_models(blocks, rows)


@quick(30)
@given(data=st.data(), stream=streams(n_rows=(1, 30, 200, 1200)))
def test_learn_predict_is_predict_and_then_learn_row_by_row(
    data: st.DataObject, stream: Stream
) -> None:
    first = max(0, stream.n_rows - data.draw(st.integers(1, SINGLE_ROWS)))
    check_test_then_train(stream, data.draw(cuts_of(stream.n_rows)), first)


@pytest.mark.long
@thorough(100)
@given(data=st.data(), stream=streams(n_rows=(1, 30, 200, 1200)))
def test_learn_predict_is_predict_and_then_learn_on_many_streams(
    data: st.DataObject, stream: Stream
) -> None:
    first = data.draw(st.integers(0, stream.n_rows))
    check_test_then_train(stream, data.draw(cuts_of(stream.n_rows)), first)


@quick(30)
@given(data=st.data(), stream=streams(tasks=("binary", "multi-class", "one tree of classes")))
def test_the_labels_of_learn_predict_are_the_most_probable_ones(
    data: st.DataObject, stream: Stream
) -> None:
    labels, probabilities = (stream.estimator() for _ in range(2))
    assert isinstance(labels, SGTClassifier)
    assert isinstance(probabilities, SGTClassifier)
    for begin, end in pairwise(data.draw(cuts_of(stream.n_rows, most=4))):
        X, y, w = stream.block(begin, end), stream.y[begin:end], stream.weights(begin, end)
        if w is not None and not w.any() and not labels.__sklearn_is_fitted__():
            continue  # no label has been seen, so there is none to predict
        found = labels.learn_predict(X, y, w)
        expected = probabilities.learn_predict(X, y, w, method="predict_proba")
        chosen = np.searchsorted(labels.classes_, found)
        # Scores that differ by less than a rounding error may have equal probabilities.
        assert (expected[np.arange(len(found)), chosen] == expected.max(axis=1)).all()
    assert_same_models(labels, probabilities)


@quick(30)
@given(stream=streams())
def test_predictions_of_events_and_blocks_agree(stream: Stream) -> None:
    model = learned(stream)
    if not model.__sklearn_is_fitted__():
        return
    rows = range(0, stream.n_rows, max(1, stream.n_rows // 20))
    blocks = raw_predictions(model, stream.block())
    for row in rows:
        event = stream.event(row)
        assert raw_predictions_of_event(model, event) == blocks[row].tolist()
        if stream.task == "labels":
            assert [*model.predict_one(event).values()] == (blocks[row] > 0.5).tolist()
        elif isinstance(model, SGTClassifier):
            chosen = model.classes_.tolist().index(model.predict_one(event))
            assert blocks[row, chosen] == blocks[row].max()
