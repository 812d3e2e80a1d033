"""Blocks cut anew: the first rows, those after them, and pieces of equal size."""

from collections.abc import Iterator

from sgtrees.streams.block import Block, concatenate


def first_rows(blocks: Iterator[Block], n_rows: int) -> Iterator[Block]:
    """Yield the first rows."""
    while n_rows > 0 and (block := next(blocks, None)) is not None:
        yield block.slice(0, n_rows)
        n_rows -= len(block)


def without_first_rows(blocks: Iterator[Block], n_rows: int) -> Iterator[Block]:
    """Yield all rows but the first ones."""
    for block in blocks:
        if n_rows < len(block):
            yield block.slice(n_rows, len(block))
        n_rows = max(n_rows - len(block), 0)


def of_size(blocks: Iterator[Block], n_rows: int) -> Iterator[Block]:
    """Yield blocks of ``n_rows`` rows each; the last one may be shorter.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = iter([Block(np.zeros((n, 1))) for n in (3, 1, 6)])
    >>> [len(block) for block in of_size(blocks, 4)]
    [4, 4, 2]
    """
    waiting: list[Block] = []
    n_waiting = 0
    for block in blocks:
        start = 0
        while n_waiting + len(block) - start >= n_rows:
            stop = start + n_rows - n_waiting
            yield concatenate([*waiting, block.slice(start, stop)])
            waiting, n_waiting, start = [], 0, stop
        if start < len(block):
            waiting.append(block.slice(start, len(block)))
            n_waiting += len(block) - start
    if waiting:
        yield concatenate(waiting)
