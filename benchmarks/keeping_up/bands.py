"""Bands between the quantiles 0.1 and 0.9, in file order: they should hold 80 % of the rows."""

from __future__ import annotations

import numpy as np

from benchmarks.accuracy.streams import STREAMS
from benchmarks.figures import Bar, Figure
from benchmarks.keeping_up.context import Context, say
from benchmarks.keeping_up.figures import figure, tried
from sgtrees import losses

_STREAMS = ("airline_nyc", "bike_sharing")
_MOST_OFF = 3.0  # points


def run(context: Context) -> list[Figure]:
    """Return how far the coverage is from 80 %, in points."""
    return [tried(f"{name}, off 80 %", "points", _band, context, name) for name in _STREAMS]


def _band(context: Context, name: str) -> Figure:
    stream = STREAMS[name].files(context.folder).read()
    X, y = np.ascontiguousarray(stream.X), np.array(stream.y)
    low, high = (_learned(context, name, X, y, stream.nominal, alpha) for alpha in (0.1, 0.9))
    below, above = 100 * float(np.mean(y < low)), 100 * float(np.mean(y > high))
    covered = 100 - below - above
    note = f"covered {covered:.1f} %, below {below:.1f} %, above {above:.1f} %"
    note += f", mean width {np.mean(high - low):.4g}"
    off = abs(covered - 80)
    return figure(f"{name}, off 80 %", off, "points", Bar("<=", _MOST_OFF), note)


def _learned(
    context: Context, name: str, X: np.ndarray, y: np.ndarray, nominal: list[int], alpha: float
) -> np.ndarray:
    say(f"{name}, quantile {alpha}")
    settings = {"loss": losses.Quantile(alpha=alpha), "categorical_features": nominal}
    return np.asarray(context.model(settings, classification=False).learn_predict(X, y))
