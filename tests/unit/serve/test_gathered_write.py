"""What is written from several places is there as one, also where the system takes a part only."""

import itertools
import os

import pytest

from sgtrees.serve import gathered_write
from sgtrees.serve.gathered_write import together, write_pieces


def pieces_of(sizes):
    letters = itertools.cycle(b"abcdefg")
    return [bytes([next(letters)]) * size for size in sizes]


def test_small_pieces_are_put_together_and_large_ones_are_not_copied():
    pieces = pieces_of([3, 5000, 0, 7, 5000, 9000])
    found = list(together(pieces))
    assert b"".join(found) == b"".join(pieces)
    assert [len(piece) for piece in found] == [3, 5000, 7, 5000, 9000]
    assert found[1] is pieces[1]


@pytest.mark.parametrize("most", [None, 1, 4999, 5001, 12_000])
@pytest.mark.parametrize("sizes", [[], [0], [10], [3, 5000, 0, 7, 5000, 9000], [1] * 2500])
def test_all_is_written_whatever_the_system_takes_at_a_time(tmp_path, monkeypatch, most, sizes):
    def some(descriptor, views):
        return os.write(descriptor, b"".join(views)[:most])

    if most is not None:
        monkeypatch.setattr(gathered_write, "_write_some", some)
    path = tmp_path / "file"
    with path.open("wb") as file:
        write_pieces(file.fileno(), pieces_of(sizes))
    assert path.read_bytes() == b"".join(pieces_of(sizes))


def test_it_needs_no_system_that_gathers(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "writev", raising=False)
    path = tmp_path / "file"
    with path.open("wb") as file:
        write_pieces(file.fileno(), pieces_of([4, 5000, 4]))
    assert path.read_bytes() == b"".join(pieces_of([4, 5000, 4]))
