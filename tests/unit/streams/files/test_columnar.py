"""Parquet files."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from sgtrees.streams import open_stream
from tests.unit.streams.same_data import read, rows_of


def test_numbers_in_parquet_declared_nominal_are_text_without_a_point(tmp_path):
    path = tmp_path / "a.parquet"
    frame = pa.table({"a": pa.array([1, 2], pa.int8()), "b": [1.0, 2.0], "t": [0, 1]})
    pa.parquet.write_table(frame, path)
    assert rows_of(open_stream(path, "t", nominal=["a", "b"])) == [("1", "1", 0), ("2", "2", 1)]


def test_invalid_rows_of_columnar_files_are_named_by_their_number(tmp_path):
    path = tmp_path / "a.parquet"
    pa.parquet.write_table(pa.table({"a": [1.0, np.inf, 3.0], "t": [1, 2, None]}), path)
    rows, error, _ = read(path)
    assert len(rows) == 1
    assert str(error).startswith(f"{path}, row 2, column 'a': the value is infinite")
    rows, _, skipped = read(path, on_error="skip")
    assert (len(rows), [fault.place for fault in skipped.faults]) == (1, [2, 3])


def first_column(path, values, **columns):
    pa.parquet.write_table(pa.table({"a": values, "t": [0.0] * len(values)}), path)
    (block,) = open_stream(path, "t", **columns)
    return block.X["a"].to_pylist()


def test_numbers_declared_as_times_may_be_nan(tmp_path):
    seconds = pa.array([1.5, np.nan, None])
    found = first_column(tmp_path / "a.parquet", seconds, time=["a"])
    assert found == [dt.datetime(1970, 1, 1, 0, 0, 1, 500_000), None, None]


def test_nan_is_no_category(tmp_path):
    found = first_column(tmp_path / "a.parquet", pa.array([1.0, np.nan, 2.0]), nominal=["a"])
    assert found == ["1", None, "2"]


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (dt.datetime(1970, 1, 2, 0, 0, 1), 86401.0),
        (dt.date(1970, 1, 2), 86400.0),
        (dt.time(1, 0, 0, 500_000), 3600.5),
        (dt.timedelta(hours=-1), -3600.0),
    ],
)
def test_times_declared_numeric_are_seconds(tmp_path, value, seconds):
    found = first_column(tmp_path / "a.parquet", pa.array([value, None]), numeric=["a"])
    assert found == [seconds, None]
