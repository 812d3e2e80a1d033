"""Precision, recall, F1 and the area under the ROC curve of a classifier, in constant memory."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.metrics.base import Sums, add
from sgtrees.evaluation.metrics.classification import confusion
from sgtrees.evaluation.predictions import PredictedRows

# Probabilities are counted in so many bins: two that differ by less count as equal in the area.
_N_BINS = 1000
# With more classes than this the areas would cost more than they tell.
_MOST_CLASSES = 20


class ClassSums:
    """Sums over the predictions of one classifier.

    Examples
    --------
    >>> sums = ClassSums()
    >>> p = np.array([[0.9, 0.1], [0.2, 0.8], [0.6, 0.4]])
    >>> y, predicted = np.array([0, 1, 1]), np.array([0, 1, 0])
    >>> sums.add(PredictedRows(y, predicted, np.ones(3), None, p))
    >>> sums.precision().tolist(), sums.recall().tolist(), sums.area()
    ([0.5, 1.0], [1.0, 0.5], 1.0)
    """

    def __init__(self) -> None:
        self.confusion: Sums | None = None
        # For each class and bin of its probability: the weight of its rows, and of all rows.
        self._scores = np.zeros((0, _N_BINS, 2))
        self._has_scores = True

    def add(self, rows: PredictedRows) -> None:
        """Add rows."""
        self.confusion = add(self.confusion, confusion(rows, rows.weights))
        shown = rows.probabilities
        if shown is None or shown.shape[1] > _MOST_CLASSES:
            self._has_scores = False
        elif self._has_scores:
            self._add_scores(rows, shown)

    def _add_scores(self, rows: PredictedRows, probabilities: NDArray[np.float64]) -> None:
        missing = probabilities.shape[1] - len(self._scores)
        if missing > 0:
            # Rows before a class appeared had the probability 0 of it.
            before = np.zeros((missing, _N_BINS, 2))
            before[:, 0, 1] = self._scores[:1, :, 1].sum()
            self._scores = np.concatenate([self._scores, before])
        places = np.minimum((probabilities * _N_BINS).astype(np.intp), _N_BINS - 1)
        for k in range(probabilities.shape[1]):
            own = rows.weights * (rows.y == k)
            self._scores[k, :, 0] += np.bincount(places[:, k], own, minlength=_N_BINS)
            self._scores[k, :, 1] += np.bincount(places[:, k], rows.weights, minlength=_N_BINS)

    # ---- metrics --------------------------------------------------------------------------------

    def precision(self) -> NDArray[np.float64]:
        """Return for each class the share of its predictions that are right; NaN without any."""
        return self._share(axis=0)

    def recall(self) -> NDArray[np.float64]:
        """Return for each class the share of its rows that are found; NaN without any."""
        return self._share(axis=1)

    def _share(self, axis: int) -> NDArray[np.float64]:
        assert self.confusion is not None
        totals = self.confusion.sum(axis=axis)
        with np.errstate(invalid="ignore"):
            shares: NDArray[np.float64] = np.where(
                totals > 0.0, np.diag(self.confusion) / totals, np.nan
            )
        return shares

    def f1(self) -> NDArray[np.float64]:
        """Return for each class the harmonic mean of precision and recall."""
        assert self.confusion is not None
        totals = self.confusion.sum(axis=0) + self.confusion.sum(axis=1)
        with np.errstate(invalid="ignore"):
            scores: NDArray[np.float64] = np.where(
                totals > 0.0, 2.0 * np.diag(self.confusion) / totals, np.nan
            )
        return scores

    def area(self) -> float:
        """Return the area under the ROC curve.

        Of several classes it is the mean, each against all others; NaN without probabilities, or if
        only one class occurs.
        """
        if not self._has_scores:
            return np.nan
        own = self._scores[:, :, 0]
        others = self._scores[:, :, 1] - own
        known = (own.sum(axis=1) > 0.0) & (others.sum(axis=1) > 0.0)
        if not known.any():
            return np.nan
        own, others = own[known], others[known]
        below = np.cumsum(others, axis=1) - 0.5 * others
        areas = (own * below).sum(axis=1) / (own.sum(axis=1) * others.sum(axis=1))
        return float(areas.mean())

    def as_dict(self) -> dict[str, Any]:
        """Return the metrics for JSON: of each class, their means, and the area."""
        precision, recall, f1 = self.precision(), self.recall(), self.f1()
        assert self.confusion is not None
        occur = self.confusion.sum(axis=1) > 0.0
        # A class that is never predicted has no precision; in the mean it counts as 0.
        return {
            "rows": self.confusion.sum(axis=1).tolist(),
            "precision": precision.tolist(),
            "recall": recall.tolist(),
            "f1": f1.tolist(),
            "mean_precision": float(np.nan_to_num(precision[occur]).mean()),
            "mean_recall": float(recall[occur].mean()),
            "mean_f1": float(f1[occur].mean()),
            "area": self.area(),
        }
