"""Ensembles learn the same rows to the same model, however these are cut, saved, or shared out."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sgtrees._core import ClassLearner, LossLearner, LossSpec, MergeError, Options
from tests.property.models import Core, State, TreeView, differing

Floats = NDArray[np.float64]

NOMINAL = [False, False, True]
QUICK = {
    "warm_up": 100,
    "grace_period": 20,
    "grace_growth": 0.5,
    "delta": 0.05,
    "kept_rows": 50,
    "following_rates": [0.3, 1.0],
    "replaces_on_drift": True,
    "adaptive_ranges": True,
    "n_estimators": 4,
    "learning_rate": 1.0,
    "mean_copies": 1.0,
    "seed": 5,
}
COMBINATIONS = ("boosting", "averaging", "choosing")
TASKS = ("binary", "classes", "vector", "number", "targets", "labels")

each = pytest.mark.parametrize(
    ("combination", "task"),
    [
        (combination, task)
        for combination in COMBINATIONS
        for task in TASKS
        if combination != "choosing" or task != "vector"  # those are not linear
    ],
)


class Stream:
    """Rows that change in the middle, and what it takes to learn them."""

    def __init__(
        self,
        combination: str,
        task: str,
        n_rows: int,
        number: int,
        weighted: bool = True,
        **more: Any,
    ) -> None:
        random = np.random.default_rng(number)
        self.task, self.n_rows = task, n_rows
        self.options = {**QUICK, "combination": combination, **more}
        self.X = np.column_stack([random.random((n_rows, 2)), random.integers(4, size=n_rows)])
        is_late = np.arange(n_rows) >= n_rows // 2
        signal = np.where(is_late, 3 * (self.X[:, 2] % 2) - self.X[:, 1], self.X[:, :2].sum(axis=1))
        signal += random.normal(0, 0.1, n_rows)
        self.X[random.random(n_rows) < 0.02, 0] = np.nan
        self.w = random.choice([0.0, 0.5, 1.0, 1.0], n_rows) if weighted else np.ones(n_rows)
        self.w[:2] = 1.0
        self.y: NDArray[Any] = signal
        if task == "targets":
            self.y = np.column_stack([signal, signal**2])
        elif task == "labels":
            self.y = np.column_stack([signal > 0.5, signal > 1.0]) * 1.0
        elif task != "number":
            cuts = [0.9] if task == "binary" else [0.6, 1.2, 2.5]
            self.y = in_order_of_appearance(np.digitize(signal, cuts), self.w)

    def loss(self) -> LossSpec:
        name = {"number": "squared_error", "targets": "absolute_error", "labels": "log_loss"}
        return LossSpec.built_in(name[self.task], {})

    @property
    def n_outputs(self) -> int:
        return self.y.shape[1] if self.y.ndim == 2 else 1

    def core(self, state: State | None = None, **more: Any) -> Core:
        options = Options(**{**self.options, **more})
        if self.task in ("binary", "classes", "vector"):
            is_vector = self.task == "vector"
            if state is None:
                return ClassLearner(options, NOMINAL, None, vector_leaves=is_vector)
            return ClassLearner.from_state(options, state, vector_leaves=is_vector)
        if state is None:
            return LossLearner(options, NOMINAL, None, self.loss(), self.n_outputs)
        return LossLearner.from_state(options, state, self.loss(), self.n_outputs)

    def learn(self, core: Core, begin: int = 0, end: int | None = None) -> Floats:
        """Test-then-train predictions, a row each."""
        rows = slice(begin, self.n_rows if end is None else end)
        if isinstance(core, LossLearner):
            found = core.learn_predict(self.X[rows], self.y[rows], self.w[rows])
            return found.reshape(-1, self.n_outputs)
        return core.learn_predict_proba(
            self.X[rows], self.y[rows], self.w[rows], int(self.y.max()) + 1
        )

    def learned(self, cuts: list[int] | None = None, **more: Any) -> tuple[Core, Floats]:
        core = self.core(**more)
        ends = [0, *(cuts or []), self.n_rows]
        return core, np.concatenate([self.learn(core, *part) for part in pairwise(ends)])

    def predictions(self, core: Core, begin: int = 0, end: int | None = None) -> Floats:
        X = self.X[begin:end]
        return core.predict(X) if isinstance(core, LossLearner) else core.predict_proba(X)


def in_order_of_appearance(classes: NDArray[Any], w: Floats) -> NDArray[np.int32]:
    """Numbers of classes; rows of weight 0 name none."""
    numbers: dict[int, int] = {}
    for k in classes[w > 0].tolist():
        numbers.setdefault(k, len(numbers))
    return np.array([numbers.get(k, 0) for k in classes.tolist()], dtype=np.int32)


def test_the_streams_let_members_be_replaced_and_begin_anew() -> None:
    """Otherwise the tests below would say little."""

    def kinds(combination: str) -> set[str]:
        cores = [Stream(combination, task, 2600, 1).learned()[0] for task in ("binary", "number")]
        return {event[0] for core in cores for event in core.drifts}

    assert kinds("averaging") >= {"alarm", "replaced"}
    assert kinds("choosing") >= {"alarm", "replaced"}
    assert kinds("boosting") == {"harm"}


def assert_same(stream: Stream, one: tuple[Core, Floats], other: tuple[Core, Floats]) -> None:
    """Every bit of what was learned, what was predicted, and what will be."""
    assert differing(one[0].state(), other[0].state()) == []
    assert np.array_equal(one[1], other[1])
    assert np.array_equal(stream.predictions(one[0]), stream.predictions(other[0]))


# --------------------------------------------------------------------------------------------------
# Blocks
# --------------------------------------------------------------------------------------------------


@each
def test_a_block_its_parts_and_its_rows_are_the_same(combination: str, task: str) -> None:
    stream = Stream(combination, task, 2600, 1)
    whole = stream.learned()
    assert_same(stream, whole, stream.learned([1, 99, 100, 101, 117, 1123, 1124, 2000]))
    assert_same(stream, whole, stream.learned(list(range(1, stream.n_rows))))


@pytest.mark.parametrize("combination", ["boosting", "averaging"])
@pytest.mark.parametrize("task", ["classes", "number"])
def test_rounds_of_a_block_its_parts_and_its_rows_are_the_same(combination: str, task: str) -> None:
    stream = Stream(combination, task, 1500, 2, round_rows=60)
    whole = stream.learned()
    assert_same(stream, whole, stream.learned([1, 99, 100, 101, 130, 777]))
    assert_same(stream, whole, stream.learned(list(range(1, stream.n_rows))))


@each
def test_a_single_row_is_predicted_as_one_of_a_block(combination: str, task: str) -> None:
    stream = Stream(combination, task, 1500, 3)
    core, _ = stream.learned()
    expected = stream.predictions(core)
    for row in range(0, stream.n_rows, 40):
        assert np.array_equal(stream.predictions(core, row, row + 1), expected[row : row + 1])


@each
def test_the_next_prediction_of_test_then_train_is_that_of_the_model(
    combination: str, task: str
) -> None:
    stream = Stream(combination, task, 1500, 3, weighted=False)
    core = stream.core()
    stream.learn(core, 0, 120)
    for begin in range(120, stream.n_rows, 60):
        expected = stream.predictions(core, begin, begin + 1).ravel()
        found = stream.learn(core, begin, begin + 60)[0, : len(expected)]
        np.testing.assert_allclose(found, expected, rtol=1e-12)


# --------------------------------------------------------------------------------------------------
# Saved models
# --------------------------------------------------------------------------------------------------


@each
@pytest.mark.parametrize("label_delay", [0, 30])
def test_it_goes_on_from_its_state_at_any_row(
    combination: str, task: str, label_delay: int
) -> None:
    stream = Stream(combination, task, 2200, 4, label_delay=label_delay)
    whole = stream.learned()
    core, parts = stream.core(), []
    moments = [0, 50, 99, 100, 101, 333, 1123, 1130, 1300, 1301, 1700, 2199, 2200]
    for begin, end in pairwise(moments):
        parts.append(stream.learn(core, begin, end))
        core = stream.core(core.state())
    assert_same(stream, whole, (core, np.concatenate(parts)))


@pytest.mark.parametrize("combination", ["boosting", "averaging"])
@pytest.mark.parametrize("task", ["classes", "number"])
def test_it_goes_on_from_its_state_within_a_round(combination: str, task: str) -> None:
    stream = Stream(combination, task, 1200, 5, round_rows=60)
    whole = stream.learned()
    core, parts = stream.core(), []
    for begin, end in pairwise([0, 50, 100, 130, 131, 777, 1200]):
        parts.append(stream.learn(core, begin, end))
        core = stream.core(core.state())
    assert_same(stream, whole, (core, np.concatenate(parts)))


@each
def test_a_state_to_predict_with_predicts_the_same(combination: str, task: str) -> None:
    stream = Stream(combination, task, 1500, 6)
    core, _ = stream.learned()
    expected = stream.predictions(core)
    loaded = stream.core(core.state(inference_only=True))
    assert loaded.inference_only
    assert np.array_equal(stream.predictions(loaded), expected)


# --------------------------------------------------------------------------------------------------
# Threads
# --------------------------------------------------------------------------------------------------


@each
def test_the_number_of_threads_changes_nothing(combination: str, task: str) -> None:
    """Threads are started for calls of at least 4,096 rows."""
    stream = Stream(combination, task, 9000, 7)
    one = stream.learned(n_threads=1)
    for n_threads in (2, 3):
        assert_same(stream, one, stream.learned(n_threads=n_threads))


@pytest.mark.parametrize("combination", ["boosting", "averaging"])
@pytest.mark.parametrize("task", ["classes", "number"])
def test_the_number_of_threads_changes_nothing_in_rounds(combination: str, task: str) -> None:
    stream = Stream(combination, task, 9000, 8, round_rows=500)
    one = stream.learned(n_threads=1)
    for n_threads in (2, 3):
        assert_same(stream, one, stream.learned(n_threads=n_threads))


@each
def test_a_limit_of_memory_is_shared_by_the_members(combination: str, task: str) -> None:
    """Each keeps within its part, on any number of threads."""
    free = Stream(combination, task, 9000, 9)
    limit = free.learned()[0].memory_bytes // 2
    stream = Stream(combination, task, 9000, 9, max_memory=limit)
    one = stream.learned(n_threads=1)
    assert one[0].memory_bytes <= 1.1 * limit
    assert_same(stream, one, stream.learned([1, 4500, 4501], n_threads=3))


# --------------------------------------------------------------------------------------------------
# What an ensemble is
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", TASKS)
def test_an_average_of_one_is_the_model_itself(task: str) -> None:
    stream = Stream("averaging", task, 2000, 10, n_estimators=1, mean_copies=0.0)
    alone = Stream("one", task, 2000, 10)
    core, predicted = stream.learned()
    other, expected = alone.learned()
    assert np.array_equal(predicted, expected)
    assert np.array_equal(stream.predictions(core), alone.predictions(other))
    assert core.drifts == other.drifts


@pytest.mark.parametrize("combination", ["boosting", "averaging"])
def test_a_seed_draws_other_copies_and_the_same_seed_the_same(combination: str) -> None:
    first, again, other = (
        Stream(combination, "number", 2000, 11, seed=seed).learned()[1] for seed in (1, 1, 2)
    )
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@each
def test_rows_of_weight_0_count_nowhere(combination: str, task: str) -> None:
    stream = Stream(combination, task, 2000, 12)
    with_zeros, _ = stream.learned()
    counted = stream.w > 0
    stream.X, stream.y, stream.w = stream.X[counted], stream.y[counted], stream.w[counted]
    stream.n_rows = int(counted.sum())
    assert differing(with_zeros.state(), stream.learned()[0].state()) == []


@pytest.mark.parametrize("combination", ["boosting", "averaging", "choosing"])
def test_weights_count_by_their_proportions(combination: str) -> None:
    stream = Stream(combination, "classes", 2000, 13)
    expected, _ = stream.learned()
    stream.w = 8 * stream.w
    found, _ = stream.learned()
    assert np.array_equal(stream.predictions(found), stream.predictions(expected))


def test_boosted_members_in_use_add_up_to_the_prediction() -> None:
    stream = Stream("boosting", "number", 2000, 14, learning_rate=0.5)
    core, _ = stream.learned()
    weights = [core.tree_shrinkage(m) for m in range(4)]
    n_used = 4 - weights.count(0.0)
    assert n_used >= 1
    assert weights == [0.5] * n_used + [0.0] * (4 - n_used)
    trees = [TreeView(core, m) for m in range(n_used)]
    sums = core.start()[0] + sum(0.5 * tree.predict(stream.X) for tree in trees)
    np.testing.assert_allclose(stream.predictions(core), sums, rtol=1e-12)


# --------------------------------------------------------------------------------------------------
# Merging
# --------------------------------------------------------------------------------------------------

SAME_CODES: list[list[int]] = [[] for _ in NOMINAL]


def copies_of(stream: Stream, n_base: int) -> tuple[Core, Core, Core]:
    """A model that has learned some rows, and two like it."""
    base = stream.core()
    stream.learn(base, 0, n_base)
    return base, stream.core(base.state()), stream.core(base.state())


@pytest.mark.parametrize("combination", ["boosting", "averaging"])
@pytest.mark.parametrize("task", TASKS)
def test_copies_are_merged_member_by_member(combination: str, task: str) -> None:
    stream = Stream(
        combination, task, 1200, 15, grace_period=10**6, mean_copies=0.0, replaces_on_drift=False
    )
    base, one, other = copies_of(stream, 700)
    stream.learn(one, 700, 900)
    stream.learn(other, 900, 1200)
    one.merge(other, SAME_CODES, base)
    whole, _ = stream.learned()
    assert one.n_rows == whole.n_rows
    for index in range(whole.n_trees):
        expected, found = whole.tree(index), one.tree(index)
        assert found["rows"].tolist() == expected["rows"].tolist()
        np.testing.assert_allclose(found["cover"], expected["cover"], rtol=1e-12)


def test_boosted_models_to_which_a_class_came_by_different_rows_are_not_merged() -> None:
    """All roots are 0: only where the sum begins is the class another one."""
    stream = Stream("boosting", "classes", 3000, 16, weighted=False, grace_period=10**6)
    new_class = int(stream.y[:700].max()) + 1
    stream.y = np.minimum(stream.y, new_class - 1)
    stream.y[[750, 1000]] = new_class
    _, one, other = copies_of(stream, 700)
    stream.learn(one, 700, 900)
    stream.learn(other, 900, 1200)
    assert one.start().tolist() != other.start().tolist()
    with pytest.raises(MergeError):
        one.merge(other, SAME_CODES)


# --------------------------------------------------------------------------------------------------
# Leaves by the number of classes
# --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("combination", ["one", "boosting", "averaging"])
@pytest.mark.parametrize(("n_classes", "is_vector"), [(1, False), (2, False), (3, True)])
def test_leaves_hold_vectors_if_the_warm_up_has_seen_more_than_two_classes(
    combination: str, n_classes: int, is_vector: bool
) -> None:
    """A class that comes later changes nothing about that; nor does it matter when one is saved."""
    stream = Stream(combination, "classes", 900, 17, weighted=False)
    stream.y[:100] %= n_classes
    stream.y[:n_classes] = range(n_classes)
    stream.y[100:] %= 4
    stream.y[150:154] = range(4)
    stream.y[100:150] %= n_classes
    options = Options(**stream.options)
    core = ClassLearner(options, NOMINAL, None, vector_leaves=None)
    expected = ClassLearner(options, NOMINAL, None, vector_leaves=is_vector)
    for begin, end in pairwise([0, 50, 99, 100, 400, 900]):
        found = stream.learn(core, begin, end)
        assert np.array_equal(found, stream.learn(expected, begin, end))
        core = ClassLearner.from_state(options, core.state(), vector_leaves=None)
    assert core.has_vector_leaves == is_vector
    assert differing(core.state(), expected.state()) == []
