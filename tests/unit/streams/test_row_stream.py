"""Dictionaries as streams."""

import pytest
from river import datasets

from sgtrees.streams import StreamError, open_stream
from tests.unit.streams.same_data import read


def test_rows_of_an_iterator_become_blocks():
    rows = [{"a": i, "b": "x" if i % 2 else "y", "t": i % 3 == 0} for i in range(3000)]
    for source in (rows, (row for row in rows)):
        stream = open_stream(source, "t")
        assert [(c.name, c.nominal) for c in stream.columns] == [("a", False), ("b", True)]
        assert [len(block) for block in stream] == [1024, 1024, 952]
    with pytest.raises(StreamError, match="only once"):
        list(stream)


def test_pairs_as_river_yields_them_are_rows():
    stream = open_stream(datasets.Phishing())
    assert len(stream.columns) == 9
    assert sum(len(block) for block in stream) == 1250
    assert stream.target.nominal  # booleans


def test_invalid_rows_of_an_iterator_are_named_by_their_number():
    rows = [{"a": 1.0, "t": 0}] * 1500 + [{"a": "x", "t": 0}] + [{"a": 2.0, "t": 1}]
    read_rows, error, _ = read(rows)
    assert len(read_rows) == 1500
    assert "the iterator, row 1501" in str(error)
    assert len(read(rows, on_error="skip")[0]) == 1501
    rows = [{"a": 1.0, "t": 0}] * 1500 + [{"a": 1.0, "new": 1, "t": 0}]
    assert "the feature 'new' is new" in str(read(rows)[1])
