"""What all generated streams share."""

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
    """An endless stream of rows that are made up.

    `take` goes on from where it was; iterating begins at the first row, each time anew.

    Parameters
    ----------
    seed : int
        The same seed gives the same rows, however they are cut into blocks.
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._rows = 0
        # What `take` takes from; this one stays at its first row.
        self._ongoing: Generator | None = None
        # One for each kind of draw, since the draws of one row must follow one another.
        self._uniform = np.random.default_rng(seed)
        normal, fixed = np.random.SeedSequence(seed).spawn(2)
        self._normal = np.random.default_rng(normal)
        # For what is drawn once, before the first row.
        self._fixed = np.random.default_rng(fixed)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The features, in their order."""
        return self._columns()

    @property
    def target(self) -> Column:
        """The column that is to be predicted."""
        return self._target()

    @abstractmethod
    def _columns(self) -> tuple[Column, ...]: ...

    @abstractmethod
    def _target(self) -> Column: ...

    @abstractmethod
    def _make(self, n_rows: int, first_row: int) -> Block:
        """Return the next rows; ``first_row`` came before them."""

    def take(self, n_rows: int) -> Block:
        """Return the stream's next rows.

        Parameters
        ----------
        n_rows : int
            How many.

        Returns
        -------
        Block
            The rows, with the best error possible on them where it is known.
        """
        if self._ongoing is None:
            self._ongoing = self.anew()
        return self._ongoing._next(n_rows)

    def anew(self) -> "Generator":
        """Return the same stream at its first row."""
        ongoing, self._ongoing = self._ongoing, None
        fresh = copy.deepcopy(self)
        self._ongoing = ongoing
        return fresh

    def _next(self, n_rows: int) -> Block:
        block = self._make(n_rows, self._rows)
        self._rows += n_rows
        return block

    def __iter__(self) -> Iterator[Block]:
        stream = self.anew()
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
