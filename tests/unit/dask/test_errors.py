"""Errors name the rows, the worker, and what would be right."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from distributed import CancelledError
from distributed.scheduler import KilledWorker

from sgtrees.dask import PartitionError
from sgtrees.dask.errors import result_of


def future_that_raises(error: BaseException) -> Any:
    def result(timeout: float) -> Any:
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
        ("finished", ConnectionError, r"rows 5 to 9: it was not received .*part-3"),
    ],
)
def test_what_a_task_could_not_open_and_what_did_not_come(status, error, message) -> None:
    future = future_that_raises(FileNotFoundError("part-3"))
    future.status = status
    with pytest.raises(error, match=message):
        result_of(future, "rows 5 to 9")
