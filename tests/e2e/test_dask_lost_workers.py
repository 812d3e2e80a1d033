"""Workers that die, come late or are slow: the same model, and no row lost or counted twice."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest
from distributed import Client, LocalCluster

from sgtrees import SGTClassifier
from sgtrees.dask import DaskSGTClassifier, RoundReport
from tests.unit.dask.example_frames import assert_same, cut_at, frame

pytestmark = pytest.mark.filterwarnings("ignore")

SETTINGS: dict[str, Any] = {
    "warm_up": 1000,
    "round_rows": 40_000,
    "grace_period": 100,
    "delta": 0.01,
    "gamma": 0.1,
}
FEATURES = ["a", "colour", "b"]
N_PARTS = 24
TIMES = 50
SECONDS_TO_COME_BACK = 8


@pytest.fixture(scope="module")
def here() -> tuple[Any, Any]:
    data = frame(240_000)[[*FEATURES, "label"]]
    model = SGTClassifier(epochs=1, **SETTINGS).fit(data[FEATURES], data["label"])
    return data, model


def cluster_of(n_workers: int) -> LocalCluster:
    return LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0")


def parts_of(data: Any) -> Any:
    return cut_at(data, [len(data) * place // N_PARTS for place in range(1, N_PARTS)])


def kill_one(client: Client, chance: random.Random) -> None:
    pids = client.run(os.getpid)
    os.kill(chance.choice(sorted(pids.values())), signal.SIGKILL)


@pytest.mark.long
def test_a_worker_is_killed_in_the_middle(here) -> None:
    data, expected = here
    with cluster_of(2) as cluster, Client(cluster) as client:
        reports: list[RoundReport] = []

        def callback(report: RoundReport) -> None:
            reports.append(report)
            if len(reports) == 3:
                kill_one(client, random.Random(0))

        model = DaskSGTClassifier(client=client, **SETTINGS).fit(
            parts_of(data), "label", callback=callback
        )
    assert reports[-1].rows == len(data)
    assert_same(expected, model)


@pytest.mark.long
def test_workers_are_killed_fifty_times(here) -> None:
    data, expected = here
    chance = random.Random(1)
    killed, alone_since = 0, time.monotonic()
    with cluster_of(2) as cluster, Client(cluster) as client:
        ddf = parts_of(data)
        while killed < TIMES:
            stop = threading.Event()

            def kill_in_a_while(stop: threading.Event = stop) -> None:
                nonlocal killed, alone_since
                while not stop.wait(chance.uniform(0.2, 3.0)):
                    if len(client.nthreads()) >= 2:
                        alone_since = time.monotonic()
                        if killed < TIMES:
                            kill_one(client, chance)
                            killed += 1
                    elif time.monotonic() - alone_since > SECONDS_TO_COME_BACK:
                        # Its nanny has given up: another one takes its place.
                        cluster.scale(len(cluster.workers) + 1)
                        alone_since = time.monotonic()

            killer = threading.Thread(target=kill_in_a_while)
            killer.start()
            try:
                model = DaskSGTClassifier(client=client, **SETTINGS).fit(ddf, "label")
            finally:
                stop.set()
                killer.join()
            assert model._model.core.n_rows == len(data)
            assert_same(expected, model)


@pytest.mark.long
def test_a_worker_comes_in_the_middle(here) -> None:
    data, expected = here
    with cluster_of(1) as cluster, Client(cluster) as client:
        rounds = 0

        def callback(_: RoundReport) -> None:
            nonlocal rounds
            rounds += 1
            if rounds == 3:
                cluster.scale(3)
                client.wait_for_workers(3)

        model = DaskSGTClassifier(client=client, **SETTINGS).fit(
            parts_of(data), "label", callback=callback
        )
    assert_same(expected, model)


@pytest.mark.long
def test_a_worker_pauses_for_ten_seconds(here) -> None:
    data, expected = here
    with cluster_of(2) as cluster, Client(cluster) as client:
        pid = next(iter(client.run(os.getpid).values()))
        rounds = 0

        def wake_later() -> None:
            time.sleep(10)
            os.kill(pid, signal.SIGCONT)

        def callback(_: RoundReport) -> None:
            nonlocal rounds
            rounds += 1
            if rounds == 3:
                os.kill(pid, signal.SIGSTOP)
                threading.Thread(target=wake_later).start()

        model = DaskSGTClassifier(client=client, **SETTINGS).fit(
            parts_of(data), "label", callback=callback
        )
    assert np.isfinite(model.to_local().predict_proba(data[FEATURES][:10])).all()
    assert_same(expected, model)
