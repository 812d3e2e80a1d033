"""LightGBM's predictions, in the peers' environment."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

from benchmarks.figures import Unavailable
from benchmarks.peers import environment
from sgtrees_experiments.absent import AbsentError

TIME = environment.HERE / "lightgbm_predictions_time.py"


def measure(rows: Path, trees: int, leaves: int, repeats: int) -> dict[str, Any] | Unavailable:
    """Fit the rows of a file, and predict them; `leaves` are those of each tree."""
    try:
        python = environment.python()
    except AbsentError as absent:
        return Unavailable(str(absent))
    command = [str(python), str(TIME), str(rows), str(trees), str(leaves), str(repeats)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        lines = finished.stderr.strip().splitlines() or ["no message"]
        return Unavailable(f"LightGBM failed: {lines[-1]}", broken=True)
    result: dict[str, Any] = json.loads(finished.stdout)
    return result
