"""Blocks of other sizes, rows in another order, and prefetched blocks."""

import threading
import time
from itertools import pairwise

import numpy as np
import polars as pl
import pyarrow as pa
import pytest

from sgtrees.streams import Block, Sea, StreamError, open_stream
from sgtrees.streams.transformations import rebatched


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


def test_blocks_of_equal_size():
    blocks = list(rebatched(iter(numbered([3, 1, 5, 2])), 4))
    assert [len(block) for block in blocks] == [4, 4, 3]
    assert rows_of(blocks) == list(range(11))


@pytest.mark.parametrize("buffer_rows", [1, 2, 10, 99, 100, 1000])
def test_a_shuffle_keeps_every_row_once_with_its_label_and_weight(buffer_rows):
    stream = numbered([30, 1, 60, 9]).shuffle(buffer_rows, seed=1)
    assert sorted(rows_of(stream)) == list(range(100))
    for block in stream:
        np.testing.assert_array_equal(block.X[:, 0], block.y)
        np.testing.assert_array_equal(block.weights, block.y + 0.5)


def test_the_order_depends_on_the_seed_and_not_on_the_blocks():
    one = rows_of(numbered([100]).shuffle(20, seed=1))
    assert one == rows_of(numbered([7, 50, 43]).shuffle(20, seed=1))
    assert one == rows_of(numbered([1] * 100).shuffle(20, seed=1))
    assert one != rows_of(numbered([100]).shuffle(20, seed=2))


def test_a_buffer_that_holds_all_rows_puts_every_row_anywhere():
    places = [rows_of(numbered([8]).shuffle(8, seed=seed)).index(0) for seed in range(400)]
    counts = np.bincount(places, minlength=8)
    # Expected 50 each; six standard deviations are 40.
    assert counts.min() > 10
    assert counts.max() < 90


def test_a_row_comes_no_earlier_than_the_buffer_allows():
    order = rows_of(numbered([1000]).shuffle(100, seed=3))
    assert order != sorted(order)
    for place, row in enumerate(order):
        assert row < place + 150


@pytest.mark.parametrize("library", [pl.DataFrame, pa.table])
def test_data_frames_can_be_shuffled(library):
    stream = numbered([40, 60], lambda rows: library({"a": [str(row) for row in rows]}))
    rows = [
        (int(value), int(label))
        for block in stream.shuffle(30)
        for value, label in zip(block.X["a"].to_pylist() if library is pa.table
                                else block.X["a"].to_list(), block.y, strict=True)
    ]  # fmt: skip
    assert sorted(rows) == [(row, row) for row in range(100)]


def test_words_of_a_file_survive_a_shuffle(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a,b,t\n" + "".join(f"{i % 7},w{i % 5},{'yn'[i % 2]}\n" for i in range(5000)))
    seen = []
    for block in open_stream(path, "t").shuffle(700, seed=1):
        columns = (block.X["a"], block.X["b"], block.y)
        seen += list(zip(*(column.to_pylist() for column in columns), strict=True))
    assert sorted(seen) == sorted((float(i % 7), f"w{i % 5}", "yn"[i % 2]) for i in range(5000))


def test_a_buffer_without_room_is_refused():
    with pytest.raises(ValueError, match="buffer_rows == 0"):
        list(numbered([3]).shuffle(0))


def test_reading_ahead_changes_nothing():
    assert rows_of(numbered([3, 1, 5, 2]).prefetch()) == list(range(11))


def test_an_error_comes_after_the_blocks_before_it():
    def blocks():
        yield Block(np.zeros((1, 1)), np.array([7]))
        raise StreamError("no more")

    seen = []
    with pytest.raises(StreamError, match="no more"):
        seen.extend(int(block.y[0]) for block in open_stream(blocks()).prefetch())
    assert seen == [7]


def test_who_stops_early_leaves_no_thread_behind():
    before = threading.active_count()
    for n_blocks in (1, 2, 5):
        iterator = iter(Sea().prefetch(n_blocks))
        next(iterator)
        iterator.close()
    deadline = time.monotonic() + 5.0
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before
