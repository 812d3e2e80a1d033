"""Faults of what runs in several processes: Dask's workers, and ``sgtrees reproduce``.

These have a process of their own, which a user without rights may run: see `run_apart`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from distributed import Client, LocalCluster

from sgtrees import SGTClassifier
from sgtrees.dask import DaskSGTClassifier
from tests.faults.children import NOBODY
from tests.faults.figures import lasting
from tests.unit.dask.example_frames import assert_same, cut_at, frame

_SETTINGS: dict[str, Any] = {"warm_up": 1000, "round_rows": 10_000, "grace_period": 100}
_FEATURES = ["a", "colour", "b"]
_ROWS = 60_000
# A worker is stopped within so many seconds of the beginning.
_SECONDS = 2.0
# What does not end by itself has failed.
_LONGEST = 3600.0
_ROOT = Path(__file__).resolve().parents[2]


def lost_workers(folder: Path, chance: random.Random, runs: int) -> None:
    """Stop a worker at a random moment of each training: the model is that of one process.

    One that was killed is replaced by its nanny; after SIGTERM it leaves for good, and the other
    one goes on alone.
    """
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
            number = chance.choice([signal.SIGKILL, signal.SIGTERM])
            fault = (chance.choice(pids), number)
            killer = threading.Timer(chance.uniform(0, _SECONDS), _send, fault)
            killer.start()
            model = DaskSGTClassifier(client=client, **_SETTINGS).fit(parts, "label")
            killer.cancel()
        assert_same(here, model)


def _send(pid: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):  # the nanny has been quicker
        os.kill(pid, number)


def stopped_reproductions(folder: Path, chance: random.Random, runs: int) -> None:
    """Stop the paper's experiments at random moments; their figures are those of whole ones."""
    data = folder / "data"
    data.mkdir(parents=True)
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
    chosen = ["--datasets", "atoms", "--learners", "sgt-bags,miti", "--runs", "2", "--jobs", "1"]
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


# ---- processes of their own ----------------------------------------------------------------------

KINDS: dict[str, Callable[[Path, random.Random, int], None]] = {
    "dask": lost_workers,
    "reproduce": stopped_reproductions,
}


def run_apart(kind: str, folder: Path, seed: int, runs: int, *, as_nobody: bool) -> None:
    """Make runs of a kind in a process of their own, as a user without rights if asked to."""
    folder.mkdir(parents=True)
    if as_nobody:
        os.chown(folder, NOBODY, NOBODY)
    options = [kind, str(folder), f"--seed={seed}", f"--runs={runs}"]
    done = _python(["-m", "tests.faults.clusters", *options], folder, as_nobody=as_nobody)
    if done.returncode != 0:
        raise AssertionError(f"{kind}, seed {seed}: {done.stderr[-2000:]}")


def nobody_can_run(folder: Path) -> bool:
    """Return whether a user without rights may read Python, the library and these tests."""
    if os.geteuid() != 0:
        return False
    with contextlib.suppress(PermissionError):
        done = _python(["-c", "import tests.faults.clusters"], folder, as_nobody=True)
        return done.returncode == 0
    return False


def _python(
    args: Sequence[str], home: Path, *, as_nobody: bool
) -> subprocess.CompletedProcess[str]:
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if as_nobody else {}
    environment = os.environ | {"HOME": str(home), "TMPDIR": str(home)}
    return subprocess.run(
        [sys.executable, "-B", *args],
        cwd=_ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=_LONGEST,
        check=False,
        **user,
    )


def main() -> None:
    """Make runs of one kind."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--runs", type=int, default=1)
    given = parser.parse_args()
    KINDS[given.kind](given.folder, random.Random(given.seed), given.runs)


if __name__ == "__main__":
    main()
