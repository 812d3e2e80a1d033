"""The leader: it cuts rounds, and lets the trees grow; the rest is the workers' work."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import count
from math import nan
from typing import Any

from distributed import Client, Future

from sgtrees import _core
from sgtrees.dask.blocks import for_core
from sgtrees.dask.failing import result_of
from sgtrees.dask.pieces import Pieces, ToRead
from sgtrees.dask.sharing import Share, shared
from sgtrees.dask.telling import RoundReport
from sgtrees.dask.work import (
    Cut,
    Estimator,
    Frozen,
    Gathered,
    Rows,
    Template,
    add,
    cut,
    freeze,
    gather,
    shortened,
    summary_of,
)
from sgtrees.losses.failing import LearnedRows

# What a round waits for comes before what is read ahead.
_FIRST = 1

# Rows that the leader fetches at a time to learn them by itself.
_ROWS_HERE = 1 << 16


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
    _pieces: Pieces

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
        self._n_partitions = 0
        self._rounds = self._rows = 0

    # ---- learning -------------------------------------------------------------------------------

    def learn(self, partitions: Iterable[ToRead], *, n_partitions: int, ends: bool) -> None:
        """Learn all rows; with ``ends`` the last of them ends its round."""
        template = self._client.submit(_same, self._template, key=self._key("template"))
        self._pieces = Pieces(self._model, partitions, template, self._summarised, self._n_threads)
        self._n_partitions = n_partitions
        while self._pieces.available(1) > 0:
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
        self._learn_fetched(most, began)

    def _learn_fetched(self, most: int, began: float) -> None:
        rows = self._fetch(most)
        with self._model.guard(LearnedRows(rows.weights)):
            self._core.learn(for_core(rows.X), rows.y, rows.weights)
        self._report(len(rows.y), began, 0, nan, 0, 0)

    def _learn_round(self, began: float, *, ends: bool) -> None:
        size, _, came, _ = self._core.round
        most = size - came
        wanted = min(self._pieces.available(most), most)
        is_whole = wanted == most or ends
        if isinstance(self._core, _core.ClassLearner):
            before = self._pieces.rows_before_new_class(wanted)
            if before == 0:
                self._core.admit_class(self._pieces.weight_of_new_class())
                return
            is_whole |= before < wanted
            wanted = before
        if came == 0 and is_whole:
            self._absorb_sum(wanted, began)
            return
        # Block by block, as the core adds them itself; what is no whole block waits there.
        block = _core.ROWS_OF_PARTIAL
        if wanted < block and not is_whole:
            self._learn_fetched(wanted, began)
            return
        groups = [min(block, wanted - at) for at in range(0, wanted, block)]
        if not is_whole and groups[-1] < block:
            groups.pop()
        self._absorb_all(groups, began)

    def _absorb_sum(self, wanted: int, began: float) -> None:
        """Let workers add their partial statistics pairwise, and absorb the sum."""
        share = shared(-(-wanted // _core.ROWS_OF_PARTIAL), self._n_threads())
        frozen, sent = self._freeze()
        parts, left = [], wanted
        for task in share.tasks():  # rows are taken in their order
            n_rows = min(task.blocks * _core.ROWS_OF_PARTIAL, left)
            parts.append(self._gather(frozen, n_rows))
            left -= n_rows
        total = self._added(share, frozen, iter(parts))
        self._absorb(total, wanted, began, len(parts), sent)

    def _added(self, share: Share, frozen: Future, parts: Iterator[Future]) -> Future:
        if not share.parts:
            return next(parts)
        first, later = [self._added(part, frozen, parts) for part in share.parts]
        return self._submit(add, frozen, first, later, name="add")

    def _absorb_all(self, groups: list[int], began: float) -> None:
        frozen, sent = self._freeze()
        for rows, part in [(rows, self._gather(frozen, rows)) for rows in groups]:
            self._absorb(part, rows, began, 1, sent)

    def _absorb(self, part: Future, rows: int, began: float, workers: int, sent: int) -> None:
        end = self._rows + rows
        gathered: Gathered = result_of(part, f"rows {self._rows} to {end - 1} of this call")
        self._core.absorb(gathered.partial)
        error = gathered.error / gathered.weight if gathered.weight else nan
        received = sum(array.nbytes for array in gathered.partial.values())
        self._report(rows, began, min(workers, self._n_workers()), error, received, sent)

    # ---- tasks ----------------------------------------------------------------------------------

    def _key(self, name: str) -> str:
        return f"sgtrees-{name}-{self._name}-{next(self._tasks)}"

    def _submit(self, function: Callable[..., Any], *arguments: Any, name: str) -> Future:
        return self._client.submit(
            function, *arguments, key=self._key(name), pure=True, priority=_FIRST
        )

    def _summarised(self, partition: Future) -> Future:
        return self._submit(summary_of, partition, name="summary")

    def _freeze(self) -> tuple[Future, int]:
        state = self._core.state(True)
        frozen = Frozen(self._template, self._model.options, state)
        sent = sum(array.nbytes for array in state.values())
        return self._submit(freeze, frozen, name="freeze"), sent

    def _gather(self, frozen: Future, n_rows: int) -> Future:
        cuts, partitions = self._pieces.take(n_rows)
        largest = max(place.end - place.begin for place in cuts)
        for i, place in enumerate(cuts):
            # The task goes to the partition that has most of its rows; of others come those alone.
            if place.end - place.begin < largest:
                cuts[i] = replace(place, first=place.begin)
                partitions[i] = self._short(place, partitions[i])
        return self._submit(gather, frozen, cuts, self._measures, *partitions, name="gather")

    def _short(self, place: Cut, partition: Future) -> Future:
        return self._submit(shortened, place.begin, place.end, partition, name="short")

    def _fetch(self, most: int) -> Rows:
        cuts, partitions = self._pieces.take(min(self._pieces.available(most), most))
        task = self._submit(cut, cuts, *partitions, name="cut")
        rows: Rows = result_of(task, f"rows from {self._rows} of this call on")
        return rows

    def _n_threads(self) -> int:
        return max(1, sum(int(n) for n in self._client.nthreads().values()))

    def _n_workers(self) -> int:
        return len(self._client.nthreads())

    # ---- telling --------------------------------------------------------------------------------

    def _report(
        self, rows: int, began: float, workers: int, error: float, received: int, sent: int
    ) -> None:
        self._rounds += 1
        self._rows += rows
        if self._tell is None:
            return
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
                self._pieces.n_learned / max(self._n_partitions, 1),
            )
        )


def _same(value: Any) -> Any:
    return value
