"""The base class of the synthetic streams."""

import copy
from abc import abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from sgtrees.streams.block import Block, Column
from sgtrees.streams.stream import Stream

Floats = NDArray[np.float64]

_ROWS_PER_BLOCK = 10_000


class Generator(Stream):
    """An endless synthetic stream.

    `take` continues from the last row taken; each iteration starts at the first row.

    Parameters
    ----------
    seed : int
        The same seed gives the same rows, whatever the sizes of blocks.

    Examples
    --------
    >>> from sgtrees.streams import Sea
    >>> stream = Sea(seed=7)
    >>> len(stream.take(1000)), stream.target.name
    (1000, 'group')
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._rows = 0
        # The copy that `take` advances; this one stays at its first row.
        self._ongoing: Generator | None = None
        # One generator per distribution, so that rows do not depend on the sizes of blocks.
        self._uniform = np.random.default_rng(seed)
        normal, fixed = np.random.SeedSequence(seed).spawn(2)
        self._normal = np.random.default_rng(normal)
        # For parameters that are drawn once, before the first row.
        self._fixed = np.random.default_rng(fixed)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The features, in their order."""
        return self._columns()

    @property
    def target(self) -> Column:
        """The column to predict."""
        return self._target()

    @abstractmethod
    def _columns(self) -> tuple[Column, ...]: ...

    @abstractmethod
    def _target(self) -> Column: ...

    @abstractmethod
    def _make(self, n_rows: int, first_row: int) -> Block:
        """Return the next rows, which come after ``first_row`` others."""

    def take(self, n_rows: int) -> Block:
        """Return the stream's next ``n_rows`` rows, with their best possible error if known."""
        if self._ongoing is None:
            self._ongoing = self.fresh()
        return self._ongoing._next(n_rows)

    def fresh(self) -> "Generator":
        """Return a copy of the stream at its first row."""
        ongoing, self._ongoing = self._ongoing, None
        copied = copy.deepcopy(self)
        self._ongoing = ongoing
        return copied

    def _next(self, n_rows: int) -> Block:
        block = self._make(n_rows, self._rows)
        self._rows += n_rows
        return block

    def __iter__(self) -> Iterator[Block]:
        stream = self.fresh()
        while True:
            yield stream._next(_ROWS_PER_BLOCK)


def named(
    names: Sequence[str], labels: NDArray[np.integer] | NDArray[np.bool_]
) -> NDArray[np.str_]:
    """Return the names of class numbers."""
    return np.array(names)[labels.astype(np.intp)]


def pick(draws: Floats, n: int) -> Floats:
    """Return numbers below n, all equally probable, from draws between 0 and 1."""
    return np.floor(draws * n)
