"""Rows in random order, through a buffer of bounded size."""

from collections.abc import Iterator

import numpy as np

from sgtrees.streams.block import Block, concatenate
from sgtrees.streams.cutting import of_size


def shuffled(blocks: Iterator[Block], buffer_rows: int, seed: int) -> Iterator[Block]:
    """Yield the rows in random order.

    A buffer of rows is kept. Whenever half as many new ones have come, all are mixed, and as many
    as came are yielded. The new ones are counted out first, so that the order depends on the rows
    and the seed alone, not on how the blocks were cut.
    """
    if buffer_rows < 1:
        raise ValueError(f"buffer_rows == {buffer_rows}, must be >= 1.")
    random = np.random.default_rng(seed)
    buffer: list[Block] = []
    kept = 0
    for block in of_size(blocks, max(buffer_rows // 2, 1)):
        buffer.append(block)
        kept += len(block)
        if kept > buffer_rows:
            mixed = _mixed(buffer, random)
            yield mixed.slice(0, kept - buffer_rows)
            buffer, kept = [mixed.slice(kept - buffer_rows, kept)], buffer_rows
    if buffer:
        yield _mixed(buffer, random)


def _mixed(buffer: list[Block], random: np.random.Generator) -> Block:
    whole = concatenate(buffer)
    return whole.take(random.permutation(len(whole)))
