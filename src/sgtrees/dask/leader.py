"""The leader of a training: it schedules rounds, and grows the trees from their statistics."""

import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import nan
from typing import Any

from distributed import Client, Future

from sgtrees.dask.blocks import for_core
from sgtrees.dask.cluster_tasks import ClusterTasks
from sgtrees.dask.errors import result_of, scheduler_errors, scheduler_lost
from sgtrees.dask.progress import Callback, RoundReport
from sgtrees.dask.row_queue import PendingPartition, RowQueue
from sgtrees.dask.rows import Rows
from sgtrees.dask.schedule import SumNode, assign_workers, schedule_round
from sgtrees.dask.statistics import FrozenTrees, Gathered
from sgtrees.dask.template import Template
from sgtrees.models.model import Model

# The number of rows that the leader fetches at a time to learn them itself.
_FETCHED_ROWS = 1 << 16


class Leader:
    """Trains a model on partitions, in their order.

    Parameters
    ----------
    client : Client
        The cluster.
    model : Model
        The model, which knows its columns.
    template : Template
        Its estimator before any row.
    callback : callable, optional
        Called with a `RoundReport` after each round.
    measures : bool, default=False
        Whether workers measure the error of the trees, too.
    """

    _queue: RowQueue

    def __init__(
        self,
        client: Client,
        model: Model[Any],
        template: Template,
        callback: Callback | None = None,
        *,
        measures: bool = False,
    ) -> None:
        self._client = client
        self._model = model
        self._template = template
        self._callback = callback
        self._tasks = ClusterTasks(client, measures=measures)
        self._threads: dict[str, int] = {}
        self._n_partitions = 0
        self._is_encoding = False
        self._rounds = self._rows = 0

    # ---- learning -------------------------------------------------------------------------------

    def learn(
        self, partitions: Iterable[PendingPartition], *, n_partitions: int, ends: bool
    ) -> None:
        """Learn all rows; with ``ends``, as in `fit`, the last row ends its round."""
        if ends:
            self._core.watch_errors(False)
        with scheduler_errors():
            template = self._tasks.template(self._template)
            self._queue = RowQueue(
                self._model, partitions, template, self._tasks.summary, lambda: self._threads
            )
            self._n_partitions = n_partitions
            self._find_workers()
            self._start_encoding()
            self._learn_queue(ends=ends)
        if ends:
            self._core.end_warm_up()
            self._core.end_round()
            self._core.restart_following()
            self._core.watch_errors(True)

    def _learn_queue(self, *, ends: bool) -> None:
        while self._queue.available(1) > 0:
            began = time.perf_counter()
            self._find_workers()
            size, is_frozen, _, waiting, block = self._core.round
            is_shared = is_frozen and size > block
            if self._core.warming_up or not is_shared or waiting > 0:
                self._learn_locally(began)
            else:
                self._learn_round(began, ends=ends)

    def _find_workers(self) -> None:
        """Find the present workers; if there is none, tasks wait for one."""
        try:
            found = self._client.nthreads()
        except (OSError, RuntimeError) as error:  # no answer, or a client that has been closed
            raise scheduler_lost(error) from error
        if found or not self._threads:
            self._threads = {str(worker): int(n) for worker, n in found.items()} or {"": 1}

    @property
    def _core(self) -> Any:
        return self._model.core

    def _learn_locally(self, began: float) -> None:
        """Let the leader itself learn rows: the warm-up, and the rest of a block."""
        size, is_frozen, came, waiting, block = self._core.round
        if self._core.warming_up:
            most = self._model.options["warm_up"] - self._core.n_rows
        elif is_frozen and size > block:
            most = min(size - came, block - waiting)
        else:
            # While the trees are small, a round is at most one block.
            most = _FETCHED_ROWS
        self._learn_fetched(most, began)

    def _learn_fetched(self, most: int, began: float) -> None:
        parts = self._fetch(most)
        self._prefetch()
        for rows in parts:
            with self._model.guard(rows.weights):
                self._core.learn(for_core(rows.X), rows.y, rows.weights)
        self._report(sum(len(rows.y) for rows in parts), began, 0, nan, 0, 0)

    def _learn_round(self, began: float, *, ends: bool) -> None:
        size, _, came, _, block = self._core.round
        most = size - came
        self._queue.begin_round(most)
        wanted = min(self._queue.available(most), most)
        is_whole = wanted == most or ends
        if self._model.takes_many_classes:
            before = self._queue.rows_before_new_class(wanted)
            if before == 0:
                self._core.admit_class(self._queue.weight_of_new_class())
                return
            is_whole |= before < wanted
            wanted = before
        if came == 0 and is_whole:
            self._absorb_sum(wanted, block, began)
            return
        # Block by block, as the core adds them itself; a part of a block waits in the core.
        if wanted < block and not is_whole:
            self._learn_fetched(wanted, began)
            return
        groups = [min(block, wanted - at) for at in range(0, wanted, block)]
        if not is_whole and groups[-1] < block:
            groups.pop()
        self._absorb_all(groups, began)

    def _absorb_sum(self, wanted: int, block: int, began: float) -> None:
        """Let workers add their partial statistics pairwise; the leader adds the last two."""
        whole = schedule_round(-(-wanted // block), sum(self._threads.values()))
        trees, sent = self._freeze()
        rows = [task.blocks * block for task in whole.tasks()]
        rows[-1] = wanted - sum(rows[:-1])
        gathered = self._gather(trees, rows)
        n_tasks = len(gathered)
        parts = iter(gathered)
        sums = [self._sum(part, trees, parts) for part in whole.parts or (whole,)]
        self._absorb(sums, wanted, began, n_tasks, sent)

    def _sum(self, node: SumNode, trees: Future, parts: Iterator[Future]) -> Future:
        if not node.parts:
            return next(parts)
        first, later = [self._sum(part, trees, parts) for part in node.parts]
        return self._tasks.add(trees, first, later)

    def _absorb_all(self, groups: list[int], began: float) -> None:
        trees, sent = self._freeze()
        for rows, part in zip(groups, self._gather(trees, groups), strict=True):
            self._absorb([part], rows, began, 1, sent)

    def _absorb(
        self, parts: list[Future], rows: int, began: float, workers: int, sent: int
    ) -> None:
        """Absorb the statistics of consecutive rows, all or none of them."""
        where = f"rows {self._rows} to {self._rows + rows - 1} of this call"
        self._prefetch()  # workers that are done read the rows of the next round
        gathered: list[Gathered] = [result_of(part, where) for part in parts]
        for part in gathered:
            self._core.absorb(part.partial, self._model.schema.n_categories)
        weight = sum(part.weight for part in gathered)
        error = sum(part.error for part in gathered) / weight if weight else nan
        received = sum(part.n_bytes for part in gathered)
        self._report(rows, began, min(workers, len(self._threads)), error, received, sent)

    def _gather(self, trees: Future, rows: list[int]) -> list[Future]:
        """Let workers gather the next rows, with the number of rows of each task."""
        tasks = [self._queue.take(n) for n in rows]
        held: list[Counter[str]] = [Counter() for _ in tasks]
        for of_task, slices in zip(held, tasks, strict=True):
            for part in slices:
                of_task[part.worker] += len(part.range)
        workers = assign_workers(held, self._threads)
        return [
            self._tasks.gather(trees, slices, worker)
            for worker, slices in zip(workers, tasks, strict=True)
        ]

    def _freeze(self) -> tuple[Future, int]:
        state = self._core.state(True)
        sent = sum(array.nbytes for array in state.values())
        categories = self._model.schema.n_categories
        trees = FrozenTrees(self._template, self._model.options, state, categories)
        return self._tasks.freeze(trees), sent

    def _fetch(self, most: int) -> list[Rows]:
        slices = self._queue.take(min(self._queue.available(most), most))
        rows: list[Rows] = result_of(
            self._tasks.fetch(slices), f"rows from {self._rows} of this call on"
        )
        return rows

    def _prefetch(self) -> None:
        self._start_encoding()
        self._queue.prefetch()

    def _start_encoding(self) -> None:
        """Let workers encode rows that they read from now on, once the bins are known."""
        if self._is_encoding or not self._core.takes_codes:
            return
        encoder_state = self._model.options, self._core.state(True)
        template = replace(self._template, encoder_state=encoder_state)
        self._queue.template = self._tasks.template(template)
        self._is_encoding = True

    # ---- progress -------------------------------------------------------------------------------

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
                self._queue.n_learned / max(self._n_partitions, 1),
            )
        )
