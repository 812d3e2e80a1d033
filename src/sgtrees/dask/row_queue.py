"""The rows still to learn, in order: partitions that are being read, and what is left of them."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from distributed import Future

from sgtrees.dask.errors import result_of
from sgtrees.dask.numbering import number_partition
from sgtrees.dask.partition import RowRange, Summary
from sgtrees.dask.rows import Numbering
from sgtrees.models.model import Model

# Partitions that are prefetched: per thread, and those of the next round with a margin.
_PREFETCHED_PER_THREAD = 2
_PREFETCHED_OF_ROUND = 1.1
# How many more partitions one thread may have to read than another.
_MAX_IMBALANCE = 2
# The next round is expected to grow like this one, up to this factor.
_MAX_GROWTH = 1.5


@dataclass(frozen=True)
class PendingPartition:
    """A partition that is not read yet: its name, and the function that submits its reading.

    ``submit`` takes the future of the template and the preferred worker, and returns the future of
    the `Partition`.
    """

    name: str
    submit: Callable[[Future, str], Future]


@dataclass(frozen=True)
class _PartitionBeingRead:
    name: str
    worker: str
    partition: Future
    summary: Future


@dataclass
class _PartitionLeft:
    """A partition with rows that have not been taken, from ``begin`` on."""

    future: Future
    summary: Summary
    numbering: Numbering
    begin: int = 0

    @property
    def left(self) -> int:
        return self.summary.n_rows - self.begin


@dataclass(frozen=True)
class RowSlice:
    """A range of rows of a partition, and the worker that holds it."""

    range: RowRange
    partition: Future
    worker: str


class RowQueue:
    """The rows of partitions, in order; partitions are prefetched, and numbered when needed.

    A partition is read by the worker that will probably gather its rows; otherwise its rows are
    transferred.

    Parameters
    ----------
    model : Model
        The model that learns.
    pending : iterable of PendingPartition
        The partitions, in order.
    template : Future
        The template; it may be replaced for partitions that are read later.
    summarise : callable
        From the future of a partition to that of its summary.
    threads : callable
        Returns the number of threads of each worker.
    """

    def __init__(
        self,
        model: Model[Any],
        pending: Iterable[PendingPartition],
        template: Future,
        summarise: Callable[[Future], Future],
        threads: Callable[[], Mapping[str, int]],
    ) -> None:
        self._model = model
        self._pending = iter(pending)
        self.template = template
        self._summarise = summarise
        self._threads = threads
        self._left: deque[_PartitionLeft] = deque()
        self._being_read: deque[_PartitionBeingRead] = deque()
        self._n_numbered = 0
        self._partition_rows = 0  # of the latest partition
        self._round = self._next_round = 0
        self._round_left = 0
        self._backwards = False

    @property
    def n_learned(self) -> int:
        """The number of partitions whose rows have all been taken."""
        return self._n_numbered - len(self._left)

    def begin_round(self, rows: int) -> None:
        """Prefetch for a round of this many rows, and for the round after it."""
        growth = rows / self._round if self._round > 0 else 1.0
        self._round = self._round_left = rows
        # The worker with the last rows of a round holds the rest of their partition, and so the
        # first rows of the next round.
        self._backwards = not self._backwards
        self._next_round = int(rows * min(max(growth, 1.0), _MAX_GROWTH))

    def available(self, wanted: int) -> int:
        """Number partitions until there are enough rows; return how many there are."""
        rows = self._rows_left()
        while rows < wanted:
            if not self._being_read:
                self.prefetch()
            if not self._being_read:
                break
            next_one = self._being_read.popleft()
            summary: Summary = result_of(next_one.summary, next_one.name)
            numbering = number_partition(self._model, summary)
            partition = _PartitionLeft(next_one.partition, summary, numbering)
            self._n_numbered += 1
            self._partition_rows = summary.n_rows
            if partition.left > 0:
                self._left.append(partition)
                rows += partition.left
        return rows

    def take(self, n_rows: int) -> list[RowSlice]:
        """Take the next rows."""
        slices = []
        self._round_left = max(self._round_left - n_rows, 0)
        while n_rows > 0:
            partition = self._left[0]
            n = min(n_rows, partition.left)
            rows = RowRange(partition.begin, partition.begin + n, partition.numbering)
            slices.append(RowSlice(rows, partition.future, partition.summary.worker))
            self._count_classes(partition, rows)
            partition.begin += n
            n_rows -= n
            if partition.left == 0:
                self._left.popleft()
        return slices

    def _rows_left(self) -> int:
        return sum(partition.left for partition in self._left)

    def prefetch(self) -> None:
        """Let workers read the rows that the next round will probably need."""
        threads = self._threads()
        fewest = _PREFETCHED_PER_THREAD * sum(threads.values())
        known = self._rows_left()
        most = self._round_left + _PREFETCHED_OF_ROUND * self._next_round
        while True:
            at = known + len(self._being_read) * self._partition_rows
            if len(self._being_read) >= fewest and (at >= most or self._partition_rows == 0):
                return
            following = next(self._pending, None)
            if following is None:
                return
            worker = self._worker_for(at + self._partition_rows // 2, threads)
            partition = following.submit(self.template, worker)
            summary = self._summarise(partition)
            self._being_read.append(_PartitionBeingRead(following.name, worker, partition, summary))

    def _worker_for(self, row: int, threads: Mapping[str, int]) -> str:
        """Return the worker that will probably gather a row, unless it has too much to read."""
        worker = self._expected_worker(row, threads)
        reading = Counter(partition.worker for partition in self._being_read)
        loads = {w: reading[w] / max(n, 1) for w, n in threads.items()}
        least = min(loads, key=lambda w: loads[w])
        return worker if loads[worker] <= loads[least] + _MAX_IMBALANCE else least

    def _expected_worker(self, row: int, threads: Mapping[str, int]) -> str:
        size, row = self._round, row + self._round - self._round_left
        backwards = self._backwards
        if row >= size:
            row, size, backwards = row - size, self._next_round, not backwards
        by_thread = [worker for worker, n in threads.items() for _ in range(n)]
        if size == 0:
            return by_thread[len(self._being_read) % len(by_thread)]
        if row >= size:  # in a later round
            row, backwards = row - size, not backwards
        part = min(int(row / size * len(by_thread)), len(by_thread) - 1)
        return by_thread[-1 - part if backwards else part]

    # ---- classes --------------------------------------------------------------------------------

    def rows_before_new_class(self, wanted: int) -> int:
        """Return how many of the next rows come before the first one of a new class."""
        n_classes = self._model.core.n_classes
        new = [row for row, number, _ in self._first_rows_of_labels() if number >= n_classes]
        return min([wanted, *new])

    def weight_of_new_class(self) -> float:
        """Return the weight of the first row of the next new class."""
        n_classes = self._model.core.n_classes
        found = [w for _, number, w in self._first_rows_of_labels() if number == n_classes]
        return found[0]

    def _first_rows_of_labels(self) -> Iterator[tuple[int, int, float]]:
        """Yield the first row of each label in each partition, its class number and its weight."""
        at = 0
        for partition in self._left:
            labels = partition.numbering.labels
            if labels is not None:
                summary = partition.summary
                for row, number, weight in zip(
                    summary.first_rows, labels.tolist(), summary.first_weights, strict=True
                ):
                    yield at + row - partition.begin, number, weight
            at += partition.left

    def _count_classes(self, partition: _PartitionLeft, rows: RowRange) -> None:
        """Count the classes of rows that are taken, if the core does not count them."""
        core = self._model.core
        labels = partition.numbering.labels
        if labels is None or self._model.takes_many_classes:
            return
        for row, number in zip(partition.summary.first_rows, labels.tolist(), strict=True):
            if rows.begin <= row < rows.end:
                core.n_classes = max(core.n_classes, number + 1)
