"""Models that part and are merged again have gathered what one of them would have."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from sgtrees import SGTForestClassifier, SGTForestRegressor
from tests.learners import ENSEMBLES, LEARNERS, Learner, Stream, ensemble, stream
from tests.property.models import assert_same_models, core_of
from tests.property.strategies import quick, seeds, thorough

# How often a member learns a row is drawn by the row's number, which differs in the second half;
# and members of boosting learn at scores that follow. Otherwise the members of a forest are merged
# as single trees are.
MERGEABLE = (
    *(
        learner
        for learner in LEARNERS
        if learner not in ENSEMBLES and learner.name != "bags, boosting"
    ),
    Learner("forest, vector leaves", ensemble(SGTForestClassifier, poisson_mean=0.0), "class"),
    Learner("forest, squared error", ensemble(SGTForestRegressor, poisson_mean=0.0)),
)
N_ROWS = 550
# Rows from 400 on come when no leaf looks for a change any more.
GROWN = 400
# Integers of each leaf in `leaves/integers`, before those about the rows that it keeps, if it may,
# and the numbers of categories. Two are no statistics: the room in the buffer, and how many of its
# places lie before the rows that are kept.
PER_LEAF, ROOM, OLDEST = 5, 4, 6


def without_attempts(model: Any) -> Any:
    """The same model, whose leaves learn every row and consider no change any more."""
    again = copy.deepcopy(model)
    again._model.options["grace_period"] = 1_000_000
    # Rows that a tree is sure of are drawn by their number, which differs in the second half.
    again._model.options["thinning"] = False
    again._model.__setstate__(again._model.__getstate__())
    return again


def grown(learner: Learner, seed: int, weighted: bool) -> tuple[Any, Stream]:
    """A model after its first rows, and a stream from which on its trees stay as they are.

    A row with a category that a split has not seen would get a leaf of its own, and one of a new
    class a tree.
    """
    rows = stream(N_ROWS, seed, weighted=weighted)
    base = without_attempts(learner.learn(learner.make(), rows, 0, GROWN))
    kept = list(range(GROWN))
    probe = copy.deepcopy(base)
    for row in range(GROWN, N_ROWS):
        if learner.learn(probe, rows, row, row + 1).n_nodes_ == base.n_nodes_:
            kept.append(row)
        else:
            probe = copy.deepcopy(base)
    return base, rows.only(kept)


def statistics(model: Any) -> list[dict[str, NDArray[Any]]]:
    """What the leaves of each tree have gathered, no rows waiting."""
    twin = copy.deepcopy(model)
    core_of(twin).add_features([])  # adds nothing, and empties the buffers
    state = core_of(twin).state()
    n_nominal = int(state["features/nominal"].sum())
    keeps = model._model.options["kept_rows"] > 0
    per_leaf = PER_LEAF + 2 * keeps + n_nominal
    of_the_buffer = [ROOM, OLDEST] if keeps else [ROOM]
    trees = []
    # Of single trees "tree0", of members "member0/tree0".
    places = sorted({name.rpartition("/nodes/")[0] for name in state if "/nodes/" in name})
    for place in places:
        arrays = {
            k.removeprefix(f"{place}/"): v for k, v in state.items() if k.startswith(f"{place}/")
        }
        integers = arrays["leaves/integers"].reshape(-1, per_leaf)
        arrays["leaves/integers"] = np.delete(integers, of_the_buffer, axis=1)
        # How far leaves are ahead of their values is no statistic: a merge starts it anew.
        arrays = {k: v for k, v in arrays.items() if not k.startswith("offsets/")}
        trees.append(arrays)
    return trees


def assert_same_statistics(merged: Any, whole: Any, *, exactly: bool) -> None:
    for mine, theirs in zip(statistics(merged), statistics(whole), strict=True):
        for name, array in theirs.items():
            if array.dtype.kind == "f" and not exactly:
                scale = np.abs(array).max(initial=1.0)
                np.testing.assert_allclose(mine[name], array, rtol=1e-9, atol=1e-9 * scale)
            else:
                np.testing.assert_array_equal(mine[name], array, err_msg=name)
    assert core_of(merged).n_rows == core_of(whole).n_rows


def check_halves(learner: Learner, seed: int, weighted: bool, at: list[float]) -> None:
    base, rows = grown(learner, seed, weighted)
    begin, middle, end = (GROWN + int(part * (rows.n_rows - GROWN)) for part in sorted(at))
    learner.learn(base, rows, GROWN, begin)
    here, there, whole = (copy.deepcopy(base) for _ in range(3))
    learner.learn(here, rows, begin, middle)
    learner.learn(there, rows, middle, end)
    # Bags are cut where blocks end.
    learner.learn(learner.learn(whole, rows, begin, middle), rows, middle, end)
    there_before = copy.deepcopy(there)
    assert here.merge(there, base) is here
    # Rows are counted by class, which rounds nothing.
    assert_same_statistics(here, whole, exactly=learner.name == "two classes" and not weighted)
    assert_same_models(there, there_before)


three_places = st.lists(st.floats(0, 1), min_size=3, max_size=3)


@pytest.mark.parametrize("learner", MERGEABLE, ids=str)
@quick(3)
@given(seed=seeds, weighted=st.booleans(), at=three_places)
def test_halves_of_a_stretch_merged_are_the_whole(
    learner: Learner, seed: int, weighted: bool, at: list[float]
) -> None:
    check_halves(learner, seed, weighted, at)


@pytest.mark.long
@pytest.mark.parametrize("learner", MERGEABLE, ids=str)
@thorough(150)
@given(seed=seeds, weighted=st.booleans(), at=three_places)
def test_halves_of_many_stretches_merged_are_the_whole(
    learner: Learner, seed: int, weighted: bool, at: list[float]
) -> None:
    check_halves(learner, seed, weighted, at)
