"""Values and columns: kinds, missing values, codes."""

import numpy as np
import pandas as pd
import pytest

from sgtrees.data.columns import (
    MISSING,
    UNKNOWN,
    Coded,
    Kind,
    add_unknown,
    as_floats,
    code_objects,
    column_of_objects,
    is_missing,
    kind_of_type,
    plain,
    table_of,
)


@pytest.mark.parametrize("value", [None, float("nan"), np.nan, np.float32("nan"), pd.NA])
def test_none_nan_and_na_are_missing(value):
    assert is_missing(value)


@pytest.mark.parametrize("value", ["", "nan", 0, False, float("inf"), [], {}])
def test_other_values_are_not_missing(value):
    assert not is_missing(value)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("a", Kind.STRING),
        (np.str_("a"), Kind.STRING),
        (True, Kind.BOOLEAN),
        (np.bool_(True), Kind.BOOLEAN),
        (1, Kind.NUMBER),
        (np.uint8(1), Kind.NUMBER),
        (np.float32(1), Kind.NUMBER),
        (b"a", None),
        ([1], None),
        (1j, None),
    ],
)
def test_the_kind_of_values_follows_from_their_type(value, kind):
    assert kind_of_type(type(value)) is kind


def test_plain_values_are_of_pythons_own_types():
    values = [np.str_("a"), np.bool_(False), np.int64(3), np.float32(0.5)]
    assert [type(plain(value)) for value in values] == [str, bool, int, float]


def test_plain_refuses_other_objects():
    with pytest.raises(TypeError, match="must be a string or a number, got list"):
        plain([1])


def test_objects_are_coded_in_order_of_first_appearance():
    coded = code_objects(["b", "a", "b"], "y")
    assert coded.codes.tolist() == [0, 1, 0]
    assert coded.values == ["b", "a"]
    assert coded.kind is Kind.STRING


def test_missing_objects_have_the_code_minus_one_wherever_they_stand():
    coded = code_objects([None, "b", float("nan"), "a", None, "b"], "y")
    assert coded.codes.tolist() == [-1, 0, -1, 1, -1, 0]
    assert coded.values == ["b", "a"]


def test_objects_that_are_all_missing_have_no_kind():
    coded = code_objects([None, float("nan")], "y")
    assert coded.codes.tolist() == [-1, -1]
    assert coded.kind is None


def test_floats_and_integers_are_both_numbers():
    assert code_objects([1, 2.5, None], "y").kind is Kind.NUMBER


@pytest.mark.parametrize("values", [["a", 1], [True, 1], ["a", True], ["a", 1.5]])
def test_mixed_kinds_are_refused(values):
    with pytest.raises(TypeError, match="column 'c' mixes"):
        code_objects(values, "column 'c'")


@pytest.mark.parametrize("value", [{"a": 1}, [1], b"a", 1j, object()])
def test_objects_that_are_neither_strings_nor_numbers_are_refused_by_row(value):
    with pytest.raises(TypeError, match="column 'c', row 2: argument must be a string or a number"):
        code_objects(["a", "b", value], "column 'c'")


def test_columns_of_numbers_become_floats():
    column = column_of_objects([1, None, 2.5], "x")
    np.testing.assert_array_equal(column, [1, np.nan, 2.5])


def test_booleans_become_zero_and_one_as_floats():
    coded = Coded(np.array([1, -1, 0]), [False, True], Kind.BOOLEAN)
    np.testing.assert_array_equal(as_floats(coded), [1, np.nan, 0])


def test_a_table_finds_known_values_unknown_ones_and_missing_rows():
    coded = Coded(np.array([2, 0, -1]), ["a", "b", "c"], Kind.STRING)
    table = table_of(coded, {"c": 0, "x": 1})
    assert table[coded.codes].tolist() == [0, UNKNOWN, MISSING]


def test_a_table_over_a_range_of_integers_finds_the_known_ones():
    coded = Coded(np.array([0, 2, 1]), range(5, 8), Kind.NUMBER)
    assert table_of(coded, {7: 0, 100: 1, 5: 2}).tolist() == [2, UNKNOWN, 0, MISSING]


def test_new_values_are_numbered_in_order_of_first_appearance_and_only_where_they_occur():
    coded = Coded(np.array([3, -1, 1, 3, 0]), ["a", "b", "c", "d"], Kind.STRING)
    table = table_of(coded, {"a": 0})
    assert add_unknown(coded.codes, coded.values, table, 1) == ["d", "b"]
    assert table.tolist() == [0, 2, UNKNOWN, 1, MISSING]
