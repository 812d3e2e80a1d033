"""What breaks in a real cluster: processes of their own that lack something, or are gone."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from distributed import Client, LocalCluster

from sgtrees import SGTClassifier
from sgtrees.dask import DaskSGTClassifier, PartitionError, RoundReport
from tests.unit.dask.example_frames import assert_same, cut_at, frame

pytestmark = pytest.mark.filterwarnings("ignore")

FEATURES = ["a", "colour", "b"]
SETTINGS: dict[str, Any] = {
    "warm_up": 1000,
    "round_rows": 20_000,
    "grace_period": 100,
    "delta": 0.01,
    "gamma": 0.1,
}
PROJECT = Path(__file__).parents[2]
RUN_WORKER = "from distributed.cli.dask_worker import main; main()"


@contextmanager
def processes(
    folder: Path, *, packages: Path | None = None
) -> Iterator[tuple[Client, subprocess.Popen[bytes]]]:
    """A scheduler and a worker, each in a process of its own; that one may have other packages."""
    place = folder / "scheduler.json"
    scheduler_command = ["-m", "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard"]
    worker_command = ["-c", RUN_WORKER]
    if packages is not None:
        # Without the `site` module there are no packages but those that are put there.
        found = f"import sys; sys.path.append({str(packages)!r}); "
        worker_command = ["-S", "-c", found + RUN_WORKER]
    worker_command += ["--no-dashboard", "--nthreads", "1", "--no-nanny"]
    started = [
        subprocess.Popen(
            [sys.executable, *command, "--scheduler-file", str(place)],
            env=os.environ | {"PYTHONPATH": str(PROJECT)},  # the tests, but not the library
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for command in (scheduler_command, worker_command)
    ]
    try:
        until = time.monotonic() + 60
        while not place.exists() and time.monotonic() < until:
            time.sleep(0.1)
        with Client(scheduler_file=str(place), timeout=30) as client:
            client.wait_for_workers(1, timeout=60)
            yield client, started[0]
    finally:
        for process in started:
            process.kill()
            process.wait()


def test_a_worker_without_the_library_is_named(tmp_path) -> None:
    data = frame(3000)
    packages = tmp_path / "packages"
    packages.mkdir()
    for entry in Path(sysconfig.get_path("purelib")).iterdir():
        if "sgtrees" not in entry.name:
            (packages / entry.name).symlink_to(entry)
    with processes(tmp_path, packages=packages) as (client, _):
        model = DaskSGTClassifier(client=client, **SETTINGS)
        with pytest.raises(PartitionError, match=r"worker tcp://.* does not have sgtrees"):
            model.fit(cut_at(data[[*FEATURES, "label"]], [1000]), "label")


@pytest.mark.long
def test_a_scheduler_that_dies_leaves_the_rounds_before(tmp_path) -> None:
    data = frame(200_000)[[*FEATURES, "label"]]
    with processes(tmp_path) as (client, scheduler):
        model = DaskSGTClassifier(client=client, **SETTINGS)

        def callback(report: RoundReport) -> None:
            if report.rows >= 60_000:
                scheduler.kill()

        with pytest.raises(ConnectionError, match="the Dask scheduler"):
            model.fit(
                cut_at(data, list(range(10_000, 200_000, 10_000))), "label", callback=callback
            )
    assert_learned_rounds(model, data, at_least=60_000)


@pytest.mark.long
def test_a_worker_without_memory_is_named_and_the_rounds_before_are_kept() -> None:
    data = frame(80_000)[[*FEATURES, "label"]]
    parts = [data.iloc[at : at + 5000] for at in range(0, 80_000, 5000)]
    limits = {
        "distributed.scheduler.allowed-failures": 0,
        "distributed.worker.memory.pause": False,
        "distributed.worker.memory.spill": False,
        "distributed.worker.memory.target": False,
    }
    with (
        dask.config.set(limits),
        LocalCluster(
            n_workers=1, threads_per_worker=1, memory_limit="700MB", dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        model = DaskSGTClassifier(client=client, **SETTINGS)
        hungry = dd.from_map(_part, parts, [False] * 15 + [True], meta=parts[0].iloc[:0])
        with pytest.raises(
            PartitionError, match=r"partition 15: 1 workers died .*worker.*too little memory"
        ):
            model.fit(hungry, "label")
    assert_learned_rounds(model, data, at_least=20_000)


def _part(part: pd.DataFrame, is_hungry: bool) -> pd.DataFrame:
    if is_hungry:
        taken = []
        for _ in range(100):  # until the nanny sees it, which looks ten times a second
            taken.append(np.ones(2_000_000))
            time.sleep(0.05)
    return part


def assert_learned_rounds(model: Any, data: pd.DataFrame, at_least: int) -> None:
    n_rows = model._model.core.n_rows
    assert at_least <= n_rows < len(data)
    learned = data[:n_rows]
    here = SGTClassifier(**SETTINGS).partial_fit(learned[FEATURES], learned["label"])
    assert_same(here, model)
