"""The same table in every library's clothes gives the same columns."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sgtrees.data.columns import Coded
from sgtrees.data.tables import read_table
from sgtrees.data.values import Kind

WORDS = ["b", None, "a", "b"]


def read(X):
    return read_table(X, "SGTClassifier")


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
        ([dt.date(2020, 1, 1)], "column 'a'.*dates and durations"),
        ([dt.datetime(2020, 1, 1)], "column 'a'.*dates and durations"),
        ([dt.timedelta(1)], "column 'a'.*dates and durations"),
        ([[1, 2]], "column 'a'"),
    ],
)
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_columns_of_other_types_are_refused_by_name(library, values, message):
    with pytest.raises(TypeError, match=message):
        read(LIBRARIES[library]({"a": values}))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (pd.to_datetime(["2020-01-01"]), "column 'a'.*dates and durations"),
        (pd.Series([{"x": 1}], dtype=object), "column 'a', row 0: argument must be a string"),
        (pd.Series(["x", 1], dtype=object), "column 'a' mixes"),
        (pd.Categorical([(1, 2)]), "column 'a' has categories that are not all"),
    ],
)
def test_pandas_columns_of_other_types_are_refused_by_name(values, message):
    with pytest.raises(TypeError, match=message):
        read(pd.DataFrame({"a": values}))


def test_empty_frames_are_refused(frame):
    with pytest.raises(ValueError, match="0 sample"):
        read(frame({"a": np.array([], dtype=float)}))


def test_lazy_frames_are_refused():
    with pytest.raises((TypeError, ValueError)):
        read(pl.LazyFrame({"a": [1.0]}))
