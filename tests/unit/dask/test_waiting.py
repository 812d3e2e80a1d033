"""A training does not wait for ever for workers that have gone."""

from __future__ import annotations

import os
import signal
import threading
import time
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
    """A task that is done after some attempts, on a cluster whose workers come and go."""

    status = "pending"

    def __init__(self, attempts: int, workers: list[int]) -> None:
        self.attempts, self.workers = attempts, iter(workers)
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
        status = "error"

    task: Any = Failed(100, [])
    with pytest.raises(TimeoutError) as caught:
        wait_for(task)
    assert not isinstance(caught.value, NoWorkersError)


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_a_training_ends_when_all_workers_are_terminated() -> None:
    data = frame(60_000)[["a", "colour", "b", "label"]]
    parts = cut_at(data, list(range(5000, 60_000, 5000)))
    settings: dict[str, Any] = {"warm_up": 1000, "round_rows": 10_000, "grace_period": 100}
    with (
        dask.config.set({"sgtrees.workers-timeout": "3s"}),
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster) as client,
    ):
        pids = sorted(client.run(os.getpid).values())

        def terminate(_: Any) -> None:
            while pids:
                os.kill(pids.pop(), signal.SIGTERM)
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
