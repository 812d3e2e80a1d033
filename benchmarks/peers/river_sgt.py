"""river's SGTClassifier: a Python loop over a part of the stream, in the peers' environment."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmarks.figures import Measurement, Outcome, Unavailable
from benchmarks.peers import environment
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.moa import NumericStream

LOOP = environment.HERE / "river_sgt_loop.py"


def measure(data: NumericStream, repeats: int) -> Outcome:
    """Run SGTClassifier with the paper's settings, test-then-train, over all rows of `data`."""
    try:
        python = environment.python()
    except AbsentError as absent:
        return Unavailable(str(absent))
    with tempfile.TemporaryDirectory() as scratch:
        rows = Path(scratch, "rows.npy")
        np.save(rows, np.column_stack([data.X, data.y]))
        command = [str(python), str(LOOP), str(rows), str(repeats)]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        lines = finished.stderr.strip().splitlines() or ["no message"]
        return Unavailable(f"river failed: {lines[-1]}", broken=True)
    return Measurement(**json.loads(finished.stdout))
