"""How a round is shared out: which blocks a task takes together, who takes it, how sums are added.

Blocks are added pairwise, in an order that depends on their number only: of n blocks the first
2^k < n and the rest, each by the same rule, then both. So a task may take any node of that tree.
"""

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

# Tasks are split no further where the busiest thread has at most so much more than its part.
_MOST_UNEVEN = 1.1
# Tasks that are split to make shares even, beside those that are larger than a thread's part.
_MOST_TRIES = 16


@dataclass
class Share:
    """Blocks that follow one another: for one task, or for two shares whose sums are added.

    Attributes
    ----------
    blocks : int
        How many.
    parts : tuple of Share
        The two shares, or nothing.
    """

    blocks: int
    parts: tuple["Share", ...] = ()

    def tasks(self) -> Iterator["Share"]:
        """Yield the shares of one task, in the order of their rows."""
        if not self.parts:
            yield self
        for part in self.parts:
            yield from part.tasks()

    def split(self) -> None:
        """Make two tasks of one, as its blocks are added."""
        self.parts = _split(self.blocks)


def _split(blocks: int) -> tuple[Share, Share]:
    first = 1 << ((blocks - 1).bit_length() - 1)
    return Share(first), Share(blocks - first)


def shared(n_blocks: int, n_threads: int) -> Share:
    """Share blocks among threads: in as few tasks as make them about even.

    Examples
    --------
    >>> [task.blocks for task in shared(9, 2).tasks()]
    [4, 4, 1]
    >>> [task.blocks for task in shared(10, 2).tasks()]
    [4, 4, 1, 1]
    >>> [task.blocks for task in shared(3, 8).tasks()]
    [1, 1, 1]
    """
    whole = Share(n_blocks)
    most = max(-(-n_blocks // n_threads), int(_MOST_UNEVEN * n_blocks / n_threads))
    _split_larger(whole, most)
    for _ in range(_MOST_TRIES):
        sizes = [task.blocks for task in whole.tasks()]
        if _busiest(sizes, n_threads) <= most or max(sizes) == 1:
            break
        best = min(
            {size for size in sizes if size > 1},
            key=lambda size: (_busiest(_with_split(sizes, size), n_threads), -size),
        )
        next(task for task in whole.tasks() if task.blocks == best).split()
    return whole


def placed(tasks: Sequence[Mapping[str, int]], threads: Mapping[str, int]) -> list[str]:
    """Say which worker takes each task: all have as much to do, and rows stay where they are.

    Parameters
    ----------
    tasks : sequence of mapping from str to int
        Of each task, how many of its rows each worker has.
    threads : mapping from str to int
        The threads of each worker.

    Examples
    --------
    >>> placed([{"a": 300, "b": 100}, {"b": 400}], {"a": 1, "b": 1})
    ['a', 'b']
    >>> placed([{"b": 400}, {"b": 390}, {"a": 10}], {"a": 1, "b": 1})
    ['b', 'a', 'a']
    """
    rows = [sum(task.values()) for task in tasks]
    loads = dict.fromkeys(threads, 0.0)
    places = [""] * len(tasks)
    for number in sorted(range(len(tasks)), key=lambda number: -rows[number]):
        by_worker = {w: loads[w] + rows[number] / max(threads[w], 1) for w in threads}
        least = _MOST_UNEVEN * min(by_worker.values())
        places[number] = max(
            (w for w in threads if by_worker[w] <= least),
            key=lambda w: (tasks[number].get(w, 0), -by_worker[w]),
        )
        loads[places[number]] = by_worker[places[number]]
    return places


def _split_larger(share: Share, most: int) -> None:
    if share.blocks > most:
        share.split()
        for part in share.parts:
            _split_larger(part, most)


def _with_split(sizes: list[int], size: int) -> list[int]:
    rest = list(sizes)
    rest.remove(size)
    return [*rest, *(part.blocks for part in _split(size))]


def _busiest(sizes: list[int], n_threads: int) -> int:
    """Return the blocks of the thread with most, where each takes the largest task that is left."""
    loads = [0] * n_threads
    for blocks in sorted(sizes, reverse=True):
        heapq.heapreplace(loads, loads[0] + blocks)
    return max(loads)
