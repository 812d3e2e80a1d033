"""What the cluster is asked to do: tasks, with what they wait for, and where they had best run."""

from collections.abc import Callable
from itertools import count
from typing import Any

from distributed import Client, Future

from sgtrees.dask.pieces import Taken
from sgtrees.dask.work import Frozen, Template, add, cut, freeze, gather, summary_of

# What a round waits for comes before what is read ahead, and what others wait for before that.
_SOON, _FIRST = 1, 2


class Tasks:
    """The tasks of one leader.

    Parameters
    ----------
    client : Client
        The cluster.
    measures : bool
        Whether workers find out the error of the trees, too.
    """

    _leaders = count()

    def __init__(self, client: Client, *, measures: bool) -> None:
        self._client = client
        self._measures = measures
        self._leader = f"{id(self):x}-{next(self._leaders)}"
        self._numbers = count()

    def template(self, template: Template) -> Future:
        """Let all workers have what they start from."""
        return self._client.submit(_same, template, key=self._key("template"))

    def freeze(self, frozen: Frozen) -> Future:
        """Let the trees of a round be where they are needed."""
        return self._submit(freeze, frozen, name="freeze")

    def summary(self, partition: Future) -> Future:
        """Find out what the leader must know of a partition."""
        return self._submit(summary_of, partition, name="summary")

    def cut(self, taken: list[Taken]) -> Future:
        """Bring rows together, for the leader to learn them."""
        cuts, partitions = [p.cut for p in taken], [p.partition for p in taken]
        return self._submit(cut, cuts, *partitions, name="cut")

    def add(self, frozen: Future, first: Future, later: Future) -> Future:
        """Add partial statistics."""
        return self._submit(add, frozen, first, later, name="add")

    def gather(self, frozen: Future, taken: list[Taken], worker: str) -> Future:
        """Let a worker gather rows; what it does not have comes to it."""
        cuts, partitions = [p.cut for p in taken], [p.partition for p in taken]
        return self._submit(
            gather, frozen, cuts, self._measures, *partitions, name="gather", worker=worker
        )

    def _submit(
        self, function: Callable[..., Any], *arguments: Any, name: str, worker: str = ""
    ) -> Future:
        """Submit a task, best done by a worker: by another one where that is gone."""
        return self._client.submit(
            function,
            *arguments,
            key=self._key(name),
            pure=True,
            priority=_SOON if function is gather else _FIRST,
            workers=[worker] if worker else None,
            allow_other_workers=bool(worker),
        )

    def _key(self, name: str) -> str:
        return f"sgtrees-{name}-{self._leader}-{next(self._numbers)}"


def _same(value: Any) -> Any:
    return value
