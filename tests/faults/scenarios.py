"""What can go wrong while a command runs, and what must hold after it.

Each scenario is one run: a command, a fault at a random moment, and the same command again without
a fault. The last must end with the very bytes of a run that nothing disturbed.
"""

from __future__ import annotations

import json
import os
import random
import resource
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import sgtrees
from tests.faults.children import (
    NOBODY,
    Ended,
    after,
    import_all,
    jumping_clock,
    last_checkpoint_can_be_loaded,
    run,
    send,
)
from tests.faults.figures import lasting

ROWS = 15_000
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
SETTINGS = ("--grace-period", "60", "--quiet")


class Place:
    """A folder for runs, with the rows and what an undisturbed run makes of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o755)
        self.rows = folder / "rows.csv"
        self.log = folder / "log"
        _write_rows(self.rows)
        quiet = folder / "undisturbed"
        quiet.mkdir()
        import_all(self._evaluation_of(quiet), self.log)
        begin = time.monotonic()
        done = self.train(quiet)
        # How long a run takes, which is when faults happen.
        self.seconds = time.monotonic() - begin
        _require(done.code == 0, done)
        self.model = (quiet / "model.sgt").read_bytes()
        done = self.evaluate(quiet)
        _require(done.code == 0, done)
        self.evaluation = _figures(done)

    def train(self, folder: Path, *more: str, **faults: Any) -> Ended:
        files = ["--model", f"{folder}/model.sgt", "--checkpoint", f"{folder}/checkpoints"]
        args = ["train", str(self.rows), "--target", "y", *files, *SETTINGS, *more]
        return run(args, self.log, **faults)

    def _evaluation_of(self, folder: Path) -> list[str]:
        page = ["--report", f"{folder}/report.html", "--json"]
        return ["evaluate", str(self.rows), "--target", "y", *page, *SETTINGS]

    def evaluate(self, folder: Path, **faults: Any) -> Ended:
        return run(self._evaluation_of(folder), self.log, **faults)

    @contextmanager
    def fresh(self, as_nobody: bool) -> Iterator[Path]:
        """A folder for one run, of the user who runs it."""
        folder = self.folder / "run"
        folder.mkdir()
        if as_nobody:
            os.chown(folder, NOBODY, NOBODY)
        self.log.write_text("")
        self.log.chmod(0o666)
        try:
            yield folder
        finally:
            folder.chmod(0o755)
            shutil.rmtree(folder)

    def finish(self, folder: Path, **faults: Any) -> None:
        """Resume without a fault, and compare."""
        _check_files(folder)
        done = self.train(folder, "--resume", **faults)
        _require(done.code == 0, done)
        _require((folder / "model.sgt").read_bytes() == self.model, done, "another model")


def _write_rows(path: Path) -> None:
    generator = np.random.default_rng(5)
    a, b = generator.normal(size=(2, ROWS))
    colour = np.array(["red", "green", "blue", "grey"])[generator.integers(0, 4, ROWS)]
    y = np.where(a + (colour == "red") > 0.3 * b, "yes", "no")
    lines = [f"{p:.4f},{q:.4f},{c},{t}" for p, q, c, t in zip(a, b, colour, y, strict=True)]
    path.write_text("\n".join(["a,b,colour,y", *lines]) + "\n")


def _require(holds: bool, done: Ended, what: str = "") -> None:
    if not holds:
        raise AssertionError(f"{what or 'failed'}, code {done.code}: {done.output[-2000:]}")


def _require_stopped_by(number: signal.Signals, done: Ended) -> None:
    # click says "Aborted!" if it is interrupted itself, outside of all commands.
    codes = (0, -number, 128 + number)
    _require(done.code in codes or "Aborted!" in done.output, done, "another exit code")


def _check_files(folder: Path) -> None:
    """Whatever has happened: what is there is whole."""
    if (folder / "model.sgt").exists():
        sgtrees.load(folder / "model.sgt")
    last_checkpoint_can_be_loaded(folder / "checkpoints")


def _figures(done: Ended) -> Any:
    """What an evaluation prints."""
    return lasting(json.loads(done.output[done.output.index("{") :]))


# ---- the scenarios -------------------------------------------------------------------------------


def stopped_training(place: Place, chance: random.Random, as_nobody: bool) -> str:
    """Signals stop a training up to three times."""
    with place.fresh(as_nobody) as folder:
        stopped = ""
        for _ in range(chance.randint(1, 3)):
            number = chance.choice(SIGNALS)
            fault = after(chance.uniform(0, place.seconds), send(number))
            resume = ["--resume"] if stopped else []
            done = place.train(folder, *resume, as_nobody=as_nobody, meanwhile=fault)
            _require_stopped_by(number, done)
            stopped = number.name
            if done.code == 0:
                break
            _check_files(folder)
        place.finish(folder, as_nobody=as_nobody)
        return stopped


def stopped_evaluation(place: Place, chance: random.Random, as_nobody: bool) -> str:
    """A signal stops an evaluation; the next one is as if there had been none."""
    with place.fresh(as_nobody) as folder:
        number = chance.choice(SIGNALS)
        fault = after(chance.uniform(0, place.seconds), send(number))
        done = place.evaluate(folder, as_nobody=as_nobody, meanwhile=fault)
        _require_stopped_by(number, done)
        report = folder / "report.html"
        _require(not report.exists() or "</html>" in report.read_text(), done, "half a report")
        done = place.evaluate(folder, as_nobody=as_nobody)
        _require(done.code == 0 and _figures(done) == place.evaluation, done, "other figures")
        return number.name


def full_quota(place: Place, chance: random.Random, as_nobody: bool) -> str:
    """No file may become larger than so many bytes."""
    limit = int(len(place.model) * chance.uniform(0, 1.2))

    def in_child() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    with place.fresh(as_nobody) as folder:
        done = place.train(folder, as_nobody=as_nobody, in_child=in_child)
        _require(done.code in (0, 1, 5, -signal.SIGXFSZ), done, "another exit code")
        place.finish(folder, as_nobody=as_nobody)
        return "file size"


def full_disk(place: Place, chance: random.Random, as_nobody: bool) -> str:
    """A disk that has room for a part of what is written."""
    room = max(4096, int(len(place.model) * chance.uniform(0, 4)))
    with place.fresh(as_nobody=False) as folder, _disk(folder, room, as_nobody):
        done = place.train(folder, as_nobody=as_nobody)
        _require(done.code in (0, 1, 2), done, "another exit code")
        _mount("-o", "remount,size=64m", str(folder))
        place.finish(folder, as_nobody=as_nobody)
        return "disk"


def read_only_disk(place: Place, chance: random.Random, as_nobody: bool) -> str:
    """A disk that can only be read from some moment on."""
    with place.fresh(as_nobody=False) as folder, _disk(folder, 1 << 26, as_nobody):

        def fault(_: int) -> None:
            for _ in range(50):  # refused while a file is open for writing
                if _mount("-o", "remount,ro", str(folder), may_fail=True):
                    return
                time.sleep(0.001)

        meanwhile = after(chance.uniform(0, place.seconds), fault)
        done = place.train(folder, as_nobody=as_nobody, meanwhile=meanwhile)
        _require(done.code in (0, 1, 2), done, "another exit code")
        _mount("-o", "remount,rw", str(folder))
        place.finish(folder, as_nobody=as_nobody)
        return "read-only"


def no_permission(place: Place, chance: random.Random, as_nobody: bool) -> str:
    """A folder into which a user may not write from some moment on."""
    with place.fresh(as_nobody) as folder:
        meanwhile = after(chance.uniform(0, place.seconds), lambda _: folder.chmod(0o555))
        done = place.train(folder, as_nobody=as_nobody, meanwhile=meanwhile)
        _require(done.code in (0, 1, 2), done, "another exit code")
        folder.chmod(0o755)
        place.finish(folder, as_nobody=as_nobody)
        return "permission"


def clock_that_jumps(place: Place, chance: random.Random, as_nobody: bool) -> str:
    """The time of day jumps while a training is stopped and resumed."""
    with place.fresh(as_nobody) as folder:
        fault = after(chance.uniform(0, place.seconds), send(signal.SIGKILL))
        clock = jumping_clock(chance)
        done = place.train(folder, as_nobody=as_nobody, in_child=clock, meanwhile=fault)
        _require(done.code in (0, -signal.SIGKILL), done, "another exit code")
        place.finish(folder, as_nobody=as_nobody, in_child=jumping_clock(chance))
        return "clock"


@contextmanager
def _disk(folder: Path, room: int, as_nobody: bool) -> Iterator[None]:
    owner = NOBODY if as_nobody else 0
    options = f"size={room},mode=755,uid={owner},gid={owner}"
    _mount("-t", "tmpfs", "-o", options, "tmpfs", str(folder))
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def _mount(*args: str, may_fail: bool = False) -> bool:
    done = subprocess.run(["mount", *args], check=not may_fail, capture_output=True)
    return done.returncode == 0


Scenario = Callable[[Place, random.Random, bool], str]
# How many of 300 runs each gets.
SCENARIOS: dict[str, tuple[Scenario, int]] = {
    "train, stopped by SIGKILL, SIGTERM or SIGINT": (stopped_training, 100),
    "evaluate, stopped by these": (stopped_evaluation, 40),
    "train, files limited in size (quota)": (full_quota, 40),
    "train, disk full": (full_disk, 30),
    "train, disk becomes read-only": (read_only_disk, 25),
    "train, no permission to write any more": (no_permission, 20),
    "train, killed while the clock jumps": (clock_that_jumps, 25),
}
