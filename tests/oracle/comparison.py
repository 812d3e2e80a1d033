"""Core and oracle learn the same stream: predictions and trees are compared."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from sgtrees._core import ClassLearner, LossLearner, LossSpec, Options
from tests.oracle.configurations import OF_CLASSES, OF_POSITIVE_TARGETS, Configuration
from tests.oracle.losses import LOSSES
from tests.oracle.oracle import OracleClassifier, OracleRegressor
from tests.oracle.vectors import OracleOfTargets, OracleVectorClassifier

Floats = NDArray[np.float64]
Core = ClassLearner | LossLearner
Oracle = OracleClassifier | OracleRegressor | OracleOfTargets

RELATIVE = 1e-9
FLOOR = 1e-12
ULPS = 64 * float(np.finfo(np.float64).eps)


def some_of(n: int) -> list[Any]:
    """Numbers of configurations; most of them are for long tests.

    Tasks, losses and settings come in turn, in periods that 7 has no part in.
    """
    return [
        number if number % 7 in (0, 2) else pytest.param(number, marks=pytest.mark.long)
        for number in range(n)
    ]


def three_of_seven(numbers: Iterable[int]) -> list[Any]:
    """More of them, for oracles that have fewer configurations."""
    return [
        number if number % 7 in (0, 2, 4) else pytest.param(number, marks=pytest.mark.long)
        for number in numbers
    ]


# --------------------------------------------------------------------------------------------------
# Running both
# --------------------------------------------------------------------------------------------------


def new_core(case: Configuration, n_threads: int = 1) -> Core:
    options = Options(**dataclasses.asdict(case.settings), n_threads=n_threads)
    ranges = None
    if case.ranges is not None:
        ranges = np.array([given or (math.nan, math.nan) for given in case.ranges])
    if case.task == "vector":
        return ClassLearner(options, case.nominal, ranges, vector_leaves=True)
    if case.is_classification:
        return ClassLearner(options, case.nominal, ranges)
    loss = LossSpec.built_in(case.loss, case.parameters)
    return LossLearner(options, case.nominal, ranges, loss, case.n_outputs)


class Oracles(NamedTuple):
    """The oracle's learners of each task."""

    classes: Callable[..., Oracle]
    vectors_of_classes: Callable[..., Oracle] | None
    targets: Callable[..., Oracle]
    numbers: Callable[..., Oracle]

    def of(self, case: Configuration) -> Oracle:
        if case.is_classification:
            make = self.vectors_of_classes if case.task == "vector" else self.classes
            assert make is not None
            return make(case.settings, case.nominal, case.ranges)
        losses = [LOSSES[case.loss](**case.parameters) for _ in range(case.n_outputs)]
        if case.task == "targets":
            return self.targets(case.settings, case.nominal, case.ranges, losses)
        return self.numbers(case.settings, case.nominal, case.ranges, losses[0])


new_oracle = Oracles(OracleClassifier, OracleVectorClassifier, OracleOfTargets, OracleRegressor).of


def padded(probabilities: list[float], n_classes: int) -> list[float]:
    return probabilities + [0.0] * (n_classes - len(probabilities))


def oracle_predictions(oracle: Oracle, X: Floats, n_outputs: int) -> Floats:
    if isinstance(oracle, OracleClassifier):
        return np.array([padded(oracle.predict_proba(x), n_outputs) for x in X])
    return np.array([np.atleast_1d(oracle.predict(x)) for x in X])


def test_then_train_with_the_oracle(oracle: Oracle, case: Configuration) -> Floats:
    predictions = np.zeros((len(case.y), case.n_outputs))
    for i in range(len(case.y)):
        predictions[i] = oracle_predictions(oracle, case.X[i : i + 1], case.n_outputs)[0]
        oracle.learn(case.X[i], case.y[i], 1.0 if case.w is None else float(case.w[i]))
    return predictions


test_then_train_with_the_oracle.__test__ = False  # type: ignore[attr-defined]


def learn_block(core: Core, X: Floats, y: Floats, w: Floats | None, n_outputs: int) -> Floats:
    """Test-then-train predictions of the core, one row each."""
    if isinstance(core, LossLearner):
        return core.learn_predict(X, y, w).reshape(len(y), n_outputs)
    return core.learn_predict_proba(X, y.astype(np.int32), w, n_outputs)


def learn_in_uneven_blocks(core: Core, case: Configuration) -> Floats:
    """Test-then-train predictions of the core, which must not depend on where the blocks end."""
    random = np.random.default_rng(len(case.y))
    parts = []
    begin = 0
    while begin < len(case.y):
        end = begin + int(random.choice([1, 7, 100, 1000]))
        w = None if case.w is None else case.w[begin:end]
        parts.append(learn_block(core, case.X[begin:end], case.y[begin:end], w, case.n_outputs))
        begin = end
    return np.concatenate(parts)


def core_predictions(core: Core, X: Floats, n_outputs: int) -> Floats:
    if isinstance(core, LossLearner):
        return core.predict(X).reshape(len(X), n_outputs)
    found = core.predict_proba(X)
    return np.hstack([found, np.zeros((len(found), n_outputs - found.shape[1]))])


# --------------------------------------------------------------------------------------------------
# Comparing
# --------------------------------------------------------------------------------------------------


def core_structure(core: Core, index: int) -> dict[str, Any]:
    """A tree of the core in the oracle's words (see ``oracle.describe``)."""
    tree: dict[str, Any] = dict(core.tree(index))
    children: dict[int, list[int]] = {}
    for node, parent in enumerate(tree["parent"].tolist()):
        children.setdefault(parent, []).append(node)

    def name(node: int) -> int | str:
        return "missing" if tree["is_missing_branch"][node] else int(tree["category"][node])

    def describe(node: int) -> dict[str, Any]:
        value, feature = tree["value"][node].tolist(), int(tree["feature"][node])
        default = int(tree["default_child"][node])
        if feature < 0:
            return {"value": value, "rows": int(tree["rows"][node])}
        if tree["is_nominal"][node]:
            return {
                "value": value,
                "feature": feature,
                "missing": name(default),
                "branches": {name(child): describe(child) for child in children[node]},
            }
        (left,) = (child for child in children[node] if tree["is_left"][child])
        (right,) = (child for child in children[node] if not tree["is_left"][child])
        return {
            "value": value,
            "feature": feature,
            "boundary": float(tree["threshold"][node]),
            "missing": "left" if default == left else "right",
            "left": describe(left),
            "right": describe(right),
        }

    return describe(0)


def spread_of(case: Configuration) -> Floats | None:
    """What 1e-9 is relative to in a regression: with targets about 1e9, not the 1e9.

    A number for each output; None for classes.
    """
    if case.is_classification:
        return None
    if case.loss in OF_CLASSES + OF_POSITIVE_TARGETS:
        return np.ones(case.n_outputs)  # logarithms of means and odds are their own measure
    return np.std(case.y.reshape(len(case.y), -1), axis=0)


def allowed(expected: Floats, spread: Floats | None) -> Floats:
    """The difference that two right computations may show."""
    if spread is None:
        return RELATIVE * np.abs(expected) + FLOOR
    return RELATIVE * spread + ULPS * np.abs(expected)


def values_differ(expected: Any, found: Any, spread: Floats | None) -> bool:
    ours, theirs = np.atleast_1d(expected), np.atleast_1d(found)
    if ours.shape != theirs.shape:
        return True
    return not bool(np.all(np.abs(ours - theirs) <= allowed(ours, spread)))


def kind(node: dict[str, Any]) -> str:
    if "feature" not in node:
        return "a leaf"
    if "branches" in node:
        return f"a nominal split on feature {node['feature']}"
    return f"a split on feature {node['feature']} at {node['boundary']!r}"


def first_difference(
    expected: dict[str, Any], found: dict[str, Any], spread: Floats | None, path: str = "root"
) -> str | None:
    """The first difference between the trees, in words; None if there is none."""
    if kind(expected) != kind(found):
        return f"at {path} the oracle has {kind(expected)}, the core {kind(found)}"
    if values_differ(expected["value"], found["value"], spread):
        values = f"{expected['value']!r}, the core {found['value']!r}"
        return f"at {path} ({kind(expected)}) the oracle's value is {values}"
    for what in ("rows", "missing"):
        if expected.get(what) != found.get(what):
            words = f"the oracle has {what} = {expected[what]}, the core {found.get(what)}"
            return f"at {path} ({kind(expected)}) {words}"
    if "branches" in expected:
        ours, theirs = expected["branches"], found["branches"]
        if set(ours) != set(theirs):
            names = f"{sorted(map(str, ours))}, the core {sorted(map(str, theirs))}"
            return f"at {path} ({kind(expected)}) the oracle has branches {names}"
    elif "left" in expected:
        ours, theirs = ({side: t[side] for side in ("left", "right")} for t in (expected, found))
    else:
        return None
    for branch, child in ours.items():
        below = f"{path} > feature {expected['feature']}: {branch}"
        difference = first_difference(child, theirs[branch], spread, below)
        if difference is not None:
            return difference
    return None


def difference_of_trees(oracle: Oracle, core: Core, spread: Floats | None) -> str | None:
    if len(oracle.trees) != core.n_trees:
        return f"the oracle has {len(oracle.trees)} trees, the core {core.n_trees}"
    for k in range(core.n_trees):
        difference = first_difference(oracle.structure(k), core_structure(core, k), spread)
        if difference is not None:
            return f"tree {k}: {difference}"
    return None


def where_they_part(case: Configuration) -> str:
    """Learn again row by row, compare after each change, and tell the first row that differs."""
    oracle, core = new_oracle(case), new_core(case)
    before: tuple[int, ...] = ()
    for i in range(len(case.y)):
        w = 1.0 if case.w is None else float(case.w[i])
        oracle.learn(case.X[i], case.y[i], w)
        one = slice(i, i + 1)
        learn_block(core, case.X[one], case.y[one], np.array([w]), case.n_outputs)
        if oracle.warming_up or core.warming_up:
            if oracle.warming_up != core.warming_up:
                return f"row {i}: one of the two has ended its warm-up"
            continue
        ours = (oracle.n_changes, sum(tree.n_leaves for tree in oracle.trees))
        now = (*ours, core.n_updates, core.n_splits, core.n_leaves, core.n_trees)
        if now != before:
            difference = difference_of_trees(oracle, core, spread_of(case))
            if difference is not None:
                return f"they part at row {i}: {difference}"
        before = now
    oracle.end_warm_up()
    core.end_warm_up()
    difference = difference_of_trees(oracle, core, spread_of(case))
    if difference is not None:
        return f"they part within the warm-up, which ended after the last row: {difference}"
    return "learned row by row they do not part"


def assert_same_predictions(
    case: Configuration, which: str, expected: Floats, found: Floats
) -> None:
    different = np.abs(expected - found) > allowed(expected, spread_of(case))
    different |= np.isnan(found)
    if different.any():
        i, k = np.argwhere(different)[0].tolist()
        numbers = f"the oracle {float(expected[i, k])!r}, the core {float(found[i, k])!r}"
        message = f"{case.name}: {which}, row {i}, output {k}: {numbers}"
        pytest.fail(f"{message}\n{where_they_part(case)}\n{case.settings}")


def assert_the_core_equals_the_oracle(case: Configuration) -> None:
    assert_this_core_equals_this_oracle(case, new_core(case), new_oracle(case))


def assert_this_core_equals_this_oracle(case: Configuration, core: Core, oracle: Oracle) -> None:
    """Both have learned nothing yet."""
    expected = test_then_train_with_the_oracle(oracle, case)
    found = learn_in_uneven_blocks(core, case)
    assert_same_predictions(case, "test-then-train prediction", expected, found)
    for moment in ("before the call that ends the warm-up", "after it"):
        assert core.warming_up == oracle.warming_up
        assert_same_predictions(
            case,
            f"prediction of the probes {moment}",
            oracle_predictions(oracle, case.probes, case.n_outputs),
            core_predictions(core, case.probes, case.n_outputs),
        )
        oracle.end_warm_up()
        core.end_warm_up()
    difference = difference_of_trees(oracle, core, spread_of(case))
    if difference is not None:
        message = f"{case.name} after the last row: {difference}"
        pytest.fail(f"{message}\n{where_they_part(case)}\n{case.settings}")
