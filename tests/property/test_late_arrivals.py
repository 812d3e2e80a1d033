"""Features, classes and categories that come late."""

from __future__ import annotations

import copy
import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sgtrees import SGTClassifier
from sgtrees._core import ClassLearner, LossLearner, Options
from tests.property.models import (
    Core,
    TreeView,
    assert_same_models,
    core_of,
    differing,
    learn,
    learn_events,
    learned,
    raw_predictions,
    raw_predictions_of_event,
    same,
    trees_of,
)
from tests.property.strategies import Stream, quick, streams, thorough


def with_a_late_feature(stream: Stream, row: int) -> Stream:
    """The last feature has no value in the rows before ``row`` and has one in that row."""
    X = stream.X.copy()
    X[:row, -1] = np.nan
    X[row, -1] = np.nan_to_num(X[row, -1], nan=0.0)
    # The first row has a value of every other feature, so that events make the columns in order.
    X[0, :-1] = np.nan_to_num(X[0, :-1], nan=0.0)
    w = None if stream.w is None else stream.w.copy()
    if w is not None:
        w[[0, row]] = 1.0
    return replace(stream, X=X, w=w)


def learn_with_a_late_feature(stream: Stream, row: int) -> Any:
    """Learn events: the feature's name occurs for the first time in that row."""
    model = stream.estimator()
    for i in range(stream.n_rows):
        event = stream.event(i)
        if i < row:
            event.pop(stream.names[-1], None)
        model.learn_one(event, stream.target(i), stream.weight(i))
        if i == row:
            assert model.n_features_in_ == len(stream.nominal)
    return model


def assert_same_trees(one: Core, other: Core) -> None:
    assert one.n_trees == other.n_trees
    for index in range(one.n_trees):
        expected, found = one.tree(index), other.tree(index)
        assert [name for name in expected if not same(expected[name], found[name])] == []


# --------------------------------------------------------------------------------------------------
# Features
# --------------------------------------------------------------------------------------------------


def check_late_nominal_feature(stream: Stream, row: int) -> None:
    assume(stream.nominal[-1] and len(stream.nominal) > 1)
    stream = with_a_late_feature(stream, row)
    late = learn_with_a_late_feature(stream, row)
    always = learn_events(stream.estimator(), stream)
    assert_same_trees(core_of(always), core_of(late))
    block = stream.block()
    assert raw_predictions(late, block).tobytes() == raw_predictions(always, block).tobytes()

    # When a feature comes, rows that wait in the leaves are added to the cells: let both do so at
    # the same moment, and nothing of the state differs.
    learn_events(emptied := stream.estimator(), stream, 0, row)
    core_of(emptied).add_features([])
    learn_events(emptied, stream, row)
    assert_same_models(emptied, late)


late_nominal_streams = streams(
    forms=("frame",), n_nominal=(1, 3), n_numeric=(0, 2), n_rows=(30, 300, 1000), max_leaves=None
)


@quick(60)
@given(stream=late_nominal_streams, moment=st.floats(0.01, 0.99))
def test_a_late_nominal_feature_was_missing_from_the_start(stream: Stream, moment: float) -> None:
    check_late_nominal_feature(stream, max(1, int(moment * stream.n_rows)))


@pytest.mark.long
@thorough()
@given(stream=late_nominal_streams, moment=st.floats(0.01, 0.99))
def test_late_nominal_features_were_missing_from_the_start_on_many_streams(
    stream: Stream, moment: float
) -> None:
    check_late_nominal_feature(stream, max(1, int(moment * stream.n_rows)))


@quick(25)
@given(
    stream=streams(forms=("frame",), n_numeric=(1, 3), n_rows=(30, 300), warm_up=100),
    moment=st.floats(0.01, 0.99),
)
def test_a_feature_that_comes_during_the_warm_up_was_missing_from_the_start(
    stream: Stream, moment: float
) -> None:
    row = max(1, int(moment * min(99, stream.n_rows - 1)))
    assume(len(stream.nominal) > 1)
    stream = with_a_late_feature(stream, row)
    late = learn_with_a_late_feature(stream, row)
    assert_same_models(learn_events(stream.estimator(), stream), late)


def core_options(stream: Stream) -> Options:
    p = stream.parameters
    return Options(
        n_bins=p["n_bins"],
        warm_up=p["warm_up"],
        grace_period=p["grace_period"],
        delta=p["delta"],
        kept_rows=p["kept_rows"],
        reg_lambda=p["reg_lambda"],
        lambda_per_row=p["lambda_scaling"] == "row",
        gamma=p["gamma"],
        max_depth=p["max_depth"],
        max_leaves=p["max_leaves"],
        start_from_data=p["start"] == "data",
    )


def check_late_numeric_feature(stream: Stream, row: int) -> None:
    """A feature without a range is missing until ``warm_up`` values of it have come.

    These set its boundaries. A model to which the range was known beforehand and in which the value
    is missing up to that row must grow the same trees.
    """
    X, y = stream.X, stream.y
    w = np.ones(stream.n_rows) if stream.w is None else stream.w
    n_features = X.shape[1]
    warm_up = stream.parameters["warm_up"]
    counts = (np.arange(len(X)) >= row) & ~np.isnan(X[:, -1]) & (w > 0)
    options = core_options(stream)

    late = LossLearner(options, stream.nominal[:-1])
    late.learn(np.ascontiguousarray(X[:row, :-1]), y[:row], w[:row])
    assume(not late.warming_up)
    late.add_features([False])
    late.learn(np.ascontiguousarray(X[row:]), y[row:], w[row:])

    enough = np.flatnonzero(counts)[warm_up - 1 : warm_up]
    sample = X[np.flatnonzero(counts)[:warm_up], -1]
    as_missing = X.copy()
    as_missing[: enough[0] + 1 if len(enough) else None, -1] = np.nan
    ranges = np.full((n_features, 2), np.nan)
    if len(enough):
        ranges[-1] = sample.min(), sample.max()
        boundaries = late.boundaries(n_features - 1)
        assert boundaries is not None
        assert (sample.min() <= boundaries).all()
        assert (boundaries <= sample.max()).all()
    else:
        assert late.boundaries(n_features - 1) is None
    known = LossLearner(options, stream.nominal, ranges)
    known.learn(as_missing, y, w)
    assert_same_trees(known, late)
    probes = X.copy()
    if not len(enough):
        probes[:, -1] = np.nan
    assert late.predict(X).tobytes() == known.predict(probes).tobytes()


late_numeric_streams = streams(
    tasks=("regression",),
    n_numeric=(2, 3),
    n_nominal=(0, 1),
    n_rows=(300, 1000),
    binning="uniform",
).filter(lambda stream: not stream.nominal[-1] and not all(stream.nominal[:-1]))


@quick(60)
@given(stream=late_numeric_streams, moment=st.floats(0.1, 0.9))
def test_a_late_numeric_feature_is_missing_until_its_own_warm_up_has_set_its_boundaries(
    stream: Stream, moment: float
) -> None:
    for column in stream.X.T:  # category numbers as the core wants them; NaN is no warm-up value
        assume(not np.isnan(column).all())
    check_late_numeric_feature(by_first_appearance(stream), int(moment * stream.n_rows))


def by_first_appearance(stream: Stream) -> Stream:
    X = stream.X.copy()
    for place in np.flatnonzero(stream.nominal):
        known = X[~np.isnan(X[:, place]), place]
        _, first, inverse = np.unique(known, return_index=True, return_inverse=True)
        X[~np.isnan(X[:, place]), place] = np.argsort(np.argsort(first))[inverse]
    return replace(stream, X=np.ascontiguousarray(X))


# --------------------------------------------------------------------------------------------------
# Classes
# --------------------------------------------------------------------------------------------------


CLASSES = ("binary", "multi-class", "one tree of classes")


@quick(40)
@given(stream=streams(tasks=CLASSES, weights=("none", "exponential")))
def test_classes_that_were_declared_beforehand_change_no_tree(stream: Stream) -> None:
    one, other = stream.estimator(), stream.estimator()
    assert isinstance(one, SGTClassifier)
    assert isinstance(other, SGTClassifier)
    declared = [*set(stream.y.tolist())]
    weights = stream.weights(0, 1)
    other.partial_fit(stream.block(0, 1), stream.y[:1], classes=declared, sample_weight=weights)
    learn(other, stream, 1)
    learn(one, stream)
    assert differing(core_of(one).state(), core_of(other).state()) == []
    assert sorted(other.classes_.tolist()) == sorted(declared)


def check_late_classes(stream: Stream) -> None:
    labels: list[Any] = list(dict.fromkeys(stream.y.tolist()))
    y = np.array([labels.index(label) for label in stream.y.tolist()], dtype=np.int32)
    w = np.ones(stream.n_rows) if stream.w is None else stream.w
    firsts = [int(np.flatnonzero(y == k)[0]) for k in range(len(labels))]
    core = ClassLearner(core_options(stream), stream.nominal)
    done = 0
    for k, first in enumerate(firsts):
        core.learn(stream.X[done:first], y[done:first], w[done:first])
        done = first
        if core.warming_up or k == 0:
            continue
        assert core.n_trees == max(k - 1, 0)
        before = [dict(tree.arrays) for tree in trees_of(core)]
        x = np.ascontiguousarray(stream.X[first : first + 1])
        expected = core.predict_proba(x)
        copy = ClassLearner.from_state(core_options(stream), core.state())
        found = copy.learn_predict_proba(x, y[first : first + 1], w[first : first + 1], k + 1)
        assert found[0, :k].tolist() == expected[0].tolist()
        assert found[0, k] == 0.0
        assert copy.n_trees == k
        new = TreeView(copy, k - 1)
        assert (len(new.parent), new.rows[0]) == (1, 1)
        of_reference = math.fsum(w[:first][y[:first] == 0])
        start = math.log(w[first] / of_reference) if stream.parameters["start"] == "data" else 0.0
        assert new.value[0] == pytest.approx(start, rel=1e-9, abs=1e-12)
        for tree, old in zip(trees_of(copy), before, strict=False):
            if len(tree.parent) == len(old["parent"]) and copy.n_updates == core.n_updates:
                assert same(tree.value, old["value"])  # the new class has moved no other tree


@quick(40)
@given(
    stream=streams(
        tasks=("multi-class",),
        n_nominal=(0, 0),
        n_rows=(300, 1000),
        weights=("none", "exponential"),
        binning="uniform",
    )
)
def test_a_late_class_gets_a_tree_of_one_leaf_and_had_no_probability_before(stream: Stream) -> None:
    check_late_classes(stream)


def check_late_classes_of_one_tree(stream: Stream) -> None:
    labels: list[Any] = list(dict.fromkeys(stream.y.tolist()))
    y = np.array([labels.index(label) for label in stream.y.tolist()], dtype=np.int32)
    w = np.ones(stream.n_rows) if stream.w is None else stream.w
    core = ClassLearner(core_options(stream), stream.nominal, vector_leaves=True)
    done = 0
    for k in range(len(labels)):
        first = int(np.flatnonzero(y == k)[0])
        core.learn(stream.X[done:first], y[done:first], w[done:first])
        done = first
        if core.warming_up or k == 0:
            continue
        assert core.n_trees == (k > 1)
        before = core.predict_proba(stream.X)
        # A grace period without end: the class comes, and nothing else happens.
        patient = core_options(stream.with_parameters(grace_period=10**6))
        copy = ClassLearner.from_state(patient, core.state(), vector_leaves=True)
        x = np.ascontiguousarray(stream.X[first : first + 1])
        found = copy.learn_predict_proba(x, y[first : first + 1], w[first : first + 1], k + 1)
        assert found[0].tolist() == [*before[first].tolist(), 0.0]
        after = copy.predict_proba(stream.X)
        assert copy.n_trees == 1
        # Without lambda scores run away, up to where their last digit is a large difference.
        rounding = 1e-9 + float(np.spacing(np.abs(copy.tree(0)["value"]).max()))
        if stream.parameters["start"] == "data":
            share = w[first] / math.fsum(w[: first + 1])
            np.testing.assert_allclose(after[:, k], share, rtol=rounding)
        # Among the others nothing has changed.
        np.testing.assert_allclose(
            after[:, :k], before * (1.0 - after[:, k:]), rtol=rounding, atol=1e-300
        )


@quick(40)
@given(
    stream=streams(
        tasks=("one tree of classes",),
        n_nominal=(0, 0),
        n_rows=(300, 1000),
        weights=("none", "exponential"),
        binning="uniform",
        max_leaves=None,
    )
)
def test_a_late_class_is_as_rare_everywhere_as_it_is_so_far(stream: Stream) -> None:
    check_late_classes_of_one_tree(stream)


# --------------------------------------------------------------------------------------------------
# Categories
# --------------------------------------------------------------------------------------------------


@quick(25)
@given(stream=streams(forms=("frame",), n_nominal=(1, 3), n_rows=(300, 1000)))
def test_a_category_never_seen_is_predicted_alike_in_blocks_and_events(stream: Stream) -> None:
    model = learned(stream)
    assume(model.__sklearn_is_fitted__())
    never = stream.X[:30].copy()
    never[:, np.array(stream.nominal)] += 1000
    probes = replace(stream, X=never)
    before = core_of(model).state()
    blocks = raw_predictions(model, probes.block())
    for row in range(len(never)):
        assert raw_predictions_of_event(model, probes.event(row)) == blocks[row].tolist()
    assert differing(before, core_of(model).state()) == []


def test_classes_that_come_one_by_one_cost_no_more_than_rows_of_known_classes() -> None:
    generator = np.random.default_rng(0)
    X = generator.normal(size=(4000, 4))
    model = SGTClassifier(multiclass="vector", grace_period=10, on_drift="ignore")
    model.partial_fit(X, (X > 0) @ [1, 2, 4, 8])
    late = generator.normal(size=(1200, 4))
    seconds = []
    for _ in range(3):  # the best of three: others may disturb one of them
        learner = copy.deepcopy(model)
        seconds.append(
            [
                seconds_to_learn(learner, late) for _ in range(2)
            ]  # at first every row has a new class
        )
    with_new_classes, with_known_ones = np.min(seconds, axis=0)
    # When each new class went over all values of all nodes this was above 5.
    assert with_new_classes < 4.0 * with_known_ones


def seconds_to_learn(model: SGTClassifier, X: NDArray[np.float64]) -> float:
    """Learn rows that have a class each; return the processor time."""
    begin = time.process_time()
    model.partial_fit(X, np.arange(16, 16 + len(X)))
    return time.process_time() - begin
