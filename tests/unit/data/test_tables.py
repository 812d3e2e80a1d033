"""X read into columns: arrays, lists and data frames."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from sgtrees.data.columns import Coded, Kind
from sgtrees.data.tables import has_columns, read_table


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


WORDS = ["b", None, "a", "b"]


def only_column(X):
    return read(X).column(0)


def rows_of(column):
    """Return a column's values, None where they are missing."""
    if isinstance(column, Coded):
        return [None if code < 0 else column.values[code] for code in column.codes.tolist()]
    return [None if np.isnan(value) else value for value in column.tolist()]


LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.fixture(params=LIBRARIES)
def frame(request):
    return LIBRARIES[request.param]


def test_names_are_read(frame):
    assert read(frame({"a": [1.0], "b": [2.0]})).names == ["a", "b"]


def test_strings_are_codes(frame):
    column = only_column(frame({"a": WORDS}))
    assert column.kind is Kind.STRING
    assert rows_of(column) == WORDS


def test_booleans_are_codes(frame):
    column = only_column(frame({"a": [True, False, True]}))
    assert column.kind is Kind.BOOLEAN
    assert rows_of(column) == [True, False, True]


def test_integers_are_floats(frame):
    assert rows_of(only_column(frame({"a": [1, 2, 3]}))) == [1.0, 2.0, 3.0]


def test_frames_of_floats_are_one_block_or_columns_that_need_no_copy(frame):
    X = frame({"a": [1.0, None], "b": [2.0, 3.0]})
    columns = read(X).columns
    if isinstance(X, pa.Table):
        columns = np.column_stack(columns)
    assert columns.flags.forc
    np.testing.assert_array_equal(columns, [[1, 2], [np.nan, 3]])


def test_frames_of_float32_stay_float32(frame):
    values = np.array([1, 2], dtype=np.float32)
    columns = read(frame({"a": values, "b": values})).columns
    assert {column.dtype for column in columns} == {np.dtype(np.float32)}


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.Categorical(WORDS, categories=["unused", "b", "a"])}),
        pd.DataFrame({"a": pd.Series(WORDS, dtype=object)}),
        pd.DataFrame({"a": pd.Series(WORDS, dtype="string")}),
        pd.DataFrame({"a": pd.Series(WORDS, dtype=pd.ArrowDtype(pa.string()))}),
        pl.DataFrame({"a": pl.Series(WORDS, dtype=pl.Categorical)}),
        pl.DataFrame({"a": pl.Series(WORDS, dtype=pl.Enum(["unused", "a", "b"]))}),
        pa.table({"a": pa.array(WORDS).dictionary_encode()}),
        pa.table({"a": pa.chunked_array([WORDS[:2], WORDS[2:]])}),
        pa.table(
            {
                "a": pa.chunked_array(
                    [pa.array(part).dictionary_encode() for part in (WORDS[:1], WORDS[1:])]
                )
            }
        ),
    ],
)
def test_all_ways_to_hold_strings_give_the_same_rows(X):
    column = only_column(X)
    assert column.kind is Kind.STRING
    assert rows_of(column) == WORDS


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.array([1, None, 3], dtype="Int64")}),
        pd.DataFrame({"a": pd.array([1, None, 3], dtype="Float64")}),
        pd.DataFrame({"a": pd.Series([1, None, 3], dtype=pd.ArrowDtype(pa.int64()))}),
        pd.DataFrame({"a": pd.Series([1, None, 3], dtype=object)}),
        pd.DataFrame({"a": pd.Series([1, pd.NA, 3], dtype=object)}),
        pl.DataFrame({"a": [1, None, 3]}),
        pl.DataFrame({"a": pl.Series([1, None, 3]).cast(pl.Decimal(10, 2))}),
        pa.table({"a": [1, None, 3]}),
    ],
)
def test_all_ways_to_hold_numbers_give_the_same_rows(X):
    assert rows_of(only_column(X)) == [1.0, None, 3.0]


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.array([True, None], dtype="boolean")}),
        pd.DataFrame({"a": pd.Series([True, None], dtype=object)}),
        pl.DataFrame({"a": [True, None]}),
        pa.table({"a": [True, None]}),
    ],
)
def test_booleans_may_be_missing(X):
    column = only_column(X)
    assert column.kind is Kind.BOOLEAN
    assert rows_of(column) == [True, None]


def test_categories_may_be_numbers():
    column = only_column(pd.DataFrame({"a": pd.Categorical([3, 1, 3])}))
    assert column.kind is Kind.NUMBER
    assert rows_of(column) == [3, 1, 3]


@pytest.mark.parametrize("X", [pl.DataFrame({"a": [None, None]}), pa.table({"a": pa.nulls(2)})])
def test_columns_of_nothing_are_missing_numbers(X):
    assert rows_of(only_column(X)) == [None, None]


def test_names_that_are_no_strings_count_as_none():
    assert read(pd.DataFrame(np.ones((2, 2)))).names is None


def test_names_of_mixed_types_are_refused():
    with pytest.raises(TypeError, match="all input features have string names"):
        read(pd.DataFrame({"a": [1.0], 7: [1.0]}))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1, 2]], "column 'a'"),
        ([{"x": 1}], "column 'a'"),
    ],
)
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_columns_of_other_types_are_refused_by_name(library, values, message):
    with pytest.raises(TypeError, match=message):
        read(LIBRARIES[library]({"a": values}))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pd.Series([{"x": 1}], dtype=object), "column 'a', row 0: argument must be a string"),
        (pd.Series(["x", 1], dtype=object), "column 'a' mixes"),
        (pd.Categorical([(1, 2)]), "column 'a' has categories that are not all"),
    ],
)
def test_pandas_columns_of_other_types_are_refused_by_name(values, message):
    with pytest.raises(TypeError, match=message):
        read(pd.DataFrame({"a": values}))


def test_dates_need_columns_with_names():
    with pytest.raises(TypeError, match=r"column 0 holds dates or times: .* columns that have nam"):
        read(pd.DataFrame({0: pd.to_datetime(["2020-01-01"])}))
    with pytest.raises(ValueError, match=r"'a.month' would be a part of it, but is a column too"):
        read(pd.DataFrame({"a": pd.to_datetime(["2020-01-01"]), "a.month": [1]}))


def test_empty_frames_are_refused(frame):
    with pytest.raises(ValueError, match="0 sample"):
        read(frame({"a": np.array([], dtype=float)}))


def test_lazy_frames_are_refused():
    with pytest.raises((TypeError, ValueError)):
        read(pl.LazyFrame({"a": [1.0]}))


@pytest.mark.parametrize(
    ("y", "expected"),
    [
        ([1, 2], False),
        ([], False),
        (["ab", "cd"], False),
        ([[1], [2]], False),
        ([[1, 2], [3, 4]], True),
        ([(1, 2), (3, 4)], True),
        ([{"a"}, {"a", "b"}], False),
        ([{"a", "b"}, {"a"}], True),
        (np.ones(3), False),
        (np.ones((3, 1)), False),
        (np.ones((3, 2)), True),
        (np.array(["a", "b"]), False),
        (pd.Series([1, 2]), False),
        (pd.DataFrame({"a": [1]}), False),
        (pd.DataFrame({"a": [1], "b": [2]}), True),
        (pl.Series(["a"]), False),
        (pl.DataFrame({"a": [1], "b": [2]}), True),
        (sparse.csr_array(np.eye(2)), True),
    ],
)
def test_columns_are_distinguished_from_single_values(y, expected):
    assert has_columns(y) is expected


@pytest.mark.parametrize("sign", ["int", "uint"])
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_whole_numbers_of_pyarrow_are_floats_of_any_width(sign, bits):
    kind = getattr(pa, f"{sign}{bits}")()
    column = pa.chunked_array([pa.array([1, None], kind), pa.array([100], kind)])
    (found,) = read(pa.table({"a": column})).columns
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [1.0, np.nan, 100.0])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary("int8", "string")])
def test_strings_of_pyarrow_of_any_type_are_the_same_codes(kind):
    (found,) = read(pa.table({"a": pa.array(["x", None, "y", "x"], kind)})).columns
    assert isinstance(found, Coded)
    assert [None if c < 0 else found.values[c] for c in found.codes] == ["x", None, "y", "x"]
