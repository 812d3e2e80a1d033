"""How a round is shared out: which blocks a task takes together, and how sums are added.

Blocks are added pairwise, in an order that depends on their number only: of n blocks the first
2^k < n and the rest, each by the same rule, then both. So a task may take any node of that tree.
"""

from collections.abc import Iterator
from dataclasses import dataclass

# Tasks are split no further where the busiest thread has at most so much more than its part.
_MOST_UNEVEN = 1.1


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
        first = 1 << ((self.blocks - 1).bit_length() - 1)
        self.parts = (Share(first), Share(self.blocks - first))


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
    while _busiest(whole, n_threads) > _MOST_UNEVEN * n_blocks / n_threads:
        largest = max(whole.tasks(), key=lambda task: task.blocks)
        if largest.blocks == 1:
            break
        largest.split()
    return whole


def _busiest(whole: Share, n_threads: int) -> int:
    """Return the blocks of the thread with most, where each takes the largest task that is left."""
    loads = [0] * n_threads
    for blocks in sorted((task.blocks for task in whole.tasks()), reverse=True):
        loads[loads.index(min(loads))] += blocks
    return max(loads)
