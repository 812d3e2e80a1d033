"""The tasks that a leader submits to the cluster."""

from collections.abc import Callable
from itertools import count
from typing import Any

from distributed import Client, Future

from sgtrees.dask.partition import select_rows, summary_of
from sgtrees.dask.row_queue import RowSlice
from sgtrees.dask.statistics import FrozenTrees, add, gather
from sgtrees.dask.template import Template

# Tasks of the present round come before prefetching, and their inputs before them.
_ROUND, _INPUT = 1, 2


class ClusterTasks:
    """The tasks of one leader.

    Parameters
    ----------
    client : Client
        The cluster.
    measures : bool
        Whether workers measure the error of the trees, too.
    """

    _leaders = count()

    def __init__(self, client: Client, *, measures: bool) -> None:
        self._client = client
        self._measures = measures
        self._leader = f"{id(self):x}-{next(self._leaders)}"
        self._numbers = count()

    def template(self, template: Template) -> Future:
        """Send the template to the workers."""
        return self._client.submit(_identity, template, key=self._key("template"))

    def freeze(self, trees: FrozenTrees) -> Future:
        """Send the trees of a round to the workers."""
        return self._submit(_identity, trees, name="freeze")

    def summary(self, partition: Future) -> Future:
        """Return the summary of a partition."""
        return self._submit(summary_of, partition, name="summary")

    def fetch(self, slices: list[RowSlice]) -> Future:
        """Collect rows, for the leader to learn them."""
        ranges, partitions = [s.range for s in slices], [s.partition for s in slices]
        return self._submit(select_rows, ranges, *partitions, name="fetch")

    def add(self, trees: Future, first: Future, later: Future) -> Future:
        """Add partial statistics."""
        return self._submit(add, trees, first, later, name="add")

    def gather(self, trees: Future, slices: list[RowSlice], worker: str) -> Future:
        """Gather the partial statistics of rows, preferably on a given worker."""
        ranges, partitions = [s.range for s in slices], [s.partition for s in slices]
        arguments = (trees, ranges, self._measures, *partitions)
        return self._submit(gather, *arguments, name="gather", worker=worker)

    def _submit(
        self, function: Callable[..., Any], *arguments: Any, name: str, worker: str = ""
    ) -> Future:
        """Submit a task, preferably to a worker; another one takes it if that one is lost."""
        return self._client.submit(
            function,
            *arguments,
            key=self._key(name),
            pure=True,
            priority=_ROUND if function is gather else _INPUT,
            workers=[worker] if worker else None,
            allow_other_workers=bool(worker),
        )

    def _key(self, name: str) -> str:
        return f"sgtrees-{name}-{self._leader}-{next(self._numbers)}"


def _identity(value: Any) -> Any:
    """Return a value: a task of Dask's graph that can be repeated if its worker is lost."""
    return value
