"""Where a text file is cut into chunks has no meaning."""

import pytest

from sgtrees.streams import open_stream
from sgtrees.streams.files import chunks
from tests.unit.streams import same_data
from tests.unit.streams.same_data import rows_of


@pytest.fixture(scope="module")
def table():
    return same_data.table()


@pytest.mark.parametrize("chunk_bytes", [64, 1000, 3000])
@pytest.mark.parametrize("kind", ["csv", "csv.gz", "ndjson", "arff"])
def test_where_a_text_is_cut_means_nothing(tmp_path, table, kind, chunk_bytes, monkeypatch):
    path = same_data.write(table.slice(0, 200), tmp_path, kind)
    whole = rows_of(open_stream(path, "label", nominal=["colour"]))
    monkeypatch.setattr(chunks, "_CHUNK_BYTES", chunk_bytes)
    stream = open_stream(path, "label", nominal=["colour"])
    assert sum(1 for _ in stream) > 1
    assert rows_of(stream) == whole


def test_a_quoted_value_may_hold_ends_of_lines_even_where_a_chunk_ends(tmp_path, monkeypatch):
    text = 'note,size,t\n"one\ntwo ""2""",1,0\n5" pipe,2,1\n"a\n\nb",3,0\n' * 1
    path = tmp_path / "a.csv"
    path.write_text(text)
    expected = [('one\ntwo "2"', 1.0, 0.0), ('5" pipe', 2.0, 1.0), ("a\n\nb", 3.0, 0.0)]
    for chunk_bytes in range(8, 70):
        monkeypatch.setattr(chunks, "_CHUNK_BYTES", chunk_bytes)
        stream = open_stream(path, "t", nominal=["note"])
        assert rows_of(stream) == expected
