"""LightGBM's quantiles, in the peers' environment."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import environment
from sgtrees_experiments.absent import AbsentError

FIT = environment.HERE / "lightgbm_quantiles_fit.py"


def predict(X: Any, y: NDArray[np.float64], new_X: Any, alpha: float) -> NDArray[np.float64]:
    """Fit a data frame, and predict another; categories go as their numbers."""
    python = environment.python()
    with tempfile.TemporaryDirectory() as scratch:
        rows, out = Path(scratch, "rows.npz"), Path(scratch, "out.npy")
        np.savez(rows, X=_numbers(X), y=y, new_X=_numbers(new_X))
        command = [str(python), str(FIT), str(rows), str(alpha), str(out)]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        if finished.returncode:
            lines = finished.stderr.strip().splitlines() or ["no message"]
            raise AbsentError(f"LightGBM failed: {lines[-1]}")
        predictions: NDArray[np.float64] = np.load(out)
    return predictions


def _numbers(X: Any) -> NDArray[np.float64]:
    columns = [
        column.cat.codes if column.dtype.name == "category" else column for _, column in X.items()
    ]
    return np.column_stack([column.to_numpy(dtype=np.float64) for column in columns])
