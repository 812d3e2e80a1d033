"""The message pattern of a round at many workers: `python -m benchmarks.cluster.simulation`.

Each task of a round is a moment at which it is ready: the scheduler hands tasks out one after the
other, workers read and gather, sums travel and are added pairwise, and the leader absorbs the last.
The constants are what was measured on one machine (processor time, `speed.py`); those of the
network and of the scheduler are assumptions, and can be given.
"""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import dataclass

from benchmarks.report import markdown_table


def rows_of_block(rows: int) -> int:
    """A round has 2^k blocks (docs/algorithm.md, "Rounds")."""

    def power_of_two(most_rows: int) -> int:
        return 1 << (-(-rows // most_rows) - 1).bit_length()

    return -(-rows // max(min(power_of_two(32_768), 8), power_of_two(131_072)))


@dataclass(frozen=True)
class Costs:
    """In seconds, rows and bytes; defaults: the committee of seven classes over 54 features."""

    read: float = 0.45e-6  # for each row: Parquet to a block of numbers
    gather: float = 2.7e-6  # for each row, with the sums of the blocks of a task
    bytes_of_leaf: float = 14_900.0  # of the partial statistics of a leaf that has seen many rows
    rows_to_fill: float = 150.0  # rows of a leaf after which 1 - 1/e of its cells have occurred
    add: float = 0.5e-9  # for each byte of the later of two
    absorb: float = 0.6e-9  # for each byte
    consider: float = 30e-6  # for each leaf
    bytes_of_node: float = 100.0
    task: float = 1e-3  # the scheduler's time for a task
    latency: float = 2e-3  # of a message
    bandwidth: float = 1.0e9  # bytes a second and machine


def partial_bytes(costs: Costs, rows: float, trees: int, leaves: float) -> float:
    """Of the statistics of so many rows in trees of `leaves` leaves each."""
    filled = 1.0 - math.exp(-rows / (leaves * costs.rows_to_fill))
    return trees * leaves * costs.bytes_of_leaf * filled


def seconds_of_round(
    costs: Costs, rows: int, workers: int, trees: int, leaves: float
) -> tuple[float, float, float]:
    """Return the seconds of a round, those of the leader among them, and the bytes it receives."""
    blocks = -(-rows // rows_of_block(rows))
    together = 1
    while blocks > together * workers:
        together *= 2
    n_tasks = -(-blocks // together)
    rows_of_task = rows / n_tasks
    trees_sent = trees * 2 * leaves * costs.bytes_of_node
    # The trees go from worker to worker, twice as many after each step.
    broadcast = math.ceil(math.log2(workers + 1)) * (costs.latency + trees_sent / costs.bandwidth)
    work = rows_of_task * (costs.read + costs.gather)
    free = [0.0] * workers
    ready = []
    for task in range(n_tasks):
        worker = min(range(workers), key=lambda w: free[w])
        free[worker] = max(free[worker], broadcast + (task + 1) * costs.task) + work
        ready.append((free[worker], rows_of_task))
    while len(ready) > 2:  # these the leader adds
        following = []
        for i in range(0, len(ready) - 1, 2):
            (a, n), (b, m) = ready[i], ready[i + 1]
            size = partial_bytes(costs, m, trees, leaves)
            moved = costs.latency + size / costs.bandwidth + costs.add * size + costs.task
            following.append((max(a, b) + moved, n + m))
        if len(ready) % 2:
            following.append(ready[-1])
        ready = following
    received = sum(partial_bytes(costs, n, trees, leaves) for _, n in ready)
    leader = received * costs.absorb + trees * leaves * costs.consider
    arrival = max(moment for moment, _ in ready) + costs.latency + received / costs.bandwidth
    return arrival + leader, leader, received


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=6)
    parser.add_argument("--leaves", type=float, nargs="*", default=[200, 2000, 20000])
    parser.add_argument("--grace-period", type=int, default=2000)
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 10, 100, 1000])
    arguments = parser.parse_args()
    costs, lines = Costs(), []
    for leaves in arguments.leaves:
        rows = int(0.5 * leaves * arguments.grace_period)
        # One process sends nothing.
        _, leader, _ = seconds_of_round(costs, rows, 1, arguments.trees, leaves)
        alone = rows * (costs.read + costs.gather) + leader
        for workers in arguments.workers:
            seconds, leader, received = seconds_of_round(
                costs, rows, workers, arguments.trees, leaves
            )
            lines.append(
                [
                    f"{leaves:,.0f}",
                    f"{rows:,}",
                    str(workers),
                    f"{seconds:.2f}",
                    f"{rows / seconds:,.0f}",
                    f"{alone / seconds:.1f}",
                    f"{100 * leader / seconds:.0f} %",
                    f"{received / rows:,.0f}",
                ]
            )
    head = ["leaves of a tree", "rows of a round", "workers", "s a round", "rows/s"]
    head += ["x one process", "leader alone", "bytes received a row"]
    sys.stdout.write(markdown_table(head, lines) + "\n")


if __name__ == "__main__":
    main()
