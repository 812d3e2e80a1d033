"""The leader: it cuts rounds, and lets the trees grow; the rest is the workers' work."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from math import nan
from typing import Any

from distributed import Client, Future

from sgtrees import _core
from sgtrees.dask.blocks import for_core
from sgtrees.dask.failing import result_of, scheduler_is_gone, with_scheduler
from sgtrees.dask.pieces import Pieces, ToRead
from sgtrees.dask.sharing import Share, placed, shared
from sgtrees.dask.tasks import Tasks
from sgtrees.dask.telling import RoundReport
from sgtrees.dask.work import Estimator, Frozen, Gathered, Rows, Template

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
    callback : callable, optional
        Called with a `RoundReport` after each round.
    measures : bool, default=False
        Whether workers find out the error of the trees, too.
    """

    _pieces: Pieces

    def __init__(
        self,
        client: Client,
        estimator: Estimator,
        template: Template,
        callback: Callable[[RoundReport], None] | None = None,
        *,
        measures: bool = False,
    ) -> None:
        assert estimator._model is not None
        self._client = client
        self._model: Any = estimator._model
        self._template = template
        self._callback = callback
        self._tasks = Tasks(client, measures=measures)
        self._threads: dict[str, int] = {}
        self._n_partitions = 0
        self._is_coding = False
        self._rounds = self._rows = 0

    # ---- learning -------------------------------------------------------------------------------

    def learn(self, partitions: Iterable[ToRead], *, n_partitions: int, ends: bool) -> None:
        """Learn all rows; with ``ends`` the last of them ends its round."""
        with with_scheduler():
            template = self._tasks.template(self._template)
            self._pieces = Pieces(
                self._model, partitions, template, self._tasks.summary, lambda: self._threads
            )
            self._n_partitions = n_partitions
            self._look_at_workers()
            self._let_code()
            self._learn_pieces(ends=ends)
        if ends:
            self._core.end_warm_up()
            self._core.end_round()

    def _learn_pieces(self, *, ends: bool) -> None:
        while self._pieces.available(1) > 0:
            began = time.perf_counter()
            self._look_at_workers()
            size, is_frozen, _, waiting, block = self._core.round
            is_shared = is_frozen and size > block
            if self._core.warming_up or not is_shared or waiting > 0:
                self._learn_here(began)
            else:
                self._learn_round(began, ends=ends)

    def _look_at_workers(self) -> None:
        """Find out who is there; where nobody is, Dask waits for someone."""
        try:
            found = self._client.nthreads()
        except (OSError, RuntimeError) as error:  # no answer, or a client that has been closed
            raise scheduler_is_gone(error) from error
        if found or not self._threads:
            self._threads = {str(worker): int(n) for worker, n in found.items()} or {"": 1}

    @property
    def _core(self) -> Any:
        return self._model.core

    def _learn_here(self, began: float) -> None:
        """Let the leader learn rows by itself: the start, and the rest of a block."""
        size, is_frozen, came, waiting, block = self._core.round
        if self._core.warming_up:
            most = self._model.options["warm_up"] - self._core.n_rows
        elif is_frozen and size > block:
            most = min(size - came, block - waiting)
        else:
            # Rounds of one block at most follow each other while the trees are small.
            most = _ROWS_HERE
        self._learn_fetched(most, began)

    def _learn_fetched(self, most: int, began: float) -> None:
        pieces = self._fetch(most)
        self._read_ahead()
        for rows in pieces:
            with self._model.guard(rows.weights):
                self._core.learn(for_core(rows.X), rows.y, rows.weights)
        self._report(sum(len(rows.y) for rows in pieces), began, 0, nan, 0, 0)

    def _learn_round(self, began: float, *, ends: bool) -> None:
        size, _, came, _, block = self._core.round
        most = size - came
        self._pieces.begin_round(most)
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
            self._absorb_sum(wanted, block, began)
            return
        # Block by block, as the core adds them itself; what is no whole block waits there.
        if wanted < block and not is_whole:
            self._learn_fetched(wanted, began)
            return
        groups = [min(block, wanted - at) for at in range(0, wanted, block)]
        if not is_whole and groups[-1] < block:
            groups.pop()
        self._absorb_all(groups, began)

    def _absorb_sum(self, wanted: int, block: int, began: float) -> None:
        """Let workers add their partial statistics pairwise; the last two are added here."""
        share = shared(-(-wanted // block), sum(self._threads.values()))
        frozen, sent = self._freeze()
        rows = [task.blocks * block for task in share.tasks()]
        rows[-1] = wanted - sum(rows[:-1])
        gathered = self._gather(frozen, rows)
        n_tasks = len(gathered)
        parts = iter(gathered)
        sums = [self._added(part, frozen, parts) for part in share.parts or (share,)]
        self._absorb(sums, wanted, began, n_tasks, sent)

    def _added(self, share: Share, frozen: Future, parts: Iterator[Future]) -> Future:
        if not share.parts:
            return next(parts)
        first, later = [self._added(part, frozen, parts) for part in share.parts]
        return self._tasks.add(frozen, first, later)

    def _absorb_all(self, groups: list[int], began: float) -> None:
        frozen, sent = self._freeze()
        for rows, part in zip(groups, self._gather(frozen, groups), strict=True):
            self._absorb([part], rows, began, 1, sent)

    def _absorb(
        self, parts: list[Future], rows: int, began: float, workers: int, sent: int
    ) -> None:
        """Absorb parts that follow one another, which all must have come."""
        where = f"rows {self._rows} to {self._rows + rows - 1} of this call"
        self._read_ahead()  # whoever has gathered goes on with the next round's rows
        gathered: list[Gathered] = [result_of(part, where) for part in parts]
        for part in gathered:
            self._core.absorb(part.partial)
        weight = sum(part.weight for part in gathered)
        error = sum(part.error for part in gathered) / weight if weight else nan
        received = sum(array.nbytes for part in gathered for array in part.partial.values())
        self._report(rows, began, min(workers, len(self._threads)), error, received, sent)

    def _gather(self, frozen: Future, rows: list[int]) -> list[Future]:
        """Let workers gather the next rows, so many for each task."""
        tasks = [self._pieces.take(n) for n in rows]
        held: list[Counter[str]] = [Counter() for _ in tasks]
        for of_task, taken in zip(held, tasks, strict=True):
            for piece in taken:
                of_task[piece.worker] += piece.rows
        workers = placed(held, self._threads)
        return [
            self._tasks.gather(frozen, taken, worker)
            for worker, taken in zip(workers, tasks, strict=True)
        ]

    def _freeze(self) -> tuple[Future, int]:
        state = self._core.state(True)
        sent = sum(array.nbytes for array in state.values())
        return self._tasks.freeze(Frozen(self._template, self._model.options, state)), sent

    def _fetch(self, most: int) -> list[Rows]:
        taken = self._pieces.take(min(self._pieces.available(most), most))
        rows: list[Rows] = result_of(
            self._tasks.cut(taken), f"rows from {self._rows} of this call on"
        )
        return rows

    def _read_ahead(self) -> None:
        self._let_code()
        self._pieces.read_ahead()

    def _let_code(self) -> None:
        """Let workers make codes of what they read from now on, if the ranges are known."""
        if self._is_coding or not self._core.takes_codes:
            return
        coding = self._model.options, self._core.state(True)
        self._pieces.template = self._tasks.template(replace(self._template, coding=coding))
        self._is_coding = True

    # ---- telling --------------------------------------------------------------------------------

    def _report(
        self, rows: int, began: float, workers: int, error: float, received: int, sent: int
    ) -> None:
        self._rounds += 1
        self._rows += rows
        if self._callback is None:
            return
        self._callback(
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
