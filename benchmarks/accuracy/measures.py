"""What is measured of a run: errors, and how good the probabilities are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_LEAST_PROBABILITY = 1e-15
_CONFIDENCE_BINS = 15

Measures = dict[str, float]


def of_probabilities(probabilities: NDArray[np.float64], y: NDArray[np.int64]) -> Measures:
    """Measure the predictions of rows made before they were learned; y holds column numbers."""
    chosen = probabilities.argmax(axis=1)
    right = chosen == y
    of_truth = np.take_along_axis(probabilities, y[:, None], axis=1)[:, 0]
    sure = probabilities.max(axis=1)
    bins = np.minimum((sure * _CONFIDENCE_BINS).astype(int), _CONFIDENCE_BINS - 1)
    sums = [np.bincount(bins, weights) for weights in (None, sure, right)]
    return {
        "error": float(1.0 - right.mean()),
        "log_loss": float(-np.log(np.maximum(of_truth, _LEAST_PROBABILITY)).mean()),
        "calibration": calibration_error(np.column_stack(sums)),
    }


def of_numbers(predicted: NDArray[np.float64], y: NDArray[np.float64]) -> Measures:
    """Measure what was predicted for each row before it was learned."""
    residuals = predicted - y
    return {
        "mae": float(np.abs(residuals).mean()),
        "rmse": float(np.sqrt(np.square(residuals).mean())),
    }


def calibration_error(confidence: Any) -> float:
    """Return the mean distance between confidence and accuracy.

    Parameters
    ----------
    confidence : array of shape (n_bins, 3)
        For each bin of confidences: rows, their summed confidence, rows classified correctly.
    """
    rows, sure, right = np.asarray(confidence, dtype=np.float64).T
    return float(np.abs(sure - right).sum() / rows.sum())
