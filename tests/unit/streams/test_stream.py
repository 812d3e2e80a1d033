"""Methods of every stream."""

from itertools import pairwise

import numpy as np

from sgtrees.streams import Block, Sea, open_stream


def numbered(sizes, make=lambda rows: np.array(rows, dtype=float).reshape(-1, 1)):
    """A stream of the rows 0, 1, 2, ... in blocks of these sizes."""
    ends = np.cumsum([0, *sizes])
    blocks = [
        Block(make(list(range(a, b))), np.arange(a, b), np.arange(a, b) + 0.5)
        for a, b in pairwise(ends)
    ]
    return open_stream(blocks)


def rows_of(stream):
    return [int(label) for block in stream for label in block.y]


def test_head_and_skip_cut_anywhere():
    stream = numbered([3, 1, 5, 2])
    for n in range(13):
        assert rows_of(stream.head(n)) == list(range(min(n, 11)))
        assert rows_of(stream.skip(n)) == list(range(n, 11))
    for block in stream.skip(2).head(5):
        np.testing.assert_array_equal(block.weights, block.y + 0.5)
        np.testing.assert_array_equal(block.X[:, 0], block.y)


def test_head_reads_no_further_than_it_must():
    read = []

    def blocks():
        for start in range(0, 100, 10):
            read.append(start)
            yield Block(np.zeros((10, 1)), np.arange(10))

    assert sum(len(block) for block in open_stream(blocks()).head(20)) == 20
    assert read == [0, 10]


def test_lengths_are_known_where_they_can_be():
    stream = open_stream(np.zeros((100, 2)), y=np.zeros(100))
    assert (stream.n_rows, stream.head(7).n_rows, stream.head(700).n_rows) == (100, 7, 100)
    assert (stream.skip(30).n_rows, stream.skip(300).n_rows) == (70, 0)
    assert (Sea().n_rows, Sea().head(5).n_rows, stream.shuffle().n_rows) == (None, 5, 100)


def test_a_peek_takes_nothing_away_even_where_a_stream_can_be_read_only_once():
    first, stream = open_stream(iter([(np.zeros((3, 1)), np.arange(3))] * 2)).peek()
    assert len(first) == 3
    assert rows_of(stream) == [0, 1, 2, 0, 1, 2]
    first, stream = numbered([3, 4]).peek()
    assert rows_of(stream) == rows_of(stream) == list(range(7))
    first, stream = Sea().head(0).peek()
    assert first is None
    assert list(stream) == []
