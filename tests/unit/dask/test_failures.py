"""What the cluster cannot do is named: the rows, the worker, and what would be right."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from distributed import CancelledError
from distributed.scheduler import KilledWorker

from sgtrees import SGTRegressor
from sgtrees.dask import DaskSGTRegressor, PartitionError
from sgtrees.dask.estimators import _template, check_versions
from sgtrees.dask.failing import result_of
from sgtrees.dask.sharing import shared
from sgtrees.dask.work import prepare
from tests.unit.dask.streams_to_share import assert_same, frame, of_parts

pytestmark = pytest.mark.filterwarnings("ignore:Sending large graph")


def future_that_raises(error: BaseException) -> Any:
    def result() -> Any:
        raise error

    return SimpleNamespace(result=result)


def test_a_task_that_workers_die_of() -> None:
    worker: Any = SimpleNamespace(address="tcp://10.0.0.7:1234")
    future = future_that_raises(KilledWorker("gather-1", worker, 3))
    with pytest.raises(
        PartitionError,
        match=r"rows 5 to 9: 4 workers died .*tcp://10\.0\.0\.7:1234.*too little memory",
    ):
        result_of(future, "rows 5 to 9")


def test_a_scheduler_that_is_lost() -> None:
    with pytest.raises(ConnectionError, match="partition 3: the Dask scheduler has lost it"):
        result_of(future_that_raises(CancelledError("gone")), "partition 3")


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        ("error", PartitionError, "rows 5 to 9: FileNotFoundError: part-3"),
        ("finished", ConnectionError, r"rows 5 to 9: it did not come .*part-3"),
    ],
)
def test_what_a_task_could_not_open_and_what_did_not_come(status, error, message) -> None:
    future = future_that_raises(FileNotFoundError("part-3"))
    future.status = status
    with pytest.raises(error, match=message):
        result_of(future, "rows 5 to 9")


def test_a_partition_that_is_too_large() -> None:
    estimator = SGTRegressor().partial_fit([[1.0]], [1.0])

    def read() -> Any:
        raise MemoryError

    with pytest.raises(PartitionError, match="part-3: this process has too little memory for it"):
        prepare(_template(estimator), read, "part-3")


def test_a_worker_without_the_library() -> None:
    def get_versions(check: bool, packages: list[str]) -> Any:
        assert not check
        assert packages == ["sgtrees"]
        return {"workers": {"tcp://10.0.0.7:1": {"packages": {"sgtrees": None}}}}

    client: Any = SimpleNamespace(get_versions=get_versions)
    with pytest.raises(PartitionError, match=r"worker tcp://10\.0\.0\.7:1 does not have sgtrees"):
        check_versions(client)


def test_partitions_with_other_columns(client) -> None:
    data = frame(6000)[["a", "b", "score"]]
    first, second = data[:4000], data[4000:]
    settings: dict[str, Any] = {"warm_up": 100, "grace_period": 50, "round_rows": 1000}
    model = DaskSGTRegressor(client=client, **settings)
    renamed = second.rename(columns={"b": "c"})
    with pytest.raises(PartitionError, match=r"partition 1: KeyError: .*'b'"):
        model.fit(of_parts([first, renamed]), "score")
    # What was learned before is there: the rounds of the first partition.
    n_rows = model._model.core.n_rows
    assert n_rows > 0
    learned = first[:n_rows]
    here = SGTRegressor(**settings).partial_fit(learned[["a", "b"]], learned["score"])
    assert_same(here, model)


@pytest.mark.parametrize("n_threads", [1, 2, 3, 8, 64])
@pytest.mark.parametrize("n_blocks", [1, 2, 3, 7, 9, 31, 100])
def test_rounds_are_shared_out_evenly(n_blocks: int, n_threads: int) -> None:
    whole = shared(n_blocks, n_threads)
    tasks = [task.blocks for task in whole.tasks()]
    assert sum(tasks) == n_blocks
    assert len(tasks) <= 8 * n_threads
    begin = 0
    for blocks in tasks:  # nodes of the tree by which blocks are added
        assert begin % (1 << (blocks - 1).bit_length()) == 0 or begin + blocks == n_blocks
        begin += blocks
    if n_threads < n_blocks:
        assert max(tasks) <= -(-n_blocks // n_threads) + n_blocks // (2 * n_threads) + 1
