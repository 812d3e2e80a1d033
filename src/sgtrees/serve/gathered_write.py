"""Bytes that lie in several places, written to a file one after the other without being copied."""

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence

# Smaller pieces are put together first: a copy takes less than one more piece of a call.
_SMALL = 4096
# The system takes so many at a time at least.
_PIECES_OF_A_CALL = 1000


def together(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the same bytes in pieces of which few are small.

    Examples
    --------
    >>> large = bytes(10_000)
    >>> [len(piece) for piece in together([b"a", b"bc", large, b"d", b"e"])]
    [3, 10000, 2]
    """
    for is_small, some in itertools.groupby(pieces, key=lambda piece: len(piece) < _SMALL):
        if is_small:
            yield b"".join(some)
        else:
            yield from some


def write_pieces(descriptor: int, pieces: Sequence[bytes]) -> None:
    """Write all of them to a file; OSError if not all of them could be written."""
    for first in range(0, len(pieces), _PIECES_OF_A_CALL):
        views = [memoryview(piece) for piece in pieces[first : first + _PIECES_OF_A_CALL] if piece]
        while views:
            n_written = _write_some(descriptor, views)
            n_done = 0
            while n_done < len(views) and n_written >= len(views[n_done]):
                n_written -= len(views[n_done])
                n_done += 1
            del views[:n_done]
            if n_written:
                views[0] = views[0][n_written:]


def _write_some(descriptor: int, views: list[memoryview]) -> int:
    """Write a part of them, or all; return the number of bytes."""
    if hasattr(os, "writev"):
        return os.writev(descriptor, views)
    return os.write(descriptor, views[0])
