"""The schedule of a round: which blocks a task gathers, which worker runs it, how sums are added.

Blocks are added pairwise, in an order that depends on their number only: of n blocks the first
2^k < n and the rest, each by the same rule, then both. So a task may gather any node of that tree.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

# Tasks are split until the busiest thread has at most this many times its share.
_MAX_IMBALANCE = 1.1
# The largest number of tasks that are split to balance threads.
_MAX_SPLITS = 16


@dataclass
class SumNode:
    """Consecutive blocks: gathered by one task, or the sum of two parts.

    Attributes
    ----------
    blocks : int
        The number of blocks.
    parts : tuple of SumNode
        The two parts; empty for a task.
    """

    blocks: int
    parts: tuple["SumNode", ...] = ()

    def tasks(self) -> Iterator["SumNode"]:
        """Yield the tasks, in the order of their rows."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.tasks()

    def split(self) -> None:
        """Split a task into the two parts of its sum."""
        self.parts = _split(self.blocks)


def _split(blocks: int) -> tuple[SumNode, SumNode]:
    first = 1 << ((blocks - 1).bit_length() - 1)
    return SumNode(first), SumNode(blocks - first)


def schedule_round(n_blocks: int, n_threads: int) -> SumNode:
    """Return the tasks of a round: as few as give all threads about equally many blocks.

    Examples
    --------
    >>> [task.blocks for task in schedule_round(9, 2).tasks()]
    [4, 4, 1]
    >>> [task.blocks for task in schedule_round(10, 2).tasks()]
    [4, 4, 1, 1]
    >>> [task.blocks for task in schedule_round(3, 8).tasks()]
    [1, 1, 1]
    """
    whole = SumNode(n_blocks)
    most = max(-(-n_blocks // n_threads), int(_MAX_IMBALANCE * n_blocks / n_threads))
    _split_larger(whole, most)
    for _ in range(_MAX_SPLITS):
        sizes = [task.blocks for task in whole.tasks()]
        if _busiest(sizes, n_threads) <= most or max(sizes) == 1:
            break
        best = min(
            {size for size in sizes if size > 1},
            key=lambda size: (_busiest(_with_split(sizes, size), n_threads), -size),
        )
        next(task for task in whole.tasks() if task.blocks == best).split()
    return whole


def assign_workers(tasks: Sequence[Mapping[str, int]], threads: Mapping[str, int]) -> list[str]:
    """Return the worker of each task: loads are even, and most rows are already there.

    Parameters
    ----------
    tasks : sequence of mapping from str to int
        For each task, the number of its rows that each worker holds.
    threads : mapping from str to int
        The number of threads of each worker.

    Examples
    --------
    >>> assign_workers([{"a": 300, "b": 100}, {"b": 400}], {"a": 1, "b": 1})
    ['a', 'b']
    >>> assign_workers([{"b": 400}, {"b": 390}, {"a": 10}], {"a": 1, "b": 1})
    ['b', 'a', 'a']
    """
    rows = [sum(task.values()) for task in tasks]
    loads = dict.fromkeys(threads, 0.0)
    workers = [""] * len(tasks)
    for number in sorted(range(len(tasks)), key=lambda number: -rows[number]):
        by_worker = {w: loads[w] + rows[number] / max(threads[w], 1) for w in threads}
        least = _MAX_IMBALANCE * min(by_worker.values())
        workers[number] = max(
            (w for w in threads if by_worker[w] <= least),
            key=lambda w: (tasks[number].get(w, 0), -by_worker[w]),
        )
        loads[workers[number]] = by_worker[workers[number]]
    return workers


def _split_larger(node: SumNode, most: int) -> None:
    if node.blocks > most:
        node.split()
        for part in node.parts:
            _split_larger(part, most)


def _with_split(sizes: list[int], size: int) -> list[int]:
    rest = list(sizes)
    rest.remove(size)
    return [*rest, *(part.blocks for part in _split(size))]


def _busiest(sizes: list[int], n_threads: int) -> int:
    """Return the most blocks of a thread, if each in turn takes the largest task left."""
    loads = [0] * n_threads
    for blocks in sorted(sizes, reverse=True):
        heapq.heapreplace(loads, loads[0] + blocks)
    return max(loads)
