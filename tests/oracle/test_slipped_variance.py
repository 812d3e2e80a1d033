"""The slip of the paper's programs, which the ablation of its experiments makes on purpose."""

from __future__ import annotations

import dataclasses

import pytest

from tests.oracle.configurations import configuration
from tests.oracle.test_core_equals_oracle import (
    assert_the_core_equals_the_oracle,
    new_oracle,
    test_then_train_with_the_oracle,
)

NUMBERS = range(0, 60, 5)


def slipped(number: int):
    case = configuration(number)
    settings = dataclasses.replace(case.settings, slipped_variance=True)
    return dataclasses.replace(case, settings=settings)


@pytest.mark.parametrize("number", NUMBERS)
def test_the_core_makes_the_slip_that_the_oracle_makes(number: int) -> None:
    assert_the_core_equals_the_oracle(slipped(number))


def test_the_slip_makes_the_test_stricter() -> None:
    def splits(case) -> int:
        oracle = new_oracle(case)
        test_then_train_with_the_oracle(oracle, case)
        oracle.end_warm_up()
        return sum(tree.n_splits for tree in oracle.trees)

    right = [splits(configuration(number)) for number in NUMBERS]
    wrong = [splits(slipped(number)) for number in NUMBERS]
    assert sum(wrong) < sum(right)
