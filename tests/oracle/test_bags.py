"""The core grows the oracle's trees from bags, and a block of bags is its bags one by one."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from sgtrees._core import BagLearner, Options
from tests.oracle.bags import (
    N_BAG_CONFIGURATIONS,
    BagConfiguration,
    Floats,
    OracleBags,
    bag_configuration,
    highest,
    soft_maximum,
)
from tests.oracle.comparison import allowed, core_structure, first_difference
from tests.oracle.oracle import Settings

numbers = pytest.mark.parametrize("number", range(N_BAG_CONFIGURATIONS))


def new_core(case: BagConfiguration) -> BagLearner:
    options = Options(**dataclasses.asdict(case.settings))
    ranges = None
    if case.ranges is not None:
        ranges = np.array([given or (math.nan, math.nan) for given in case.ranges])
    return BagLearner(options, case.nominal, ranges, case.sharpness)


def learn_in_blocks(core: BagLearner, case: BagConfiguration, lengths: tuple[int, ...]) -> None:
    """Learn so many bags at a time, the lengths taken in turn."""
    ends = np.cumsum(case.sizes)
    begin = turn = 0
    while begin < len(case.y):
        end = min(begin + lengths[turn % len(lengths)], len(case.y))
        turn += 1
        rows = slice(ends[begin] - case.sizes[begin], ends[end - 1])
        w = None if case.w is None else case.w[begin:end]
        sizes = np.array(case.sizes[begin:end], dtype=np.int64)
        core.learn(case.X[rows], sizes, case.y[begin:end], w)
        begin = end


def difference(case: BagConfiguration, oracle: OracleBags, core: BagLearner) -> str | None:
    if oracle.warming_up != core.warming_up:
        return "one of the two is still in its warm-up"
    expected = np.array([oracle.instance_score(x) for x in case.probes])
    found = core.score(case.probes)
    wrong = ~(np.abs(expected - found) <= allowed(expected, None))
    if wrong.any():
        i = int(wrong.argmax())
        return f"probe {i}: the oracle {expected[i]!r}, the core {found[i]!r}"
    if core.warming_up:
        return None
    return first_difference(oracle.structure(0), core_structure(core, 0), None)  # type: ignore[arg-type]


def where_they_part(case: BagConfiguration) -> str:
    oracle = OracleBags(case.settings, case.nominal, case.ranges, case.sharpness)
    core = new_core(case)
    for i, (rows, label, w) in enumerate(case.bags):
        oracle.learn_bag(rows, label, w)
        core.learn(rows, np.array([len(rows)]), np.array([label]), np.array([w]))
        text = difference(case, oracle, core)
        if text is not None:
            return f"they part at bag {i}: {text}"
    return "they do not part before the last bag"


@numbers
def test_the_core_grows_the_oracles_tree_from_random_bags(number: int) -> None:
    case = bag_configuration(number)
    oracle = OracleBags(case.settings, case.nominal, case.ranges, case.sharpness)
    core = new_core(case)
    for _ in range(2):
        for rows, label, w in case.bags:
            oracle.learn_bag(rows, label, w)
        learn_in_blocks(core, case, (1, 7, 100))
        text = difference(case, oracle, core)
        assert text is None, f"{case.name}: {text}\n{where_they_part(case)}\n{case.settings}"
        oracle.end_warm_up()
        core.end_warm_up()
    assert (core.n_updates, core.n_splits) == (oracle.trees[0].n_updates, oracle.trees[0].n_splits)


@numbers
def test_a_block_of_bags_is_its_bags_one_by_one_bit_for_bit(number: int) -> None:
    case = bag_configuration(number)
    states = []
    for lengths in ((1,), (3, 50), (len(case.y),)):
        core = new_core(case)
        learn_in_blocks(core, case, lengths)
        states.append(core.state())
    for other in states[1:]:
        assert states[0].keys() == other.keys()
        for name, values in states[0].items():
            np.testing.assert_array_equal(values, other[name], err_msg=name, strict=True)


def test_the_configurations_grow_trees_of_both_poolings() -> None:
    for parity in (0, 1):
        grown = []
        for number in range(parity, N_BAG_CONFIGURATIONS, 2):
            case = bag_configuration(number)
            core = new_core(case)
            learn_in_blocks(core, case, (100,))
            core.end_warm_up()
            grown.append(core.n_leaves)
        assert np.mean(np.array(grown) > 2) > 0.5


# ---- the oracle itself ---------------------------------------------------------------------------


def test_the_first_of_equal_instances_decides() -> None:
    assert highest([1.0, 3.0, 3.0]) == (3.0, [0.0, 1.0, 0.0])


@pytest.mark.parametrize("r", [0.3, 1.0, 4.0])
def test_shares_are_the_soft_maximums_derivatives(r: float) -> None:
    scores = [0.3, -1.2, 2.0, 0.3]
    _, shares = soft_maximum(scores, r)
    for i, share in enumerate(shares):
        up, down = list(scores), list(scores)
        up[i] += 1e-6
        down[i] -= 1e-6
        slope = (soft_maximum(up, r)[0] - soft_maximum(down, r)[0]) / 2e-6
        assert slope == pytest.approx(share, abs=1e-9)


def test_a_soft_maximum_lies_between_mean_and_maximum() -> None:
    scores = [0.0, 1.0, 4.0]
    soft = [soft_maximum(scores, r)[0] for r in (0.001, 1.0, 1000.0)]
    assert soft == sorted(soft)
    assert soft[0] == pytest.approx(np.mean(scores), abs=0.01)
    assert soft[-1] == pytest.approx(4.0, abs=0.01)


def test_a_leaf_that_became_due_within_a_bag_looks_after_its_last_instance() -> None:
    """With 3 rows a grace period and bags of 4 the root has 4 rows when it first looks."""
    settings = Settings(grace_period=3, delta=0.5, gamma=1e9, n_bins=2, start_from_data=False)
    oracle = OracleBags(settings, [False], [(0.0, 1.0)])
    bag: Floats = np.array([[0.1], [0.2], [0.8], [0.9]])
    oracle.learn_bag(bag, 1.0)
    # One of four instances has g = -1/2 and h = 1/4; lambda' is 0.1 for each of the four.
    assert oracle.trees[0].root.value == pytest.approx(0.5 / (0.25 + 0.4))
    assert oracle.trees[0].n_updates == 1
