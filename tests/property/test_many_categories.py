"""Columns of numbers with categories of all sizes, beside a dictionary."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sgtrees import _core

VALUES = st.one_of(
    st.integers(0, 40).map(float),
    st.sampled_from([0.0, -0.0, 0.5, -1.0, 1e300, float(2**53), float("nan")]),
)


@given(st.lists(st.lists(VALUES, max_size=60), max_size=6), st.booleans())
def test_numbers_are_those_of_a_dictionary(blocks, in_whole_columns):
    table = _core.KnownCategories()
    known: dict[float, int] = {}
    for block in blocks:
        column = np.array(block, dtype=np.float64)
        expected = [np.nan if math.isnan(v) else known.setdefault(v, len(known)) for v in block]
        first = len(table)
        if in_whole_columns:
            numbers, new = _core.number_categories(column, table, True)
            numbers = column if numbers is None else numbers
        else:
            numbers = np.empty(len(column))
            new = _core.encode_categories(column, table, numbers, True)
        np.testing.assert_array_equal(numbers, expected)
        assert new.tolist() == list(known)[first:]
        table.append(first, new)
        again = np.empty(len(column))
        assert len(_core.encode_categories(column, table, again, False)) == 0
        np.testing.assert_array_equal(again, expected)


def test_many_categories_come_in_any_blocks():
    values = np.random.default_rng(0).permutation(50_000).astype(np.float64)
    table = _core.KnownCategories()
    for begin in range(0, len(values), 7_001):
        table.append(begin, values[begin : begin + 7_001])
    numbers = np.empty(len(values))
    assert len(_core.encode_categories(values, table, numbers, False)) == 0
    np.testing.assert_array_equal(numbers, np.arange(len(values)))
