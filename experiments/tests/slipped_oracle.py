"""The core with the slip of the paper's programs against an oracle that makes it too.

test_slipped_variance.py runs this file with that core.
"""

import pytest

from tests.oracle.comparison import (
    assert_the_core_equals_the_oracle,
    new_oracle,
    test_then_train_with_the_oracle,
)
from tests.oracle.configurations import configuration
from tests.oracle.oracle import OracleTree, exact_sum

NUMBERS = range(0, 60, 5)


@pytest.fixture
def slip(monkeypatch):
    def squared_deviations(_, rows, loss):  # E(L^2) - E(L)
        return exact_sum(rows.w * loss**2) - exact_sum(rows.w * loss)

    monkeypatch.setattr(OracleTree, "squared_deviations", squared_deviations)


@pytest.mark.usefixtures("slip")
@pytest.mark.parametrize("number", NUMBERS)
def test_the_core_makes_the_slip_that_the_oracle_makes(number):
    assert_the_core_equals_the_oracle(configuration(number))


def splits():
    total = 0
    for number in NUMBERS:
        case = configuration(number)
        oracle = new_oracle(case)
        test_then_train_with_the_oracle(oracle, case)
        oracle.end_warm_up()
        total += sum(tree.n_splits for tree in oracle.trees)
    return total


def test_the_slip_makes_the_test_stricter(request):
    right = splits()
    request.getfixturevalue("slip")
    assert splits() < right
