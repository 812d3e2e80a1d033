"""Rows go where the boundaries say: at their ends, beyond them, where a value is missing or new."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sgtrees._core import ClassLearner, LossLearner, Options
from tests.property.models import Core, TreeView, core_of, learned, trees_of
from tests.property.strategies import (
    SCALAR_TASKS,
    Floats,
    Stream,
    quick,
    seeds,
    streams,
    thorough,
)

REALS: tuple[type[np.float32 | np.float64], ...] = (np.float32, np.float64)


def around(value: float, real: type[np.float32 | np.float64]) -> tuple[float, float]:
    """The greatest number of a type that is not above ``value``, and the one after it."""
    nearest = real(value)
    if float(nearest) > value:
        nearest = np.nextafter(nearest, real(-np.inf))
    return float(nearest), float(np.nextafter(nearest, real(np.inf)))


def grown(stream: Stream) -> Core:
    # Copies are made with other options below, to which this state would not fit.
    without = {"kept_rows": 0, "following_rates": (), "adaptive_ranges": False}
    core = core_of(learned(stream.with_parameters(**without, on_drift="ignore")))
    core.end_warm_up()
    assume(core.n_splits > 0)
    return core


def outputs(core: Core, X: Floats, real: type[np.float32 | np.float64]) -> Floats:
    block: Any = np.ascontiguousarray(X, dtype=real)
    return core.predict(block) if isinstance(core, LossLearner) else core.predict_proba(block)


def scores(core: Core, X: Floats, real: type[np.float32 | np.float64]) -> list[Floats]:
    """Each tree's value for each row, found from the predictions."""
    if isinstance(core, LossLearner):
        return [outputs(core, X, real)]
    probabilities = outputs(core, X, real)
    # Numbers that are smaller have fewer digits.
    probabilities[probabilities < np.finfo(np.float64).tiny] = 0.0
    with np.errstate(all="ignore"):
        found = [np.log(p / probabilities[:, 0]) for p in probabilities.T[1:]]
    return (
        [np.column_stack(found)]
        if isinstance(core, ClassLearner) and core.has_vector_leaves
        else found
    )


def assert_predicted_as_routed(core: Core, X: Floats, real: type[np.float32 | np.float64]) -> None:
    X = X.astype(real).astype(np.float64)
    for tree, values in zip(trees_of(core), scores(core, X, real), strict=True):
        expected = tree.predict(X)
        if isinstance(core, ClassLearner) and core.has_vector_leaves:
            expected = expected[:, 1:] - expected[:, :1]
        if isinstance(core, LossLearner):
            assert values.tolist() == expected.tolist()
        else:
            # Logarithms of probabilities; beyond 30 they say little about the score.
            near = np.abs(expected) < 30
            near &= np.abs(values) < 30
            np.testing.assert_allclose(values[near], expected[near], rtol=1e-6, atol=1e-6)


# --------------------------------------------------------------------------------------------------
# Boundaries
# --------------------------------------------------------------------------------------------------


def check_rows_at_thresholds(stream: Stream, real: type[np.float32 | np.float64]) -> None:
    core = grown(stream)
    some_missing = bool(np.isnan(stream.X).any())
    rows = []
    for tree in trees_of(core):
        for node in tree.numeric_splits:
            x = tree.row_to(node, core.n_features)
            feature = int(tree.feature[node])
            at, above = around(float(tree.threshold[node]), real)
            for value, child in ((at, tree.left(node)), (above, tree.right(node))):
                x[feature] = value
                assert tree.step(node, x) == child
                if not some_missing and real is np.float64:
                    # Otherwise the split may be one that only missing values come to, or the
                    # thresholds above it closer than float32 can tell.
                    assert child in tree.route(x)
                rows.append(x.copy())
    if rows:
        assert_predicted_as_routed(core, np.array(rows), real)


@pytest.mark.parametrize("real", REALS)
@quick(30)
@given(stream=streams(n_numeric=(1, 4), n_rows=(300, 1000), start="data"))
def test_a_value_at_a_threshold_goes_left_and_the_next_number_goes_right(
    real: type[np.float32 | np.float64], stream: Stream
) -> None:
    check_rows_at_thresholds(stream, real)


@pytest.mark.long
@pytest.mark.parametrize("real", REALS)
@thorough()
@given(stream=streams(n_numeric=(1, 4), n_rows=(300, 1000), start="data"))
def test_values_at_thresholds_part_in_many_trees(
    real: type[np.float32 | np.float64], stream: Stream
) -> None:
    check_rows_at_thresholds(stream, real)


@quick(15)
@given(stream=streams(tasks=("regression",), n_numeric=(1, 3), n_rows=(300,), max_leaves=None))
def test_a_row_is_learned_in_the_leaf_in_which_it_is_predicted(stream: Stream) -> None:
    core = grown(stream)
    tree = TreeView(core)
    options = Options(grace_period=10**6)
    for node in tree.numeric_splits[:20]:
        x = tree.row_to(node, core.n_features)
        for value in around(float(tree.threshold[node]), np.float64):
            x[int(tree.feature[node])] = value
            leaf = tree.route(x)[-1]
            if tree.feature[leaf] >= 0:
                continue  # its category has no branch here
            copy = LossLearner.from_state(options, core.state())
            copy.learn_one(x, float(tree.value[leaf]))
            gained = np.flatnonzero(TreeView(copy).rows - tree.rows)
            assert gained.tolist() == [leaf]


# Ranges as they are, and as hardly anybody has them.
ENDS = (
    0.0,
    1.0,
    -1.0,
    1e-3,
    0.1,
    1e6,
    1e6 + 1e-9,
    1e300,
    -1.7e308,
    1.7e308,
    5e-324,
    2.5e-310,
    3e38,
)


def check_bins(lo: float, hi: float, n_bins: int, seed: int) -> None:
    """Codes of rows that wait in a leaf, as in its state, are bins by bisection."""
    random = np.random.default_rng(seed)
    core = LossLearner(
        Options(n_bins=n_bins, grace_period=300), [False], np.array([[lo, hi]], dtype=np.float64)
    )
    boundaries = core.boundaries(0)
    assert boundaries is not None
    picked = random.choice(boundaries, 40)
    with np.errstate(over="ignore"):
        near = np.concatenate([picked, np.nextafter(picked, np.inf), np.nextafter(picked, -np.inf)])
        x = np.concatenate(
            [
                near,
                lo + (hi / 2 - lo / 2) * 2 * random.random(40),
                [lo, hi, 2 * lo - hi, 2 * hi - lo, 0.0, -0.0, np.nan],
                [np.finfo(np.float64).max, -np.finfo(np.float64).max],
            ]
        )
    x = x[~np.isinf(x)]
    for real in REALS:
        with np.errstate(over="ignore"):
            block = x.astype(real)
        block = np.ascontiguousarray(block[~np.isinf(block)][:, None])
        copy = LossLearner.from_state(Options(n_bins=n_bins, grace_period=300), core.state())
        copy.learn(block, np.zeros(len(block)))
        state = copy.state()
        code_type = {1: np.uint8, 2: np.uint16}[int(state["features/code_bytes"][0])]
        found = state["tree0/leaves/codes"].view(code_type)
        values = block[:, 0].astype(np.float64)
        expected = np.where(np.isnan(values), 0, 1 + np.searchsorted(boundaries, values))
        assert found.tolist() == expected.tolist()


@quick(300)
@given(
    ends=st.lists(st.sampled_from(ENDS) | st.floats(-1e6, 1e6), min_size=2, max_size=2).map(sorted),
    n_bins=st.sampled_from([2, 3, 7, 64, 100, 1000]),
    seed=seeds,
)
def test_bins_are_found_as_by_bisection_for_any_range(
    ends: list[float], n_bins: int, seed: int
) -> None:
    check_bins(ends[0], ends[1], n_bins, seed)


@pytest.mark.long
@thorough(20_000)
@given(
    ends=st.lists(
        st.sampled_from(ENDS) | st.floats(allow_nan=False, allow_infinity=False),
        min_size=2,
        max_size=2,
    ).map(sorted),
    n_bins=st.integers(2, 300),
    seed=seeds,
)
def test_bins_are_found_as_by_bisection_for_many_ranges(
    ends: list[float], n_bins: int, seed: int
) -> None:
    check_bins(ends[0], ends[1], n_bins, seed)


@pytest.mark.parametrize("real", REALS)
@quick(25)
@given(stream=streams(n_numeric=(1, 4), n_rows=(300, 1000), numeric=("uniform", "heavy", "whole")))
def test_values_outside_the_range_are_predicted_as_its_ends(
    real: type[np.float32 | np.float64], stream: Stream
) -> None:
    core = grown(stream)
    X = stream.X[:100].copy()
    ends, outside = X.copy(), X.copy()
    for feature, is_nominal in enumerate(stream.nominal):
        boundaries = core.boundaries(feature)
        if is_nominal:
            codes = np.flatnonzero(X[:, feature] > 3)
            X[codes, feature] = ends[codes, feature] = outside[codes, feature] = -1.0
        elif boundaries is not None and len(boundaries):
            low = np.arange(len(X)) % 2 == 0
            # Up to the lowest boundary all is one bin, and so is all above the highest.
            above = np.nextafter(real(boundaries[-1]), real(np.inf))
            ends[:, feature] = np.where(low, around(boundaries[0], real)[0], above)
            outside[:, feature] = np.where(low, -1e30, 1e30)
    assert outputs(core, outside, real).tobytes() == outputs(core, ends, real).tobytes()
    assert_predicted_as_routed(core, outside, real)


@quick(10)
@given(stream=streams(n_numeric=(1, 3), n_nominal=(0, 0), numeric=("uniform",), n_rows=(300,)))
def test_values_outside_the_range_are_learned_as_its_ends(stream: Stream) -> None:
    clipped = np.clip(stream.X, -1.0, 1.0)
    given_ranges = stream.with_parameters(binning="uniform", feature_ranges=(-1.0, 1.0))
    wide, narrow = (given_ranges.estimator() for _ in range(2))
    wide.partial_fit(stream.X, stream.y, sample_weight=stream.w)
    narrow.partial_fit(clipped, stream.y, sample_weight=stream.w)
    state, expected = core_of(wide).state(), core_of(narrow).state()
    assert {name: a.tobytes() for name, a in state.items()} == {
        name: a.tobytes() for name, a in expected.items()
    }


# --------------------------------------------------------------------------------------------------
# Missing values
# --------------------------------------------------------------------------------------------------


def check_default_ways(stream: Stream) -> None:
    """Right after a split the children's cover is their weight in the rows that decided it."""
    empty = core_of(learned(stream.with_parameters(warm_up=10**6)))
    state = empty.state()
    # The rows themselves, as numbers: what waits in the warm-up.
    X = state["warm_up/x"].reshape(-1, empty.n_features)
    y, w = state["warm_up/y"], state["warm_up/w"]
    options = Options(warm_up=50, grace_period=20, delta=0.2, gamma=0.01, n_bins=16)
    core = type(empty)(options, stream.nominal)
    seen = 0
    for row in range(len(X)):
        if isinstance(core, ClassLearner):
            core.learn_one(X[row], int(y[row]), float(w[row]))
        else:
            core.learn_one(X[row], float(y[row]), float(w[row]))
        if core.n_splits == seen:
            continue
        just_one = core.n_splits == seen + 1
        seen = core.n_splits
        for tree in trees_of(core) if just_one else []:
            for node in tree.splits:
                children = tree.children[node]
                if tree.rows[children].any() or (tree.feature[children] >= 0).any():
                    continue  # it is an older one
                cover = tree.cover[children]
                assert tree.default_child[node] == children[int(np.argmax(cover))]
                x = tree.row_to(node, core.n_features)
                x[int(tree.feature[node])] = np.nan
                if node in tree.route(x):
                    assert tree.route(x)[-1] == tree.default_child[node]
                assert_predicted_as_routed(core, x[None, :], np.float64)


@quick(25)
@given(
    stream=streams(
        tasks=(*SCALAR_TASKS, "one tree of classes"),
        missing=(0.0,),
        numeric=("uniform", "whole"),
        n_rows=(300, 1000),
    )
)
def test_where_none_was_missing_a_missing_value_goes_the_way_of_the_greater_weight(
    stream: Stream,
) -> None:
    check_default_ways(stream)


@quick(25)
@given(stream=streams(missing=(0.5,), n_rows=(300, 1000), start="data"))
def test_rows_with_missing_values_are_predicted_as_routed(stream: Stream) -> None:
    core = grown(stream)
    random = np.random.default_rng(stream.n_rows)
    rows = [tree.row_to(node, core.n_features) for tree in trees_of(core) for node in tree.splits]
    X = np.array(rows)
    X[random.random(X.shape) < 0.5] = np.nan
    assert_predicted_as_routed(core, X, np.float64)


# --------------------------------------------------------------------------------------------------
# Categories that a split has not seen
# --------------------------------------------------------------------------------------------------


def check_unseen_categories(stream: Stream) -> None:
    core = grown(stream)
    tree = TreeView(core)
    options = Options(grace_period=10**6)
    for node in tree.nominal_splits[:10]:
        x = tree.row_to(node, core.n_features)
        feature = int(tree.feature[node])
        x[feature] = -1.0
        assert tree.route(x)[-1] == node
        assert_predicted_as_routed(core, x[None, :], np.float64)

        copy = LossLearner.from_state(options, core.state())
        new = x.copy()
        new[feature] = 1 + max(np.nanmax(stream.X[:, feature]), *tree.category[tree.children[node]])
        assert copy.predict_one(new) == tree.value[node]
        copy.learn_one(new, 1e6)
        after = TreeView(copy)
        leaf = after.route(new)[-1]
        assert leaf == len(tree.parent)
        assert (after.parent[leaf], after.rows[leaf]) == (node, 1)
        assert after.value[leaf] == tree.value[node] == copy.predict_one(new)
        assert copy.n_leaves == core.n_leaves + 1

        full = LossLearner.from_state(
            Options(grace_period=10**6, max_leaves=core.n_leaves), core.state()
        )
        full.learn_one(new, 1e6)
        assert full.n_leaves == core.n_leaves
        assert full.predict_one(new) == tree.value[node]


@quick(40)
@given(
    stream=streams(
        tasks=("regression",), n_nominal=(1, 3), n_rows=(300, 1000), max_leaves=None, start="data"
    )
)
def test_an_unseen_category_keeps_the_splits_value_and_gets_a_leaf_when_it_is_learned(
    stream: Stream,
) -> None:
    check_unseen_categories(stream)
