"""Ranges of features that are given."""

import numpy as np
import pytest

from sgtrees.data.ranges import read_ranges
from sgtrees.data.schema import Categories, Feature, Schema

NAMED = Schema([Feature("a"), Feature("b"), Feature("c", Categories())])
EXPECTED = [[0, 1], [2, 3], [np.nan, np.nan]]


@pytest.mark.parametrize(
    "given",
    [
        {"a": (0, 1), "b": (2, 3)},
        {0: (0, 1), 1: [2, 3]},
        {"a": (0, 1), "b": (2, 3), "c": (4, 5)},
        [[0, 1], [2, 3], [np.nan, np.nan]],
        np.array([[0, 1], [2, 3], [4, 5]]),
    ],
)
def test_ranges_can_be_given_by_name_by_number_or_in_order(given):
    np.testing.assert_array_equal(read_ranges(given, NAMED), EXPECTED)


def test_the_warm_up_sets_the_ranges_that_are_not_given():
    expected = [[np.nan, np.nan], [2, 3], [np.nan, np.nan]]
    np.testing.assert_array_equal(read_ranges({"b": (2, 3)}, NAMED), expected)


def test_one_range_can_be_given_for_all():
    np.testing.assert_array_equal(read_ranges((0, 1), NAMED), [[0, 1], [0, 1], [np.nan, np.nan]])


def test_no_ranges_are_none():
    assert read_ranges(None, NAMED) is None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"z": (0, 1)}, "feature_ranges names 'z', which is not a feature"),
        ({3: (0, 1)}, "feature_ranges names 3, which is not a feature"),
        ({"a": (1, 0), "b": (0, 1)}, "column 'a' the range from 1.0 to 0.0"),
        ({"a": 1}, r"feature_ranges\['a'\] == 1, must be a pair"),
        ({"a": (0, np.inf)}, "must be a pair of finite numbers"),
        ([[0, 1], [np.nan, 3], [0, 1]], "column 'b' only one end of its range"),
        ([[0, 1]], r"an array of shape \(3, 2\)"),
        ("wide", "feature_ranges must be a dictionary"),
        (3, "feature_ranges must be a dictionary"),
    ],
)
def test_ranges_that_mean_nothing_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        read_ranges(given, NAMED)
