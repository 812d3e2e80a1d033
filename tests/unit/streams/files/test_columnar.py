"""Parquet files."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet

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
