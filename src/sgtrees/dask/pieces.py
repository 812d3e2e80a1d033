"""The rows to come, in their order: partitions that are being read, and what is left of them."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from distributed import Future

from sgtrees import _core
from sgtrees.dask.failing import result_of
from sgtrees.dask.numbering import numbered
from sgtrees.dask.work import Cut, Numbering, Summary

# Partitions that are read while others are learned: for each thread, and beside those that the
# round under way has. The next one has some more.
_AHEAD_PER_THREAD = 3
_AHEAD_OF_ROUND = 1.5


@dataclass(frozen=True)
class ToRead:
    """A partition that a worker shall prepare.

    Attributes
    ----------
    name : str
        What it is called.
    submit : callable
        From the future of the template to that of the `Partition`.
    """

    name: str
    submit: Callable[[Future], Future]


@dataclass(frozen=True)
class _Reading:
    """A partition that is being read."""

    name: str
    partition: Future
    summary: Future


@dataclass
class _Piece:
    """A partition of which rows are left."""

    future: Future
    summary: Summary
    numbering: Numbering
    begin: int = 0

    @property
    def left(self) -> int:
        return self.summary.n_rows - self.begin


class Pieces:
    """Partitions as they are needed, with numbers for what they bring.

    Parameters
    ----------
    model : Model
        What learns.
    coming : iterable of ToRead
        The partitions, in order.
    template : Future
        What workers start from.
    summarise : callable
        From the future of a partition to that of its summary.
    n_threads : callable
        The threads of the cluster.
    """

    def __init__(
        self,
        model: Any,
        coming: Iterable[ToRead],
        template: Future,
        summarise: Callable[[Future], Future],
        n_threads: Callable[[], int],
    ) -> None:
        self._model = model
        self._coming = iter(coming)
        self._template = template
        self._summarise = summarise
        self._n_threads = n_threads
        self._pieces: deque[_Piece] = deque()
        self._ahead: deque[_Reading] = deque()
        self._n_numbered = 0

    @property
    def n_learned(self) -> int:
        """Partitions of which nothing is left."""
        return self._n_numbered - len(self._pieces)

    def available(self, wanted: int) -> int:
        """Number partitions until there are so many rows; return how many there are."""
        rows = sum(piece.left for piece in self._pieces)
        while rows < wanted:
            self._read_ahead()
            if not self._ahead:
                break
            reading = self._ahead.popleft()
            summary: Summary = result_of(reading.summary, reading.name)
            piece = _Piece(reading.partition, summary, numbered(self._model, summary))
            self._n_numbered += 1
            if piece.left > 0:
                self._pieces.append(piece)
                rows += piece.left
        self._read_ahead()
        return rows

    def take(self, n_rows: int) -> tuple[list[Cut], list[Future]]:
        """Take the next rows: where they are in which partitions."""
        cuts, partitions = [], []
        while n_rows > 0:
            piece = self._pieces[0]
            n = min(n_rows, piece.left)
            cuts.append(Cut(piece.begin, piece.begin + n, piece.numbering))
            partitions.append(piece.future)
            self._note_classes(piece, piece.begin, piece.begin + n)
            piece.begin += n
            n_rows -= n
            if piece.left == 0:
                self._pieces.popleft()
        return cuts, partitions

    def _read_ahead(self) -> None:
        wanted = max(_AHEAD_PER_THREAD * self._n_threads(), _AHEAD_OF_ROUND * len(self._pieces))
        while len(self._ahead) < wanted:
            following = next(self._coming, None)
            if following is None:
                return
            partition = following.submit(self._template)
            self._ahead.append(_Reading(following.name, partition, self._summarise(partition)))

    # ---- classes --------------------------------------------------------------------------------

    def rows_before_new_class(self, wanted: int) -> int:
        """Count the rows, of so many, before the first of a class that the core does not know."""
        n_classes = self._model.core.n_classes
        new = [row for row, number, _ in self._first_rows_of_labels() if number >= n_classes]
        return min([wanted, *new])

    def weight_of_new_class(self) -> float:
        """Return the weight of the first row of that class."""
        n_classes = self._model.core.n_classes
        found = [w for _, number, w in self._first_rows_of_labels() if number == n_classes]
        return found[0]

    def _first_rows_of_labels(self) -> Iterator[tuple[int, int, float]]:
        """Of each label in the pieces: its row from here, its class number, that row's weight."""
        at = 0
        for piece in self._pieces:
            if piece.numbering.labels is not None:
                for row, number, weight in zip(
                    piece.summary.first_rows,
                    piece.numbering.labels.tolist(),
                    piece.summary.first_weights,
                    strict=True,
                ):
                    yield at + row - piece.begin, number, weight
            at += piece.left

    def _note_classes(self, piece: _Piece, begin: int, end: int) -> None:
        """Count the classes of rows that are taken, where the core does not do it."""
        core = self._model.core
        if piece.numbering.labels is None or isinstance(core, _core.ClassLearner):
            return
        numbers, rows = piece.numbering.labels.tolist(), piece.summary.first_rows
        for row, number in zip(rows, numbers, strict=True):
            if begin <= row < end:
                core.n_classes = max(core.n_classes, number + 1)
