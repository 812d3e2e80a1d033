"""Compressed files and standard input."""

import gzip
import io
import sys

import pytest

from sgtrees.streams import StreamError, open_stream
from sgtrees.streams.files import chunks
from tests.unit.streams import same_data
from tests.unit.streams.same_data import read, rows_of


@pytest.fixture(scope="module")
def table():
    return same_data.table()


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "ndjson", "arff", "arrows"])
def test_the_format_of_standard_input_is_found_from_its_first_bytes(
    tmp_path, table, kind, monkeypatch
):
    path = same_data.write(table, tmp_path, kind)
    expected = rows_of(open_stream(path, "label"))
    standard_input = io.TextIOWrapper(io.BytesIO(path.read_bytes()))
    monkeypatch.setattr(sys, "stdin", standard_input)
    stream = open_stream("-", "label")
    assert rows_of(stream) == expected
    with pytest.raises(StreamError, match="only once"):
        list(stream)


@pytest.mark.parametrize("kind", ["csv", "ndjson", "arff"])
def test_a_truncated_compressed_file_raises_after_its_rows(tmp_path, kind, monkeypatch):
    text = same_data.text_of(same_data.table(20_000), kind)
    path = tmp_path / f"a.{kind}.gz"
    compressed = gzip.compress(text.encode())
    path.write_bytes(compressed[: len(compressed) // 2])
    monkeypatch.setattr(chunks, "_CHUNK_BYTES", 20_000)
    rows, error, _ = read(path, "label")
    assert len(rows) > 5000
    assert "is truncated" in str(error)
