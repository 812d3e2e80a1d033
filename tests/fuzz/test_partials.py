"""Some damaged partial statistics in each run of the tests."""

import sys

import pytest

from tests.fuzz.command import run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="its memory can be bounded there")


def test_damaged_partial_statistics_are_refused_or_added():
    assert "500 damaged partial statistics" in run("partials", 500, 0)


@pytest.mark.long
def test_many_damaged_partial_statistics_are_refused_or_added():
    assert "100,000 damaged partial statistics" in run("partials", 100_000, 1_000_000)
