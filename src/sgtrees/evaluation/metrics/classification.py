"""Metrics of classification."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from sgtrees.evaluation.metrics.base import MeanMetric, Metric, Sums, mean_sums
from sgtrees.evaluation.predictions import Floats, PredictedRows
from sgtrees.evaluation.tasks import Task

# Log loss clips probabilities at this value.
_LEAST = 1e-15


class Error(MeanMetric):
    """The share of rows that are misclassified."""

    name, task, is_share = "error", Task.CLASSIFICATION, True

    def values(self, rows: PredictedRows) -> NDArray[np.bool_]:
        """Return which rows are misclassified."""
        return np.asarray(rows.predicted != rows.y)


class Accuracy(MeanMetric):
    """The share of rows that are classified correctly."""

    name, task, is_share, greater_is_better = "accuracy", Task.CLASSIFICATION, True, True

    def values(self, rows: PredictedRows) -> NDArray[np.bool_]:
        """Return which rows are classified correctly."""
        return np.asarray(rows.predicted == rows.y)


class Kappa(Metric):
    """Cohen's kappa: the accuracy beyond that of the same predictions in random order.

    1 is perfect, 0 no better than chance.
    """

    name, task, greater_is_better = "kappa", Task.CLASSIFICATION, True

    def sums(self, rows: PredictedRows, weights: Floats) -> Sums:
        """Return the confusion matrix: rows are true classes, columns predicted ones."""
        return confusion(rows, weights)

    def value(self, sums: Sums) -> float:
        """Return kappa; 0 if chance alone would be perfect."""
        total = sums.sum()
        if total == 0.0:
            return np.nan
        agreement = np.trace(sums) / total
        chance = float(sums.sum(axis=0) @ sums.sum(axis=1)) / total**2
        return float((agreement - chance) / (1.0 - chance)) if chance < 1.0 else 0.0


class KappaTemporal(Metric):
    """Temporal kappa: the accuracy beyond that of always predicting the last label.

    1 is perfect; below 0 the model is worse than the last label. With labels in runs, only this
    metric shows whether a model has learned anything (Zliobaite and others, 2015).
    """

    name, task, greater_is_better = "kappa_temporal", Task.CLASSIFICATION, True

    def sums(self, rows: PredictedRows, weights: Floats) -> Sums:
        """Return the weights of all rows, of correct ones, and of those with the label before."""
        assert rows.previous is not None
        total, correct = mean_sums(rows.predicted == rows.y, weights)
        _, persistent = mean_sums(rows.previous == rows.y, weights)
        return np.array([total, correct, persistent])

    def value(self, sums: Sums) -> float:
        """Return temporal kappa; 0 if the last label is always correct."""
        total, correct, persistent = sums
        if total == 0.0:
            return np.nan
        return float((correct - persistent) / (total - persistent)) if persistent < total else 0.0


class BalancedAccuracy(Metric):
    """The mean over classes of their recall."""

    name, task, is_share, greater_is_better = "balanced_accuracy", Task.CLASSIFICATION, True, True

    def sums(self, rows: PredictedRows, weights: Floats) -> Sums:
        """Return the confusion matrix: rows are true classes, columns predicted ones."""
        return confusion(rows, weights)

    def value(self, sums: Sums) -> float:
        """Return the mean over the classes that occur."""
        counts = sums.sum(axis=1)
        occur = counts > 0.0
        return float(np.mean(np.diag(sums)[occur] / counts[occur])) if occur.any() else np.nan


class LogLoss(MeanMetric):
    """The mean negative logarithm of the probability of the true class."""

    name, task, needs_probabilities = "log_loss", Task.CLASSIFICATION, True

    def values(self, rows: PredictedRows) -> Floats:
        """Return the loss of each row."""
        assert rows.probabilities is not None
        chosen = rows.probabilities[np.arange(len(rows)), rows.y]
        return np.asarray(-np.log(np.clip(chosen, _LEAST, 1.0)))


class Auc(Metric):
    """Area under the ROC curve.

    It needs the rows themselves, so it is computed for windows only. With more than two classes it
    is the mean over the classes that occur, each against all others.
    """

    name, task, greater_is_better = "auc", Task.CLASSIFICATION, True
    needs_probabilities, is_windowed = True, True

    def sums(self, rows: PredictedRows, weights: Floats) -> Sums:
        """Return the area, which cannot be added to others."""
        return np.array([self._area(rows, weights)])

    def value(self, sums: Sums) -> float:
        """Return the area; NaN if only one class occurs."""
        return float(sums[0])

    def _area(self, rows: PredictedRows, weights: Floats) -> float:
        assert rows.probabilities is not None
        occur = np.unique(rows.y)
        if len(occur) < 2:
            return np.nan
        classes = occur[1:] if len(occur) == 2 else occur
        areas = [_area_of(rows.probabilities[:, k], rows.y == k, weights) for k in classes.tolist()]
        return float(np.mean(areas))


def _area_of(scores: Floats, positive: NDArray[np.bool_], weights: Floats) -> float:
    if (weights == weights[0]).all():
        n_positive = int(positive.sum())
        above = stats.rankdata(scores)[positive].sum() - n_positive * (n_positive + 1) / 2.0
        return float(above / (n_positive * (len(scores) - n_positive)))
    # With weights: over distinct scores, the weight of the negatives below.
    distinct, place = np.unique(scores, return_inverse=True)
    positives = np.bincount(place, weights * positive, minlength=len(distinct))
    negatives = np.bincount(place, weights * ~positive, minlength=len(distinct))
    below = np.cumsum(negatives) - 0.5 * negatives
    return float(positives @ below / (positives.sum() * negatives.sum()))


def confusion(rows: PredictedRows, weights: Floats) -> Sums:
    """Return the confusion matrix: weights of rows by true and predicted class.

    Examples
    --------
    >>> rows = PredictedRows(np.array([0, 1, 1]), np.array([0, 0, 1]), np.ones(3))
    >>> confusion(rows, rows.weights).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    y: NDArray[Any] = rows.y.astype(np.intp)
    predicted = rows.predicted.astype(np.intp)
    n = int(max(y.max(initial=0), predicted.max(initial=0))) + 1
    counts: Sums = np.bincount(y * n + predicted, weights, minlength=n * n).astype(np.float64)
    return counts.reshape(n, n)


CLASSIFICATION_METRICS: tuple[type[Metric], ...] = (
    Error,
    Accuracy,
    Kappa,
    KappaTemporal,
    BalancedAccuracy,
    LogLoss,
    Auc,
)
