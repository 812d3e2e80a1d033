"""The base class of all streams, and the streams that are derived from another one."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from itertools import chain

from sgtrees.streams.block import Block, Column
from sgtrees.streams.errors import Skipped
from sgtrees.streams.transformations import (
    first_rows,
    prefetched,
    shuffled,
    without_first_rows,
)


class Stream(ABC):
    """Rows in blocks, and a description of their columns.

    Iterating over a stream starts at its first row each time, unless it can be read only once
    (standard input, an iterator). The sizes of blocks have no meaning: a model that learns one
    block after the other is the same for any sizes.

    The number of rows read is a position: ``stream.skip(rows)`` continues from there.

    Examples
    --------
    >>> from sgtrees.streams import Sea
    >>> stream = Sea(seed=1).head(25_000)
    >>> [column.name for column in stream.columns], stream.target.name
    (['x1', 'x2', 'x3'], 'group')
    >>> sum(len(block) for block in stream), sum(len(block) for block in stream.skip(20_000))
    (25000, 5000)
    """

    @property
    @abstractmethod
    def columns(self) -> tuple[Column, ...]:
        """The features, in their order."""

    @property
    @abstractmethod
    def target(self) -> Column | None:
        """The column to predict; None if the stream has none."""

    @abstractmethod
    def __iter__(self) -> Iterator[Block]: ...

    @property
    def n_rows(self) -> int | None:
        """The number of rows, if it is known before they are read."""
        return None

    @property
    def progress(self) -> float | None:
        """The fraction of the stream that the latest iteration has read, if it is known."""
        return None

    @property
    def skipped(self) -> Skipped:
        """The invalid rows that were left out."""
        return Skipped()

    @property
    def nominal(self) -> list[int]:
        """The positions of the nominal columns: an estimator's ``categorical_features``.

        Examples
        --------
        >>> from sgtrees.streams import FlightDelays
        >>> FlightDelays().nominal
        [0, 1, 2]
        """
        return [place for place, column in enumerate(self.columns) if column.nominal]

    # ---- derived streams ------------------------------------------------------------------------

    def head(self, n_rows: int) -> "Stream":
        """Return the stream of the first rows.

        Parameters
        ----------
        n_rows : int
            The number of rows.

        Returns
        -------
        Stream
            Those rows, or all if there are fewer.

        Examples
        --------
        >>> from sgtrees.streams import Sea
        >>> sum(len(block) for block in Sea().head(12_345))
        12345
        """
        known = self.n_rows
        length = n_rows if known is None else min(n_rows, known)
        return Derived(self, lambda blocks: first_rows(blocks, n_rows), length)

    def skip(self, n_rows: int) -> "Stream":
        """Return the stream without its first rows, to continue where an earlier pass stopped.

        Parameters
        ----------
        n_rows : int
            The number of rows to leave out.

        Returns
        -------
        Stream
            The rows after them; none if there are no more.
        """
        known = self.n_rows
        length = None if known is None else max(known - n_rows, 0)
        return Derived(self, lambda blocks: without_first_rows(blocks, n_rows), length)

    def shuffle(self, buffer_rows: int = 100_000, *, seed: int = 0) -> "Stream":
        """Return the stream with its rows shuffled through a buffer of bounded size.

        Parameters
        ----------
        buffer_rows : int, default=100_000
            The number of rows in memory. A stream with no more rows than that is fully shuffled; in
            a longer one a row comes at most half as many positions early, and any number late.
        seed : int, default=0
            The same seed gives the same order, whatever file and blocks the rows come from.

        Returns
        -------
        Stream
            The same rows in another order.

        Examples
        --------
        >>> import numpy as np
        >>> from sgtrees.streams import open_stream
        >>> stream = open_stream(np.arange(6.0).reshape(6, 1), y=[0, 1, 2, 3, 4, 5])
        >>> [int(label) for block in stream.shuffle(seed=3) for label in block.y]
        [2, 5, 4, 1, 3, 0]
        """
        return Derived(self, lambda blocks: shuffled(blocks, buffer_rows, seed), self.n_rows)

    def peek(self) -> "tuple[Block | None, Stream]":
        """Return the first block, and the stream with that block still to come.

        Returns
        -------
        first : Block or None
            The first block; None if there are no rows.
        stream : Stream
            The same rows. If this stream can be read only once, continue with that one.

        Examples
        --------
        >>> from sgtrees.streams import open_stream
        >>> first, stream = open_stream({"a": float(i), "t": i} for i in range(9)).peek()
        >>> len(first), sum(len(block) for block in stream)
        (9, 9)
        """
        iterator = iter(self)
        first = next(iterator, None)
        return first, _Peeked(self, first, iterator)

    def prefetch(self, n_blocks: int = 2) -> "Stream":
        """Return the stream read by another thread, while earlier blocks are learned.

        Parameters
        ----------
        n_blocks : int, default=2
            The number of blocks that the thread reads ahead.

        Returns
        -------
        Stream
            The same blocks.
        """
        return Derived(self, lambda blocks: prefetched(blocks, n_blocks), self.n_rows)


class Derived(Stream):
    """A stream made from the blocks of another one.

    Parameters
    ----------
    source : Stream
        The other stream.
    transform : callable
        From its blocks to the blocks of this one.
    n_rows : int or None
        The number of rows, if it is known.
    """

    def __init__(
        self,
        source: Stream,
        transform: Callable[[Iterator[Block]], Iterator[Block]],
        n_rows: int | None,
    ) -> None:
        self._source = source
        self._transform = transform
        self._n_rows = n_rows

    @property
    def columns(self) -> tuple[Column, ...]:
        """The features, in their order."""
        return self._source.columns

    @property
    def target(self) -> Column | None:
        """The column to predict; None if the stream has none."""
        return self._source.target

    @property
    def n_rows(self) -> int | None:
        """The number of rows, if it is known before they are read."""
        return self._n_rows

    @property
    def progress(self) -> float | None:
        """The fraction of the stream that the latest iteration has read, if it is known."""
        return self._source.progress

    @property
    def skipped(self) -> Skipped:
        """The invalid rows that were left out."""
        return self._source.skipped

    def __iter__(self) -> Iterator[Block]:
        return self._transform(iter(self._source))


class _Peeked(Derived):
    """A stream whose first block has been read."""

    def __init__(self, source: Stream, first: Block | None, rest: Iterator[Block]) -> None:
        super().__init__(source, lambda blocks: blocks, source.n_rows)
        self._pending: Iterator[Block] | None = chain([] if first is None else [first], rest)

    def __iter__(self) -> Iterator[Block]:
        pending, self._pending = self._pending, None
        return iter(self._source) if pending is None else pending
