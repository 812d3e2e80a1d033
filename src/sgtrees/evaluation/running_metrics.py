"""The metrics of one model on a stream: over all rows, over a window, and fading."""

from collections.abc import Sequence

import numpy as np

from sgtrees.evaluation.metrics.base import Metric, Sums, add
from sgtrees.evaluation.predictions import PredictedRows, concatenate


class RunningMetrics:
    """Metrics of one model, updated with every block of rows.

    Parameters
    ----------
    metrics : sequence of Metric
        The metrics.
    window : int or None
        The number of rows in a sliding window; None for the rows since the last `close_window`.
    fading : float or None
        The factor by which a row's weight shrinks with each row after it; None for no fading.

    Examples
    --------
    >>> from sgtrees.evaluation.metrics import Error
    >>> running = RunningMetrics([Error()], window=2, fading=None)
    >>> running.add(PredictedRows(np.array([0, 0, 1]), np.array([1, 0, 0]), np.ones(3)))
    >>> round(running.total()["error"], 3), running.close_window()["error"]
    (0.667, 0.5)
    """

    def __init__(self, metrics: Sequence[Metric], window: int | None, fading: float | None) -> None:
        self._metrics = metrics
        self._window = window
        self._fading = fading
        self._total: dict[str, Sums] = {}
        self._faded: dict[str, Sums] = {}
        # Sums are enough for a window that does not slide, except if a metric needs the rows.
        self._since: dict[str, Sums] = {}
        self._keeps_rows = window is not None or any(metric.is_windowed for metric in metrics)
        self._recent: list[PredictedRows] = []
        self._n_recent = 0

    @property
    def window_rows(self) -> int:
        """The number of rows in the window."""
        return self._n_recent

    def add(self, rows: PredictedRows) -> None:
        """Add rows."""
        if not len(rows):
            return
        for metric in self._metrics:
            if metric.is_windowed or not _is_defined(metric, rows):
                continue
            sums = metric.sums(rows, rows.weights)
            for kept in (self._total, self._since):
                kept[metric.name] = add(kept.get(metric.name), sums)
            if self._fading is not None:
                self._fade(metric, rows, self._fading)
        self._n_recent += len(rows)
        if self._keeps_rows:
            self._recent.append(rows)
            self._trim()

    def _fade(self, metric: Metric, rows: PredictedRows, fading: float) -> None:
        weights = rows.weights * fading ** np.arange(len(rows) - 1, -1, -1)
        sums = metric.sums(rows, weights)
        before = self._faded.get(metric.name)
        self._faded[metric.name] = add(
            None if before is None else before * fading ** len(rows), sums
        )

    def _trim(self) -> None:
        if self._window is None:
            return
        while self._n_recent > self._window:
            first = self._recent[0]
            surplus = self._n_recent - self._window
            if surplus >= len(first):
                self._recent.pop(0)
                self._n_recent -= len(first)
            else:
                self._recent[0] = first.slice(surplus, len(first))
                self._n_recent -= surplus

    def total(self) -> dict[str, float]:
        """Return the metrics over all rows."""
        return self._values(self._total)

    def faded(self) -> dict[str, float] | None:
        """Return the metrics with fading weights; None without fading."""
        return None if self._fading is None else self._values(self._faded)

    def _values(self, sums: dict[str, Sums]) -> dict[str, float]:
        return {
            metric.name: float(metric.value(sums[metric.name])) if metric.name in sums else np.nan
            for metric in self._metrics
        }

    def close_window(self) -> dict[str, float]:
        """Return the metrics of the window, and start a new one unless it slides."""
        rows = concatenate(self._recent) if self._recent else None
        if self._window is not None:
            return {metric.name: _score(metric, rows) for metric in self._metrics}
        values = self._values(self._since) | {
            metric.name: _score(metric, rows) for metric in self._metrics if metric.is_windowed
        }
        self._since, self._recent, self._n_recent = {}, [], 0
        return values


def _score(metric: Metric, rows: PredictedRows | None) -> float:
    return np.nan if rows is None or not _is_defined(metric, rows) else metric.score(rows)


def _is_defined(metric: Metric, rows: PredictedRows) -> bool:
    if metric.needs_probabilities and rows.probabilities is None:
        return False
    return not (metric.needs_interval and rows.lower is None)
