"""A training does not wait for ever for workers that have gone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import dask
import pytest
from distributed import Client, LocalCluster

from sgtrees.dask import DaskSGTClassifier
from sgtrees.dask.errors import result_of
from sgtrees.dask.waiting import NoWorkersError, wait_for
from tests.unit.dask.example_frames import cut_at, frame


class SlowTask:
    """A task whose result has come after some attempts, on a cluster whose workers come and go."""

    def __init__(self, attempts: int, workers: list[int], status: str = "pending") -> None:
        self.attempts, self.workers, self.status = attempts, iter(workers), status
        self.client = SimpleNamespace(nthreads=self._threads)

    def _threads(self) -> dict[str, int]:
        n = next(self.workers)
        return {"worker": n} if n > 0 else {}

    def result(self, timeout: float) -> str:
        time.sleep(timeout)
        self.attempts -= 1
        if self.attempts > 0:
            raise TimeoutError
        return "done"


def test_a_result_that_takes_longer_to_come_is_waited_for() -> None:
    class Large(SlowTask):
        def result(self, timeout: float) -> str:
            if timeout < 1.0:
                raise TimeoutError
            return "done"

    with dask.config.set({"sgtrees.workers-timeout": "20ms"}):
        task: Any = Large(1, [1] * 20, status="finished")
        assert wait_for(task) == "done"


def test_a_result_that_was_lost_with_all_workers_is_not_waited_for() -> None:
    with dask.config.set({"sgtrees.workers-timeout": "20ms"}):
        task: Any = SlowTask(100, [0] * 100, status="finished")
        with pytest.raises(NoWorkersError):
            wait_for(task)


def test_a_slow_task_is_waited_for_while_there_are_workers() -> None:
    with dask.config.set({"sgtrees.workers-timeout": "20ms"}):
        task: Any = SlowTask(6, [1] * 6)
        assert wait_for(task) == "done"


def test_workers_that_are_replaced_in_time_cost_nothing(monkeypatch) -> None:
    monkeypatch.setattr("sgtrees.dask.waiting._SECONDS_BETWEEN", 0.01)
    with dask.config.set({"sgtrees.workers-timeout": "10s"}):
        task: Any = SlowTask(6, [1, 0, 0, 1, 0])
        assert wait_for(task) == "done"


def test_workers_that_have_gone_are_an_error_that_names_the_rows() -> None:
    with dask.config.set({"sgtrees.workers-timeout": "20ms"}):
        task: Any = SlowTask(100, [1, 0, 0, 0])
        with pytest.raises(ConnectionError, match=r"rows 5 to 9: .*no worker for 0\.02 s"):
            result_of(task, "rows 5 to 9")


def test_a_tasks_own_timeout_is_its_error() -> None:
    task: Any = SlowTask(100, [], status="error")
    with pytest.raises(TimeoutError) as caught:
        wait_for(task)
    assert not isinstance(caught.value, NoWorkersError)


@contextmanager
def two_workers(scheduler: str) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Processes without a nanny, which would start them again."""
    command = [sys.executable, "-m", "distributed.cli.dask_worker", scheduler]
    command += ["--no-nanny", "--nthreads=1", "--no-dashboard"]
    workers = [subprocess.Popen(command, stderr=subprocess.DEVNULL) for _ in range(2)]
    try:
        yield workers
    finally:
        for worker in workers:
            worker.kill()
            worker.wait()


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_training_ends_when_all_workers_are_terminated() -> None:
    data = frame(60_000)[["a", "colour", "b", "label"]]
    parts = cut_at(data, list(range(5000, 60_000, 5000)))
    settings: dict[str, Any] = {"warm_up": 1000, "round_rows": 10_000, "grace_period": 100}
    with (
        dask.config.set({"sgtrees.workers-timeout": "3s"}),
        LocalCluster(n_workers=0, dashboard_address=":0") as cluster,
        Client(cluster) as client,
        two_workers(cluster.scheduler_address) as workers,
    ):
        client.wait_for_workers(2)

        def terminate(_: Any) -> None:
            for worker in workers:
                worker.send_signal(signal.SIGTERM)
            for worker in workers:
                try:
                    worker.wait(10)
                except subprocess.TimeoutExpired:  # it still tries to hand over what it has
                    worker.kill()
            while client.nthreads():
                time.sleep(0.1)

        model = DaskSGTClassifier(client=client, **settings)
        errors: list[BaseException] = []

        def train() -> None:
            try:
                model.fit(parts, "label", callback=terminate)
            except ConnectionError as error:
                errors.append(error)

        training = threading.Thread(target=train, daemon=True)
        training.start()
        training.join(120)
        assert not training.is_alive()
    (error,) = errors
    assert "no worker for 3 s" in str(error)
