import numpy as np
import polars as pl
import pytest

from sgtrees.targets.outputs import (
    Columns,
    Outputs,
    is_several,
    read_columns,
    values_in_order,
)


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        (1.0, False),
        ("ab", False),
        (b"ab", False),
        (np.float64(1), False),
        (np.array(1.0), False),
        (None, False),
        ([1], True),
        ((1, 2), True),
        ({"a": 1}, True),
        ({"a"}, True),
        (np.ones(2), True),
    ],
)
def test_several_values_of_an_event_are_distinguished_from_one(y, expected):
    assert is_several(y) is expected


def test_booleans_and_missing_values_of_a_frame_are_read():
    frame = pl.DataFrame({"a": [True, None], "b": [1, None]})
    np.testing.assert_array_equal(read_columns(frame).values, [[1, 1], [np.nan, np.nan]])


def test_columns_go_by_name_where_both_have_names():
    columns = Columns(np.array([[1.0, 2.0]]), Outputs(2, ("b", "a")))
    assert columns.arranged(Outputs(2, ("a", "b"))).tolist() == [[2, 1]]
    assert columns.arranged(Outputs(2)).tolist() == [[1, 2]]
    nameless = Columns(columns.values, Outputs(2))
    assert nameless.arranged(Outputs(2, ("a", "b"))).tolist() == [[1, 2]]


def test_an_event_without_names_may_use_numbers():
    assert values_in_order({1: "b", 0: "a"}, Outputs(2))[0] == ["a", "b"]


@pytest.mark.parametrize(
    "value", [np.zeros(2), [1.0], 10**400, 10**5000, 1j, object(), "many"], ids=type
)
def test_what_is_no_number_is_named_with_its_place(value):
    y = np.zeros((3, 2), dtype=object)
    y[1, 1] = value
    with pytest.raises(ValueError, match=r"range of float64; it holds .* in row 1, col"):
        read_columns(y)
