"""Faults of what runs in several processes: Dask's workers, and ``sgtrees reproduce``."""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sysconfig
import threading
import time
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster

from sgtrees import SGTClassifier
from sgtrees.dask import DaskSGTClassifier
from tests.faults.figures import lasting
from tests.unit.dask.example_frames import assert_same, cut_at, frame

_SETTINGS: dict[str, Any] = {"warm_up": 1000, "round_rows": 10_000, "grace_period": 100}
_FEATURES = ["a", "colour", "b"]
_ROWS = 60_000
# A worker is killed within so many seconds of the beginning.
_SECONDS = 2.0


def lost_workers(folder: Path, chance: random.Random, runs: int) -> None:
    """Kill a worker at a random moment of each training: the model is that of one process."""
    data = frame(_ROWS)[[*_FEATURES, "label"]]
    here = SGTClassifier(epochs=1, **_SETTINGS).fit(data[_FEATURES], data["label"])
    parts = cut_at(data, list(range(5000, _ROWS, 5000)))
    for _ in range(runs):
        # (A cluster of its own: a nanny may take minutes to replace a worker.)
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
            Client(cluster) as client,
        ):
            pids = sorted(client.run(os.getpid).values())
            # (After SIGTERM a worker leaves for good, and Dask waits for another.)
            killer = threading.Timer(chance.uniform(0, _SECONDS), _kill, (chance.choice(pids),))
            killer.start()
            model = DaskSGTClassifier(client=client, **_SETTINGS).fit(parts, "label")
            killer.cancel()
        assert_same(here, model)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # the nanny has been quicker
        os.kill(pid, signal.SIGKILL)


def stopped_reproductions(folder: Path, chance: random.Random, runs: int) -> None:
    """Stop the paper's experiments at random moments; their figures are those of whole ones."""
    data = folder / "data"
    data.mkdir()
    _write_bags(data)
    begin = time.monotonic()
    whole = _reproduce(data, folder / "whole")
    if whole.wait(600) not in (0, 5):
        raise AssertionError("the experiments fail without a fault")
    seconds = time.monotonic() - begin
    expected = _figures(folder / "whole")
    for _ in range(runs):
        out = folder / "stopped"
        process = _reproduce(data, out)
        time.sleep(chance.uniform(0.2, 1.0) * seconds)
        process.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        process.wait(120)
        again = _reproduce(data, out)
        if again.wait(600) not in (0, 5) or _figures(out) != expected:
            raise AssertionError("a resumed reproduction has other figures")
        shutil.rmtree(out)


def _write_bags(data: Path) -> None:
    from experiments.tests.generated_data import write_bags  # noqa: PLC0415 - has a path of its own

    write_bags(data, "atoms", 188, 1_618, 10)


def _reproduce(data: Path, out: Path) -> subprocess.Popen[bytes]:
    chosen = ["--datasets", "atoms", "--learners", "sgt-bags,miti", "--runs", "6", "--jobs", "1"]
    command = str(shutil.which("sgtrees", path=sysconfig.get_path("scripts")))
    return subprocess.Popen(
        [command, "reproduce", "--data", str(data), "--out", str(out), *chosen],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def _figures(out: Path) -> set[str]:
    """The finished runs without their times, each once."""
    found = set()
    for line in (out / "runs.jsonl").read_text().splitlines():
        run = json.loads(line)
        found.add(json.dumps(lasting(run), sort_keys=True))
    return found
