"""Metrics of predicted classes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from sgtrees.evaluation.metrics.base import Metric, Sums, Task, mean, mean_sums
from sgtrees.evaluation.outcomes import Floats, Outcome

# The least probability that log loss believes, as elsewhere.
_LEAST = 1e-15


class Error(Metric):
    """The part of the rows that are predicted wrong."""

    name, task, is_share = "error", Task.CLASSIFICATION, True

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the weight of all rows and of the wrong ones."""
        return mean_sums(outcome.predicted != outcome.y, weights)

    def value(self, sums: Sums) -> float:
        """Return the part."""
        return mean(sums)


class Accuracy(Metric):
    """The part of the rows that are predicted right."""

    name, task, is_share, is_better_higher = "accuracy", Task.CLASSIFICATION, True, True

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the weight of all rows and of the right ones."""
        return mean_sums(outcome.predicted == outcome.y, weights)

    def value(self, sums: Sums) -> float:
        """Return the part."""
        return mean(sums)


class Kappa(Metric):
    """Cohen's kappa: how much better than somebody who draws from the same predictions.

    1 is perfect, 0 no better than chance.
    """

    name, task, is_better_higher = "kappa", Task.CLASSIFICATION, True

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the confusion matrix: rows are true classes, columns predicted ones."""
        return confusion(outcome, weights)

    def value(self, sums: Sums) -> float:
        """Return kappa; 0 where chance alone would do as well."""
        total = sums.sum()
        if total == 0.0:
            return np.nan
        agreement = np.trace(sums) / total
        chance = float(sums.sum(axis=0) @ sums.sum(axis=1)) / total**2
        return float((agreement - chance) / (1.0 - chance)) if chance < 1.0 else 0.0


class KappaTemporal(Metric):
    """How much better than to say each time what was true the row before.

    1 is perfect; below 0 the model is worse than repeating the last label. Where labels come in
    runs, only this tells whether anything was learned (Zliobaite and others, 2015).
    """

    name, task, is_better_higher = "kappa_temporal", Task.CLASSIFICATION, True

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the weights of all rows, the right ones, and those like the row before."""
        assert outcome.previous is not None
        total, right = mean_sums(outcome.predicted == outcome.y, weights)
        _, persistent = mean_sums(outcome.previous == outcome.y, weights)
        return np.array([total, right, persistent])

    def value(self, sums: Sums) -> float:
        """Return the figure; 0 where the last label is always right."""
        total, right, persistent = sums
        if total == 0.0:
            return np.nan
        return float((right - persistent) / (total - persistent)) if persistent < total else 0.0


class BalancedAccuracy(Metric):
    """The mean over classes of the part of their rows that are predicted right."""

    name, task, is_share, is_better_higher = "balanced_accuracy", Task.CLASSIFICATION, True, True

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the confusion matrix: rows are true classes, columns predicted ones."""
        return confusion(outcome, weights)

    def value(self, sums: Sums) -> float:
        """Return the mean over the classes that occur."""
        counts = sums.sum(axis=1)
        occur = counts > 0.0
        return float(np.mean(np.diag(sums)[occur] / counts[occur])) if occur.any() else np.nan


class LogLoss(Metric):
    """The mean of the negative logarithm of the probability of what was true."""

    name, task, needs_probabilities = "log_loss", Task.CLASSIFICATION, True

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the weight of all rows and their losses."""
        assert outcome.probabilities is not None
        chosen = outcome.probabilities[np.arange(len(outcome)), outcome.y]
        return mean_sums(-np.log(np.clip(chosen, _LEAST, 1.0)), weights)

    def value(self, sums: Sums) -> float:
        """Return the mean."""
        return mean(sums)


class Auc(Metric):
    """Area under the ROC curve: how often the right one of two rows has the higher probability.

    It needs the rows themselves, so it can be told of a window only. With more than two classes it
    is the mean over the classes that occur, each against all others.
    """

    name, task, is_better_higher = "auc", Task.CLASSIFICATION, True
    needs_probabilities, is_windowed = True, True

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the area, which cannot be added up."""
        return np.array([self._area(outcome, weights)])

    def value(self, sums: Sums) -> float:
        """Return the area; NaN where only one class occurs."""
        return float(sums[0])

    def _area(self, outcome: Outcome, weights: Floats) -> float:
        assert outcome.probabilities is not None
        occur = np.unique(outcome.y)
        if len(occur) < 2:
            return np.nan
        classes = occur[1:] if len(occur) == 2 else occur
        areas = [
            _area_of(outcome.probabilities[:, k], outcome.y == k, weights) for k in classes.tolist()
        ]
        return float(np.mean(areas))


def _area_of(scores: Floats, is_it: NDArray[np.bool_], weights: Floats) -> float:
    if (weights == weights[0]).all():
        n_it = int(is_it.sum())
        above = rankdata(scores)[is_it].sum() - n_it * (n_it + 1) / 2.0
        return float(above / (n_it * (len(scores) - n_it)))
    # Where rows weigh differently: over distinct scores, the weight of the others that lie below.
    distinct, place = np.unique(scores, return_inverse=True)
    ours = np.bincount(place, weights * is_it, minlength=len(distinct))
    others = np.bincount(place, weights * ~is_it, minlength=len(distinct))
    below = np.cumsum(others) - 0.5 * others
    return float(ours @ below / (ours.sum() * others.sum()))


def confusion(outcome: Outcome, weights: Floats) -> Sums:
    """Return the weights of rows by their true and predicted class.

    Examples
    --------
    >>> outcome = Outcome(np.array([0, 1, 1]), np.array([0, 0, 1]), np.ones(3))
    >>> confusion(outcome, outcome.weights).tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    """
    y: NDArray[Any] = outcome.y.astype(np.intp)
    predicted = outcome.predicted.astype(np.intp)
    n = int(max(y.max(initial=0), predicted.max(initial=0))) + 1
    counts: Sums = np.bincount(y * n + predicted, weights, minlength=n * n).astype(np.float64)
    return counts.reshape(n, n)
