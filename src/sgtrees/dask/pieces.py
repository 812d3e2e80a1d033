"""The rows to come, in their order: partitions that are being read, and what is left of them."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from distributed import Future

from sgtrees import _core
from sgtrees.dask.failing import result_of
from sgtrees.dask.numbering import numbered
from sgtrees.dask.work import Cut, Numbering, Summary

# Partitions that are read while others are learned: for each thread, and as many as the next round
# has, with some to spare.
_AHEAD_PER_THREAD = 2
_AHEAD_OF_ROUND = 1.1
# Partitions that one thread may have to read more than another.
_MOST_UNEVEN = 2
# The next round is as much larger than this one as this one is than that before, up to so much.
_MOST_GROWTH = 1.5


@dataclass(frozen=True)
class ToRead:
    """A partition that a worker shall prepare.

    Attributes
    ----------
    name : str
        What it is called.
    submit : callable
        From the future of the template, and the worker that had best do it, to the future of the
        `Partition`.
    """

    name: str
    submit: Callable[[Future, str], Future]


@dataclass(frozen=True)
class _Reading:
    """A partition that is being read."""

    name: str
    worker: str
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


@dataclass(frozen=True)
class Taken:
    """Rows of a partition that a task takes.

    Attributes
    ----------
    cut : Cut
        Which.
    partition : Future
        The partition.
    worker : str
        The worker that has it.
    """

    cut: Cut
    partition: Future
    worker: str

    @property
    def rows(self) -> int:
        """How many."""
        return self.cut.end - self.cut.begin


class Pieces:
    """Partitions as they are needed, with numbers for what they bring.

    Whoever gathers a part of a round had best read its rows. So partitions are read by the worker
    whose part they will probably be in; what comes otherwise travels.

    Parameters
    ----------
    model : Model
        What learns.
    coming : iterable of ToRead
        The partitions, in order.
    template : Future
        What workers start from; it may be set to another one, for what is read from then on.
    summarise : callable
        From the future of a partition to that of its summary.
    threads : callable
        The threads of each worker.
    """

    def __init__(
        self,
        model: Any,
        coming: Iterable[ToRead],
        template: Future,
        summarise: Callable[[Future], Future],
        threads: Callable[[], Mapping[str, int]],
    ) -> None:
        self._model = model
        self._coming = iter(coming)
        self.template = template
        self._summarise = summarise
        self._threads = threads
        self._pieces: deque[_Piece] = deque()
        self._ahead: deque[_Reading] = deque()
        self._n_numbered = 0
        self._rows_of_partition = 0  # of the latest one
        self._round = self._next_round = 0
        self._to_take = 0  # of the round
        self._backwards = False

    @property
    def n_learned(self) -> int:
        """Partitions of which nothing is left."""
        return self._n_numbered - len(self._pieces)

    def begin_round(self, rows: int) -> None:
        """Let rows be read for a round of so many, and for the one that will follow it."""
        growth = rows / self._round if self._round > 0 else 1.0
        self._round = self._to_take = rows
        # Who has the last rows of a round has what is left of their partition, and goes on there.
        self._backwards = not self._backwards
        self._next_round = int(rows * min(max(growth, 1.0), _MOST_GROWTH))

    def available(self, wanted: int) -> int:
        """Number partitions until there are so many rows; return how many there are."""
        rows = self._left()
        while rows < wanted:
            # What is being read comes first; more is asked for when workers have the time.
            if not self._ahead:
                self.read_ahead()
            if not self._ahead:
                break
            reading = self._ahead.popleft()
            summary: Summary = result_of(reading.summary, reading.name)
            piece = _Piece(reading.partition, summary, numbered(self._model, summary))
            self._n_numbered += 1
            self._rows_of_partition = summary.n_rows
            if piece.left > 0:
                self._pieces.append(piece)
                rows += piece.left
        return rows

    def take(self, n_rows: int) -> list[Taken]:
        """Take the next rows: where they are in which partitions."""
        taken = []
        self._to_take = max(self._to_take - n_rows, 0)
        while n_rows > 0:
            piece = self._pieces[0]
            n = min(n_rows, piece.left)
            rows = Cut(piece.begin, piece.begin + n, piece.numbering)
            taken.append(Taken(rows, piece.future, piece.summary.worker))
            self._note_classes(piece, piece.begin, piece.begin + n)
            piece.begin += n
            n_rows -= n
            if piece.left == 0:
                self._pieces.popleft()
        return taken

    def _left(self) -> int:
        return sum(piece.left for piece in self._pieces)

    def read_ahead(self) -> None:
        """Let workers read what the next round will probably have."""
        threads = self._threads()
        fewest = _AHEAD_PER_THREAD * sum(threads.values())
        known = self._left()
        most = self._to_take + _AHEAD_OF_ROUND * self._next_round
        while True:
            at = known + len(self._ahead) * self._rows_of_partition
            if len(self._ahead) >= fewest and (at >= most or self._rows_of_partition == 0):
                return
            following = next(self._coming, None)
            if following is None:
                return
            worker = self._place(at + self._rows_of_partition // 2, threads)
            partition = following.submit(self.template, worker)
            summary = self._summarise(partition)
            self._ahead.append(_Reading(following.name, worker, partition, summary))

    def _place(self, row: int, threads: Mapping[str, int]) -> str:
        """Return the worker whose part of its round the row will be in, if it has time."""
        worker = self._place_in_round(row, threads)
        reading = Counter(reading.worker for reading in self._ahead)
        loads = {w: reading[w] / max(n, 1) for w, n in threads.items()}
        least = min(loads, key=lambda w: loads[w])
        return worker if loads[worker] <= loads[least] + _MOST_UNEVEN else least

    def _place_in_round(self, row: int, threads: Mapping[str, int]) -> str:
        size, row = self._round, row + self._round - self._to_take
        backwards = self._backwards
        if row >= size:
            row, size, backwards = row - size, self._next_round, not backwards
        by_thread = [worker for worker, n in threads.items() for _ in range(n)]
        if size == 0:
            return by_thread[len(self._ahead) % len(by_thread)]
        if row >= size:  # of a round after that
            row, backwards = row - size, not backwards
        part = min(int(row / size * len(by_thread)), len(by_thread) - 1)
        return by_thread[-1 - part if backwards else part]

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
