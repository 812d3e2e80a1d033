from __future__ import annotations

import pytest

from sgtrees.dask.schedule import schedule_round


@pytest.mark.parametrize("n_threads", [1, 2, 3, 8, 64])
@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7, 9, 31, 100])
def test_rounds_are_split_evenly(n_blocks: int, n_threads: int) -> None:
    whole = schedule_round(n_blocks, n_threads)
    tasks = [task.blocks for task in whole.tasks()]
    assert sum(tasks) == n_blocks
    assert len(tasks) <= 8 * n_threads
    begin = 0
    for blocks in tasks:  # nodes of the tree by which blocks are added
        assert begin % (1 << (blocks - 1).bit_length()) == 0 or begin + blocks == n_blocks
        begin += blocks
    if n_threads < n_blocks:
        assert max(tasks) <= -(-n_blocks // n_threads) + n_blocks // (2 * n_threads) + 1
