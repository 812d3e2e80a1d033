"""What the predictions are judged by."""

from __future__ import annotations

import numpy as np

from benchmarks.losses_on_real_data.streams import Floats


def mean_absolute_error(y: Floats, predictions: Floats) -> float:
    return float(np.mean(np.abs(predictions - y)))


def poisson_deviance(y: Floats, means: Floats, weights: Floats | None, floor: float) -> float:
    """Return the weighted mean deviance, with means of at least ``floor``."""
    means = np.maximum(means, floor)
    logs = y * np.log(np.where(y > 0, y, 1.0) / means)
    return float(np.average(2 * (logs - y + means), weights=weights))


def running_mean(y: Floats, weights: Floats | None) -> Floats:
    """Return the weighted mean of the rows before each; 1 before the first, as for raw = 0."""
    w = np.ones(len(y)) if weights is None else weights
    total, weight = (np.concatenate([[0.0], np.cumsum(v)[:-1]]) for v in (w * y, w))
    result: Floats = np.divide(total, weight, out=np.ones(len(y)), where=weight > 0)
    return result


def pinball(y: Floats, predictions: Floats, alpha: float) -> float:
    r = y - predictions
    return float(np.mean(np.maximum(alpha * r, (alpha - 1) * r)))


def share_below(y: Floats, predictions: Floats, alpha: float) -> float:
    """Return the share of targets below a quantile, closest to alpha.

    Any part of the targets on the edge may count: at a quantile of a discrete target, alpha lies
    between the share below it and the share at or below it.
    """
    edge = 1e-6 * np.mean(np.abs(y - np.median(y)))
    below, at_or_below = np.mean(y < predictions - edge), np.mean(y <= predictions + edge)
    return float(np.clip(alpha, below, at_or_below))
