"""Blocks that an iterator yields."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from sgtrees.streams.block import Block, Column
from sgtrees.streams.stream import Stream


class BlockStream(Stream):
    """Blocks that an iterator yields, as they are; see `sgtrees.streams.open_stream`.

    Parameters
    ----------
    blocks : iterable of Block, or of (X, y)
        The blocks.
    columns : sequence of Column
        The features, as the first block has them.
    target : Column or None
        What is to be predicted.
    """

    def __init__(
        self, blocks: Iterable[Any], columns: Sequence[Column], target: Column | None
    ) -> None:
        self._blocks = blocks
        self._columns = tuple(columns)
        self._target = target

    @property
    def columns(self) -> tuple[Column, ...]:
        """The features, in their order."""
        return self._columns

    @property
    def target(self) -> Column | None:
        """The column that is to be predicted; None where the stream has none."""
        return self._target

    def __iter__(self) -> Iterator[Block]:
        for block in self._blocks:
            yield block if isinstance(block, Block) else Block(*block)
