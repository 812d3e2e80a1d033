"""What the core counts, and what it checks in an archive, each where a mistake would be silent."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sgtrees import SGTClassifier, SGTForestClassifier, SGTRegressor
from sgtrees._core import LossLearner, LossSpec, Options
from tests.fingerprint import fingerprint

State = dict[str, NDArray[Any]]
QUICK: dict[str, Any] = {"warm_up": 50, "grace_period": 20, "delta": 0.1, "gamma": 0.0}


def state_of(model: Any, *, inference_only: bool = False) -> State:
    return dict(model._model.core.state(inference_only))


# ---- rows of weight 0 ----------------------------------------------------------------------------


def three_classes(n_rows: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """A third class comes late, and most rows are predicted with certainty by its tree."""
    random = np.random.default_rng(0)
    X = random.random((n_rows, 3))
    y = np.where(X[:, 0] < 0.5, "a", "b")
    late = np.arange(n_rows) > n_rows * 0.7
    y[late & (X[:, 1] < 0.1)] = "c"
    return X, y


def test_rows_without_weight_before_a_third_class_leave_the_draws_of_thinning_alone() -> None:
    X, y = three_classes(4000)
    w = np.ones(len(X))
    w[5::3] = 0
    with_zeros = SGTClassifier(multiclass="committee", **QUICK)
    with_zeros.partial_fit(X, y, sample_weight=w)
    without = SGTClassifier(multiclass="committee", **QUICK)
    without.partial_fit(X[w > 0], y[w > 0], sample_weight=w[w > 0])
    assert fingerprint(with_zeros) == fingerprint(without)
    every_row = SGTClassifier(multiclass="committee", thinning=False, **QUICK)
    every_row.partial_fit(X[w > 0], y[w > 0])
    assert fingerprint(every_row) != fingerprint(without)  # some rows were thinned


@pytest.mark.parametrize("round_rows", [37, "auto"])
@pytest.mark.parametrize("n_blocks", [1, 7])
def test_rounds_do_not_count_rows_without_weight(round_rows: Any, n_blocks: int) -> None:
    random = np.random.default_rng(1)
    X = random.random((9000, 2))
    y = (X[:, 0] > 0.5) + random.normal(size=len(X)) * 0.1
    w = np.ones(len(X))
    w[3::4] = 0
    settings = {**QUICK, "round_rows": round_rows, "kept_rows": 20, "adaptive_ranges": False}
    with_zeros, without = SGTRegressor(**settings), SGTRegressor(**settings)
    for part in np.array_split(np.arange(len(X)), n_blocks):
        kept = part[w[part] > 0]
        with_zeros.partial_fit(X[part], y[part], sample_weight=w[part])
        without.partial_fit(X[kept], y[kept], sample_weight=w[kept])
    assert fingerprint(with_zeros) == fingerprint(without)


def test_rows_without_weight_are_in_no_block_of_a_round() -> None:
    """A round of two blocks, of which one is whole when the model is saved."""
    random = np.random.default_rng(4)
    X = random.random((45_000, 1))
    y, w = X[:, 0] + random.normal(size=len(X)), (np.arange(len(X)) % 3 > 0).astype(float)
    settings = {**QUICK, "round_rows": 40_000, "kept_rows": 20, "adaptive_ranges": False}
    with_zeros = SGTRegressor(**settings).partial_fit(X, y, sample_weight=w)
    without = SGTRegressor(**settings)
    without.partial_fit(X[w > 0], y[w > 0], sample_weight=w[w > 0])
    assert fingerprint(with_zeros) == fingerprint(without)
    assert fingerprint(pickle.loads(pickle.dumps(with_zeros))) == fingerprint(without)


@pytest.mark.parametrize(
    "make",
    [
        lambda: SGTClassifier(multiclass="committee", round_rows=500, **QUICK),
        lambda: SGTForestClassifier(n_estimators=3, random_state=0, round_rows=500, **QUICK),
    ],
    ids=["thinning", "copies"],
)
def test_draws_in_a_block_of_a_round_do_not_count_rows_without_weight(make: Any) -> None:
    X, y = three_classes(6000)
    w = np.ones(len(X))
    w[5::3] = 0
    with_zeros = make().partial_fit(X, y, sample_weight=w)
    without = make().partial_fit(X[w > 0], y[w > 0], sample_weight=w[w > 0])
    assert fingerprint(with_zeros) == fingerprint(without)


# ---- covers --------------------------------------------------------------------------------------


def test_a_split_hands_its_whole_cover_down_copies_of_thinned_rows_too() -> None:
    X, y = three_classes(6000)
    model = SGTClassifier(multiclass="committee", **QUICK | {"kept_rows": 200})
    first = int(np.argmax(y == "c"))
    model.partial_fit(X[:first], y[:first])
    for row in range(first, len(X)):
        model.partial_fit(X[row : row + 1], y[row : row + 1])
        if len(state_of(model)["tree1/nodes/cover"]) > 1:
            break
    state = state_of(model)
    assert state["tree1/counters"][1:].tolist() == [0, 1]  # one split, and no change before
    covers = state_of(model, inference_only=True)["tree1/nodes/cover"]
    assert covers[1] + covers[2] == pytest.approx(covers[0], rel=1e-12)
    assert covers[0] > state["tree1/counters"][0]  # some rows count as 8


# ---- memory --------------------------------------------------------------------------------------


def test_when_cells_are_dropped_memory_falls_an_eighth_below_the_limit() -> None:
    """By many leaves at once: those of a leaf are a small part of the limit."""
    random = np.random.default_rng(2)
    X = random.random((3000, 10))
    y = 10.0 * (X > 0.5) @ (2.0 ** np.arange(10)) + 30 * random.normal(size=len(X))
    limit, falls = 60_000, []
    options = Options(max_memory=limit, warm_up=50, grace_period=25, gamma=0.0, delta=0.2, n_bins=6)
    core = LossLearner(options, [False] * 10)
    fixed = before = core.memory_bytes
    for row in range(len(X)):
        core.learn(X[row : row + 1], y[row : row + 1])
        now = core.memory_bytes
        if before - now > limit / 10:
            falls.append(now)
        before = now
    assert falls
    assert max(falls) <= limit - limit / 8 + fixed


# ---- new categories ------------------------------------------------------------------------------


def colours(n_rows: int, n_categories: int = 3) -> tuple[NDArray[Any], NDArray[Any]]:
    random = np.random.default_rng(3)
    X = random.integers(0, n_categories, (n_rows, 1)).astype(float)
    return X, 10 * X[:, 0] + random.normal(size=n_rows)


def test_the_leaf_of_a_new_category_is_as_old_as_the_row_that_brings_it() -> None:
    X, y = colours(1000)
    model = SGTRegressor(categorical_features=[0], **QUICK).partial_fit(X, y)
    before = state_of(model)
    assert before["tree0/nodes/feature"][0] == 0
    model.partial_fit([[7.0]], [3.0])
    after = state_of(model)
    assert len(after["tree0/nodes/since"]) == len(before["tree0/nodes/since"]) + 1
    assert after["tree0/nodes/since"][-1] == before["tree0/counters"][0] == 1000


# ---- archives ------------------------------------------------------------------------------------


def learner_of(state: State) -> LossLearner:
    options = Options(warm_up=50, grace_period=20, gamma=0.0, delta=0.1)
    return LossLearner.from_state(options, state, LossSpec.built_in("squared_error", {}), 1)


def nominal_state() -> State:
    X, y = colours(1000)
    options = Options(warm_up=50, grace_period=20, gamma=0.0, delta=0.1)
    core = LossLearner(options, [True], None, LossSpec.built_in("squared_error", {}), 1)
    core.learn(X, y)
    return {**core.state(), "features/categories": np.array([3])}


def test_a_split_by_a_category_that_does_not_exist_is_refused() -> None:
    state = nominal_state()
    learner_of(state)
    branches = state["tree0/nodes/branch"]
    assert sorted(branches[1:4].tolist()) == [1, 2, 3]
    for wrong in (4, 99, 2**31):
        damaged = branches.copy()
        damaged[2] = wrong
        with pytest.raises(ValueError, match="is a category that does not exist"):
            learner_of({**state, "tree0/nodes/branch": damaged})


def test_a_split_that_repeats_a_category_is_refused() -> None:
    state = nominal_state()
    damaged = state["tree0/nodes/branch"].copy()
    damaged[2] = damaged[1]
    with pytest.raises(ValueError, match="repeats a category"):
        learner_of({**state, "tree0/nodes/branch": damaged})


def test_a_boundary_of_minus_zero_is_loaded_as_it_was_saved() -> None:
    """Also where it is equal to a boundary of bins of one width."""
    options = Options(warm_up=3, n_bins=4)
    core = LossLearner(options, [False], None, LossSpec.built_in("squared_error", {}), 1)
    core.learn(np.array([[-1.0], [1.0], [0.5]]), np.arange(3.0))
    state = dict(core.state())
    boundaries = state["features/boundaries"].copy()
    assert boundaries.tolist() == [-0.5, 0.0, 0.5]
    boundaries[1] = -0.0
    loss = LossSpec.built_in("squared_error", {})
    loaded = LossLearner.from_state(options, {**state, "features/boundaries": boundaries}, loss, 1)
    assert loaded.state()["features/boundaries"].tobytes() == boundaries.tobytes()
