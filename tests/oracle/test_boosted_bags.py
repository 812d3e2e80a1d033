"""The core grows the oracle's trees where bags are learned by boosted members."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from sgtrees._core import BagLearner
from tests.oracle.bags import BagConfiguration, bag_configuration
from tests.oracle.boosted_bags import BoostedBags
from tests.oracle.comparison import allowed, core_structure, first_difference
from tests.oracle.ensembles import EnsembleSettings
from tests.oracle.test_bags import learn_in_blocks, new_core

numbers = pytest.mark.parametrize("number", range(0, 60, 2))


def boosted(number: int) -> BagConfiguration:
    case = bag_configuration(number)
    settings = EnsembleSettings(
        **dataclasses.asdict(case.settings),
        n_estimators=1 + number % 4,
        learning_rate=(0.2, 0.5, 1.0)[number % 3],
        mean_copies=(0.0, 1.0, 2.5)[number // 2 % 3],
        seed=number,
    )
    return dataclasses.replace(case, settings=settings)


def assert_equal(case: BagConfiguration, oracle: BoostedBags, core: BagLearner) -> None:
    expected = np.array([oracle.instance_score(x) for x in case.probes])
    assert (np.abs(expected - core.score(case.probes)) <= allowed(expected, None)).all()
    if core.warming_up:
        return
    assert core.n_members_in_use == len(oracle.trees) - oracle.race.ahead
    for tree in range(core.n_trees):
        text = first_difference(oracle.structure(tree), core_structure(core, tree), None)  # type: ignore[arg-type]
        assert text is None, f"tree {tree}: {text}"


@numbers
def test_the_core_grows_the_oracles_trees(number: int) -> None:
    case = boosted(number)
    oracle = BoostedBags(case.settings, case.nominal, case.ranges, case.sharpness)
    core = new_core(case)
    for _ in range(2):
        for rows, label, w in case.bags:
            oracle.learn_bag(rows, label, w)
        learn_in_blocks(core, case, (1, 7, 100))
        assert_equal(case, oracle, core)
        oracle.end_warm_up()
        core.end_warm_up()


@numbers
def test_a_block_of_bags_is_its_bags_one_by_one_bit_for_bit(number: int) -> None:
    case = boosted(number)
    states = []
    for lengths in ((1,), (3, 50), (len(case.y),)):
        core = new_core(case)
        learn_in_blocks(core, case, lengths)
        states.append(core.state())
    for other in states[1:]:
        for name, values in states[0].items():
            np.testing.assert_array_equal(values, other[name], err_msg=name, strict=True)
