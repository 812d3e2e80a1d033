"""A uniform sample of the rows of a stream, of bounded size."""

import numpy as np

from sgtrees.streams import Block
from sgtrees.streams.block import concatenate


class RowSample:
    """Keeps some rows of a stream, in which each row so far is equally probable.

    Every row draws a number, and those with the least numbers are kept.

    Parameters
    ----------
    n_rows : int
        The size of the sample.

    Examples
    --------
    >>> sample = RowSample(10)
    >>> for start in range(0, 1000, 100):
    ...     sample.add(Block(np.arange(start, start + 100.0).reshape(-1, 1)))
    >>> len(sample.rows())
    10
    """

    def __init__(self, n_rows: int) -> None:
        self._n_rows = n_rows
        self._random = np.random.default_rng(0)
        self._parts: list[Block] = []
        self._draws = np.empty(0)

    def add(self, block: Block) -> None:
        """Add rows."""
        draws = self._random.random(len(block))
        least = self._draws.max() if len(self._draws) >= self._n_rows else 1.0
        chosen = np.flatnonzero(draws < least)
        if not len(chosen):
            return
        self._parts.append(block.take(chosen))
        self._draws = np.concatenate([self._draws, draws[chosen]])
        if len(self._draws) > 2 * self._n_rows:
            self._shrink()

    def _shrink(self) -> None:
        kept = np.sort(np.argsort(self._draws, kind="stable")[: self._n_rows])
        self._parts = [concatenate(self._parts).take(kept)]
        self._draws = self._draws[kept]

    def rows(self) -> Block | None:
        """Return the rows, in the order of the stream; None if there are none."""
        if not self._parts:
            return None
        if len(self._draws) > self._n_rows:
            self._shrink()
        return concatenate(self._parts)
