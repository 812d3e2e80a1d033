"""One model's figures while rows come in: over all rows, over a window, and fading."""

from collections.abc import Sequence

import numpy as np

from sgtrees.evaluation.metrics.base import Metric, Sums, add
from sgtrees.evaluation.outcomes import Outcome, join


class Tally:
    """Figures of one model.

    Parameters
    ----------
    metrics : sequence of Metric
        The figures.
    window : int or None
        The number of rows in a sliding window; None for the rows since the last `close_window`.
    fading : float or None
        By which factor a row counts less with each row after it; None where none shall fade.

    Examples
    --------
    >>> from sgtrees.evaluation.metrics import Error
    >>> tally = Tally([Error()], window=2, fading=None)
    >>> tally.add(Outcome(np.array([0, 0, 1]), np.array([1, 0, 0]), np.ones(3)))
    >>> round(tally.total()["error"], 3), tally.close_window()["error"]
    (0.667, 0.5)
    """

    def __init__(self, metrics: Sequence[Metric], window: int | None, fading: float | None) -> None:
        self._metrics = metrics
        self._window = window
        self._fading = fading
        self._total: dict[str, Sums] = {}
        self._faded: dict[str, Sums] = {}
        # Of a window that does not slide sums are enough, but for metrics that need the rows.
        self._since: dict[str, Sums] = {}
        self._keeps_rows = window is not None or any(metric.is_windowed for metric in metrics)
        self._recent: list[Outcome] = []
        self._n_recent = 0

    @property
    def window_rows(self) -> int:
        """The number of rows in the window."""
        return self._n_recent

    def add(self, outcome: Outcome) -> None:
        """Count rows."""
        if not len(outcome):
            return
        for metric in self._metrics:
            if metric.is_windowed or not _can_tell(metric, outcome):
                continue
            sums = metric.sums(outcome, outcome.weights)
            for kept in (self._total, self._since):
                kept[metric.name] = add(kept.get(metric.name), sums)
            if self._fading is not None:
                self._fade(metric, outcome, self._fading)
        self._n_recent += len(outcome)
        if self._keeps_rows:
            self._recent.append(outcome)
            self._trim()

    def _fade(self, metric: Metric, outcome: Outcome, fading: float) -> None:
        weights = outcome.weights * fading ** np.arange(len(outcome) - 1, -1, -1)
        sums = metric.sums(outcome, weights)
        before = self._faded.get(metric.name)
        self._faded[metric.name] = add(
            None if before is None else before * fading ** len(outcome), sums
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
        """Return the figures over all rows."""
        return self._values(self._total)

    def faded(self) -> dict[str, float] | None:
        """Return the figures over rows that fade; None where none does."""
        return None if self._fading is None else self._values(self._faded)

    def _values(self, sums: dict[str, Sums]) -> dict[str, float]:
        return {
            metric.name: float(metric.value(sums[metric.name])) if metric.name in sums else np.nan
            for metric in self._metrics
        }

    def close_window(self) -> dict[str, float]:
        """Return the window's figures, and begin a new one unless it slides."""
        outcome = join(self._recent) if self._recent else None
        if self._window is not None:
            return {metric.name: _of(metric, outcome) for metric in self._metrics}
        figures = self._values(self._since) | {
            metric.name: _of(metric, outcome) for metric in self._metrics if metric.is_windowed
        }
        self._since, self._recent, self._n_recent = {}, [], 0
        return figures


def _of(metric: Metric, outcome: Outcome | None) -> float:
    return np.nan if outcome is None or not _can_tell(metric, outcome) else metric.of(outcome)


def _can_tell(metric: Metric, outcome: Outcome) -> bool:
    if metric.needs_probabilities and outcome.probabilities is None:
        return False
    return not (metric.needs_interval and outcome.lower is None)
