"""The leader: it numbers, cuts rounds, and lets the trees grow; the rest is the workers' work."""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from math import nan
from typing import Any

import numpy as np
from distributed import Client, Future

from sgtrees import _core
from sgtrees.dask.work import (
    Cut,
    Estimator,
    Frozen,
    Gathered,
    Numbering,
    PartitionError,
    Rows,
    Summary,
    Template,
    add,
    cut,
    freeze,
    gather,
    summary_of,
)
from sgtrees.losses.failing import LearnedRows
from sgtrees.schema import Additions

# A round is cut into so many tasks for each thread of the cluster, where its blocks allow.
_TASKS_PER_THREAD = 2
# Partitions that are read while others are learned, for each thread.
_AHEAD_PER_THREAD = 3

# Rows that the leader fetches at a time to learn them by itself.
_ROWS_HERE = 1 << 16

Submit = Callable[[Template], Future]


@dataclass(frozen=True)
class RoundReport:
    """What is told after each round.

    Attributes
    ----------
    number : int
        Rounds so far in this call; those on the leader alone count too.
    rows : int
        Rows learned so far in this call.
    leaves : int
        Leaves of all trees.
    workers : int
        Workers that took part; 0 for the leader alone.
    error : float
        Mean error of the trees about the round's rows, before they were learned: the part of wrong
        labels, or the mean absolute error. NaN where nobody asked, or where the leader was alone.
    received, sent : int
        Bytes of partial statistics that came to the leader, and of trees that it sent out.
    seconds : float
        How long the round took.
    part : float
        The part of the partitions that has been learned.
    """

    number: int
    rows: int
    leaves: int
    workers: int
    error: float
    received: int
    sent: int
    seconds: float
    part: float


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


class Leader:
    """Lets a model learn partitions, in their order.

    Parameters
    ----------
    client : Client
        The cluster.
    estimator : SGTClassifier or SGTRegressor
        What learns; it knows its columns.
    template : Template
        The same as it was before any row.
    tell : callable, optional
        Called with a `RoundReport` after each round.
    measures : bool, default=False
        Whether workers find out the error of the trees, too.
    """

    _names = count()

    def __init__(
        self,
        client: Client,
        estimator: Estimator,
        template: Template,
        tell: Callable[[RoundReport], None] | None = None,
        *,
        measures: bool = False,
    ) -> None:
        assert estimator._model is not None
        self._client = client
        self._model: Any = estimator._model
        self._template = template
        self._tell = tell
        self._measures = measures
        self._name = f"{id(self):x}-{next(self._names)}"
        self._tasks = count()
        self._pieces: deque[_Piece] = deque()
        self._left_ahead: deque[tuple[Future, Future]] = deque()
        self._coming: Iterator[tuple[Future, Future]] = iter(())
        self._n_partitions = self._n_numbered = 0
        self._rounds = self._rows = 0

    # ---- learning -------------------------------------------------------------------------------

    def learn(self, partitions: Iterable[Submit], *, n_partitions: int, ends: bool) -> None:
        """Learn all rows; with ``ends`` the last of them ends its round."""
        template = self._client.submit(_same, self._template, key=self._key("template"))
        self._coming = (
            (future := submit(template), self._summary(future)) for submit in partitions
        )
        self._n_partitions = n_partitions
        while self._available(1) > 0:
            began = time.perf_counter()
            size, is_frozen, _, waiting = self._core.round
            is_shared = is_frozen and size > _core.ROWS_OF_PARTIAL
            if self._core.warming_up or not is_shared or waiting > 0:
                self._learn_here(began)
            else:
                self._learn_round(began, ends=ends)
        if ends:
            self._core.end_warm_up()
            self._core.end_round()

    @property
    def _core(self) -> Any:
        return self._model.core

    def _learn_here(self, began: float) -> None:
        """Let the leader learn rows by itself: the start, and the rest of a block."""
        size, is_frozen, came, waiting = self._core.round
        if self._core.warming_up:
            most = self._model.options["warm_up"] - self._core.n_rows
        elif is_frozen and size > _core.ROWS_OF_PARTIAL:
            most = min(size - came, _core.ROWS_OF_PARTIAL - waiting)
        else:
            # Rounds of one block at most follow each other while the trees are small.
            most = _ROWS_HERE
        rows = self._fetch(most)
        with self._model.guard(LearnedRows(rows.weights)):
            self._core.learn(rows.X, rows.y, rows.weights)
        self._report(len(rows.y), began, 0, nan, 0, 0)

    def _learn_round(self, began: float, *, ends: bool) -> None:
        size, _, came, _ = self._core.round
        most = size - came
        wanted = min(self._available(most), most)
        if isinstance(self._core, _core.ClassLearner):
            before = self._rows_before_new_class(wanted)
            if before == 0:
                self._core.admit_class(self._weight_of_new_class())
                return
            is_whole = before < wanted or wanted == most or ends
            wanted = before
        else:
            is_whole = wanted == most or ends
        block = _core.ROWS_OF_PARTIAL
        if came > 0 or not is_whole:
            # Block by block, as the core adds them itself; what is no whole block waits there.
            if wanted < block and not is_whole:
                rows = self._fetch(wanted)
                self._core.learn(rows.X, rows.y, rows.weights)
                self._report(len(rows.y), began, 0, nan, 0, 0)
                return
            groups = [min(block, wanted - at) for at in range(0, wanted, block)]
            if not is_whole and groups[-1] < block:
                groups.pop()
            self._absorb_all(groups, began)
            return
        self._absorb_sum(wanted, began)

    def _absorb_sum(self, wanted: int, began: float) -> None:
        """Let workers add their partial statistics pairwise, and absorb the sum."""
        block = _core.ROWS_OF_PARTIAL
        n_blocks = -(-wanted // block)
        tasks = max(1, _TASKS_PER_THREAD * self._n_threads())
        together = 1
        while n_blocks > together * tasks:
            together *= 2
        each = together * block
        frozen, sent = self._freeze()
        parts = [self._gather(frozen, min(each, wanted - at)) for at in range(0, wanted, each)]
        workers = len(parts)
        while len(parts) > 1:
            pairs = [parts[i : i + 2] for i in range(0, len(parts), 2)]
            parts = [
                self._submit(add, frozen, *pair, name="add") if len(pair) == 2 else pair[0]
                for pair in pairs
            ]
        self._absorb(parts[0], wanted, began, workers, sent)

    def _absorb_all(self, groups: list[int], began: float) -> None:
        frozen, sent = self._freeze()
        for rows, part in [(rows, self._gather(frozen, rows)) for rows in groups]:
            self._absorb(part, rows, began, 1, sent)

    def _absorb(self, part: Future, rows: int, began: float, workers: int, sent: int) -> None:
        gathered: Gathered = part.result()
        self._core.absorb(gathered.partial)
        error = gathered.error / gathered.weight if gathered.weight else nan
        received = sum(array.nbytes for array in gathered.partial.values())
        self._report(rows, began, min(workers, self._n_workers()), error, received, sent)

    # ---- tasks ----------------------------------------------------------------------------------

    def _key(self, name: str) -> str:
        return f"sgtrees-{name}-{self._name}-{next(self._tasks)}"

    def _submit(self, function: Callable[..., Any], *arguments: Any, name: str) -> Future:
        return self._client.submit(function, *arguments, key=self._key(name), pure=True)

    def _summary(self, partition: Future) -> Future:
        return self._submit(summary_of, partition, name="summary")

    def _freeze(self) -> tuple[Future, int]:
        state = self._core.state(True)
        frozen = Frozen(self._template, self._model.options, state)
        sent = sum(array.nbytes for array in state.values())
        return self._submit(freeze, frozen, name="freeze"), sent

    def _gather(self, frozen: Future, n_rows: int) -> Future:
        cuts, partitions = self._take(n_rows)
        return self._submit(gather, frozen, cuts, self._measures, *partitions, name="gather")

    def _fetch(self, most: int) -> Rows:
        cuts, partitions = self._take(min(self._available(most), most))
        rows: Rows = self._submit(cut, cuts, *partitions, name="cut").result()
        return rows

    def _n_threads(self) -> int:
        return max(1, sum(int(n) for n in self._client.nthreads().values()))

    def _n_workers(self) -> int:
        return len(self._client.nthreads())

    # ---- partitions -----------------------------------------------------------------------------

    def _available(self, wanted: int) -> int:
        """Number partitions until there are so many rows; return how many there are."""
        rows = sum(piece.left for piece in self._pieces)
        while rows < wanted:
            self._read_ahead()
            if not self._left_ahead:
                break
            future, summary = self._left_ahead.popleft()
            piece = self._numbered(future, summary.result())
            self._n_numbered += 1
            if piece.left > 0:
                self._pieces.append(piece)
                rows += piece.left
        self._read_ahead()
        return rows

    def _read_ahead(self) -> None:
        # As many again as the round under way has taken, so that all workers have to read.
        wanted = max(_AHEAD_PER_THREAD * self._n_threads(), len(self._pieces))
        while len(self._left_ahead) < wanted:
            following = next(self._coming, None)
            if following is None:
                return
            self._left_ahead.append(following)

    def _take(self, n_rows: int) -> tuple[list[Cut], list[Future]]:
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

    def _numbered(self, future: Future, summary: Summary) -> _Piece:
        """Give numbers to what a partition brings, in the order of its rows."""
        model, features = self._model, self._model.schema.features
        additions, tables = Additions(), {}
        try:
            for place, (values, kind) in summary.categories.items():
                categories = features[place].categories
                categories.check_kind(kind, str(features[place]))
                new = [value for value in values if value not in categories.numbers]
                additions.note(place, new, kind)
            labels = None
            if summary.labels is not None:
                labels = self._number_labels(*summary.labels)
        except (TypeError, ValueError) as error:
            raise PartitionError(f"{summary.name}: {error}") from error
        model.apply(additions)
        for place, (values, _) in summary.categories.items():
            numbers = features[place].categories.numbers
            tables[place] = np.array([numbers[value] for value in values], dtype=np.float64)
        return _Piece(future, summary, Numbering(tables, labels))

    def _number_labels(self, values: Any, kind: Any) -> Any:
        model = self._model
        model.labels.check_kind(kind)
        known = {label: number for number, label in enumerate(model.labels.seen)}
        new = [label for label in values if label not in known]
        model.check_labels(new)
        model.labels.extend(new, kind)
        numbers = known | {label: len(known) + place for place, label in enumerate(new)}
        return np.array([numbers[label] for label in values], dtype=np.int32)

    # ---- classes --------------------------------------------------------------------------------

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

    def _rows_before_new_class(self, wanted: int) -> int:
        n_classes = self._core.n_classes
        new = [row for row, number, _ in self._first_rows_of_labels() if number >= n_classes]
        return min([wanted, *new])

    def _weight_of_new_class(self) -> float:
        n_classes = self._core.n_classes
        found = [w for _, number, w in self._first_rows_of_labels() if number == n_classes]
        return found[0]

    def _note_classes(self, piece: _Piece, begin: int, end: int) -> None:
        """Count the classes of rows that are taken, where the core does not do it."""
        if piece.numbering.labels is None or isinstance(self._core, _core.ClassLearner):
            return
        numbers, rows = piece.numbering.labels.tolist(), piece.summary.first_rows
        for row, number in zip(rows, numbers, strict=True):
            if begin <= row < end:
                self._core.n_classes = max(self._core.n_classes, number + 1)

    # ---- telling --------------------------------------------------------------------------------

    def _report(
        self, rows: int, began: float, workers: int, error: float, received: int, sent: int
    ) -> None:
        self._rounds += 1
        self._rows += rows
        if self._tell is None:
            return
        done = self._n_numbered - len(self._pieces)
        self._tell(
            RoundReport(
                self._rounds,
                self._rows,
                self._core.n_leaves,
                workers,
                error,
                received,
                sent,
                time.perf_counter() - began,
                done / max(self._n_partitions, 1),
            )
        )


def _same(value: Any) -> Any:
    return value
