import numpy as np
import pytest
from scipy import sparse

from sgtrees.data.columns import Coded
from sgtrees.data.tables import read_table


def read(X):
    return read_table(X, "SGTClassifier")


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_contiguous_array_of_floats_is_not_copied(dtype, order):
    X = np.ones((3, 2), dtype=dtype, order=order)
    assert np.shares_memory(read(X).columns, X)


def test_a_read_only_array_is_not_copied_either():
    X = np.ones((3, 2))
    X.flags.writeable = False
    assert np.shares_memory(read(X).columns, X)


@pytest.mark.parametrize("X", [np.ones((6, 2))[::2], np.ones((3, 4), order="F")[:, ::2]])
def test_other_layouts_become_contiguous(X):
    columns = read(X).columns
    assert columns.flags.forc
    np.testing.assert_array_equal(columns, X)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.uint16, bool, np.float16])
def test_other_numbers_become_float64(dtype, order):
    columns = read(np.array([[0, 1], [1, 0]], dtype=dtype, order=order)).columns
    assert columns.dtype == np.float64
    assert columns.tolist() == [[0, 1], [1, 0]]


def test_lists_of_strings_and_numbers_keep_their_numbers():
    colour, size = read([["red", 1.5], ["blue", None]]).columns
    assert isinstance(colour, Coded)
    np.testing.assert_array_equal(size, [1.5, np.nan])


def test_arrays_of_strings_are_columns_of_codes():
    first, second = read(np.array([["a", "b"], ["a", "c"]])).columns
    assert first.values == ["a"]
    assert second.values == ["b", "c"]


def test_rows_can_be_taken_from_both_forms():
    rows = np.array([True, False, True])
    assert read(np.arange(6.0).reshape(3, 2)).take(rows).columns.tolist() == [[0, 1], [4, 5]]
    table = read([["a", 1], ["b", 2], ["a", 3]]).take(rows)
    assert table.n_rows == 2
    assert table.columns[0].codes.tolist() == [0, 0]
    assert table.columns[1].tolist() == [1, 3]


@pytest.mark.parametrize(
    ("X", "error", "message"),
    [
        (np.ones(3), ValueError, "Expected 2D array, got 1D array instead"),
        (np.ones((2, 2, 2)), ValueError, "Found array with dim 3"),
        (np.empty((0, 2)), ValueError, "0 sample"),
        (np.empty((2, 0)), ValueError, "0 feature"),
        (np.ones((2, 2)) * 1j, ValueError, "Complex data not supported"),
        (sparse.csr_array(np.eye(2)), TypeError, "Sparse data was passed"),
        (np.array([["2020-01-01"]], dtype="datetime64[D]"), TypeError, "dates and durations"),
        (np.array([[b"a"]]), TypeError, "give numbers or strings"),
        (np.array([[1, {}]], dtype=object), TypeError, "X, column 1, row 0: argument must be"),
    ],
)
def test_other_arrays_are_refused(X, error, message):
    with pytest.raises(error, match=message):
        read(X)
