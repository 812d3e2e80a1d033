"""A training with checkpoints that is killed again and again (not a test by itself).

``python killed_training.py FOLDER KILLS SEED`` trains once undisturbed, then kills trainings with
SIGKILL at random moments and lets them resume, until KILLS have died, and prints what it saw as
JSON. Each training is a fork, so that a kill costs milliseconds and most of them strike while a
checkpoint is written, looked for or read.
"""

from __future__ import annotations

import json
import os
import random
import select
import shutil
import signal
import struct
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import sgtrees
from sgtrees.checkpoint import Checkpoints

ROWS = 4000
EVERY_ROWS = 60
# A training runs for so many seconds at most before it is killed.
LONGEST_RUN = 0.12


def stream() -> tuple[Any, Any]:
    generator = np.random.default_rng(11)
    X = generator.normal(size=(ROWS, 4))
    X[:, 3] = generator.integers(0, 9, ROWS)
    X[generator.random(X.shape) < 0.03] = np.nan
    score = np.nan_to_num(X[:, 0]) + (np.nan_to_num(X[:, 1]) > 0.3) * (np.nan_to_num(X[:, 3]) - 4)
    return X, np.digitize(score, [-1.0, 1.0])


def train(folder: Path, result: Path, report: int | None = None) -> None:
    """Learn the stream, from the last checkpoint on; report each new checkpoint through a pipe."""
    X, y = stream()
    checkpoints = Checkpoints(folder, every_rows=EVERY_ROWS, every_seconds=None, keep=2)
    last = checkpoints.begin(resume=True)
    if last is None:
        model: Any = sgtrees.SGTClassifier(
            warm_up=300, grace_period=40, delta=0.01, gamma=0.01, categorical_features=[3]
        )
        rows, errors = 0, 0
    else:
        model, rows, errors = last.estimator, last.rows, last.progress["errors"]
    while rows < ROWS:
        # Blocks of another size each time: where they begin must not matter.
        end = min(rows + 1 + (rows * 7919 + os.getpid()) % 50, ROWS)
        errors += int((model.learn_predict(X[rows:end], y[rows:end]) != y[rows:end]).sum())
        rows = end
        if checkpoints.after(model, rows, {"errors": errors}) and report is not None:
            os.write(report, struct.pack("<q", rows))
    model.save(result)
    _errors(result).write_text(str(errors))


def killed(folder: Path, result: Path, seconds: float) -> tuple[bool, int]:
    """Start a training and kill it; return whether it died, and the last checkpoint it reported."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            train(folder, result, writing)
        except BaseException:  # noqa: BLE001 - a child must not go on as its parent
            sys.excepthook(*sys.exc_info())
            os._exit(1)
        os._exit(0)
    os.close(writing)
    try:
        # Readable at its end too, so this waits for the time only, unless the training is done.
        reported = _read_until(reading, seconds)
        os.kill(child, signal.SIGKILL)
        status = os.waitpid(child, 0)[1]
        reported += os.read(reading, 1 << 20)
    finally:
        os.close(reading)
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        raise RuntimeError("a training failed")
    rows = struct.unpack("<q", reported[-8:])[0] if reported else 0
    return os.WIFSIGNALED(status), rows


def _read_until(pipe: int, seconds: float) -> bytes:
    reported, deadline = b"", time.monotonic() + seconds
    while (left := deadline - time.monotonic()) > 0 and select.select([pipe], [], [], left)[0]:
        part = os.read(pipe, 1 << 16)
        if not part:
            break
        reported += part
    return reported


def main(folder: Path, kills: int, seed: int) -> dict[str, int]:
    choice = random.Random(seed)
    undisturbed, result = folder / "undisturbed.safetensors", folder / "result.safetensors"
    train(folder / "undisturbed", undisturbed)
    seen = {"killed": 0, "finished": 0, "while_writing": 0}
    # After the last kill the training that is under way comes to its end.
    while seen["killed"] < kills or (folder / "run").exists():
        enough = seen["killed"] >= kills
        seconds = 600.0 if enough else choice.uniform(0, LONGEST_RUN)
        died, reported = killed(folder / "run", result, seconds)
        if died:
            seen["killed"] += 1
            _check_survivors(folder / "run", reported, seen)
        else:
            seen["finished"] += 1
            _check_result(result, undisturbed)
            shutil.rmtree(folder / "run")
    return seen


def _check_result(result: Path, undisturbed: Path) -> None:
    if result.read_bytes() != undisturbed.read_bytes():
        raise AssertionError("the resumed training ended with another model")
    if _errors(result).read_text() != _errors(undisturbed).read_text():
        raise AssertionError("the resumed training counted other errors")


def _errors(model: Path) -> Path:
    return model.with_suffix(".errors")


def _check_survivors(run: Path, reported: int, seen: dict[str, int]) -> None:
    """Whatever the moment, the last checkpoint that was reported, or a later one, can be loaded."""
    seen["while_writing"] += any(run.glob(".*.partial")) if run.exists() else 0
    last = Checkpoints(run).latest()
    if (0 if last is None else last.rows) < reported:
        raise AssertionError(f"the checkpoint after row {reported} is lost")


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))))  # noqa: T201
