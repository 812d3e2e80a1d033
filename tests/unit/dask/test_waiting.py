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
    """A task that is done after some looks, on a cluster whose workers come and go."""

    def __init__(self, looks: int, workers: list[int]) -> None:
        self.looks, self.workers = looks, iter(workers)
        self.client = SimpleNamespace(nthreads=self._threads)

    def _threads(self) -> dict[str, int]:
        n = next(self.workers)
        return {"worker": n} if n > 0 else {}

    def add_done_callback(self, call: Any) -> None:
        """Do not call: a task may be done just before."""

    def done(self) -> bool:
        self.looks -= 1
        return self.looks <= 0

    def result(self) -> str:
        return "done"


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
    class Failed(SlowTask):
        def result(self) -> str:
            raise TimeoutError

    task: Any = Failed(1, [])
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
