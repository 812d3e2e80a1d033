"""A function of this package, run in a fresh process of one thread; JSON in, JSON out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.figures import Measurement, Outcome, Unavailable

ROOT = Path(__file__).resolve().parent.parent
ABSENT = 3  # the exit status for "not installed" or "no such data", as opposed to "crashed"
# As of a command that pip installed: modules are compiled once, not at every start.
ENVIRONMENT_OF_COMMANDS = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
THREAD_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def call(function: str, **arguments: Any) -> Any:
    """Run "module:function" with `arguments`; return what it returns, or why it could not."""
    finished = subprocess.run(
        [sys.executable, "-m", "benchmarks.child", function, json.dumps(arguments)],
        cwd=ROOT,
        env=os.environ | dict.fromkeys(THREAD_LIMITS, "1"),
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode == 0:
        return json.loads(finished.stdout.splitlines()[-1])
    lines = finished.stderr.strip().splitlines() or [f"exit status {finished.returncode}"]
    return Unavailable(lines[-1], broken=finished.returncode != ABSENT)


def measure(function: str, **arguments: Any) -> Outcome:
    """Run a function that returns a measurement's fields."""
    result = call(function, **arguments)
    return result if isinstance(result, Unavailable) else Measurement(**result)
