"""Metrics of predicted numbers and intervals."""

import numpy as np

from sgtrees.evaluation.metrics.base import Metric, Sums, Task, mean, mean_sums
from sgtrees.evaluation.outcomes import Floats, Outcome


class MeanAbsoluteError(Metric):
    """The mean distance between what was predicted and what was true."""

    name, task = "mae", Task.REGRESSION

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the weight of all rows and their distances."""
        return mean_sums(np.abs(outcome.predicted - outcome.y), weights)

    def value(self, sums: Sums) -> float:
        """Return the mean."""
        return mean(sums)


class RootMeanSquaredError(Metric):
    """The root of the mean squared distance between what was predicted and what was true."""

    name, task = "rmse", Task.REGRESSION

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the weight of all rows and their squared distances."""
        return mean_sums((outcome.predicted - outcome.y) ** 2, weights)

    def value(self, sums: Sums) -> float:
        """Return the root."""
        return float(np.sqrt(mean(sums)))


class R2(Metric):
    """The part of the targets' variance that is explained; 1 is perfect.

    0 is what their mean explains, over the rows in question and known beforehand: so a model that
    starts with nothing begins below.
    """

    name, task, is_better_higher = "r2", Task.REGRESSION, True

    def __init__(self) -> None:
        # Sums of squares are taken about the first target, lest far-off targets cancel.
        self._origin: float | None = None

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the weight of rows, the sums of targets and their squares, squared distances."""
        if self._origin is None:
            self._origin = float(outcome.y[0])
        y = outcome.y - self._origin
        left = (outcome.predicted - outcome.y) ** 2
        return np.array([weights.sum(), *((weights * part).sum() for part in (y, y**2, left))])

    def value(self, sums: Sums) -> float:
        """Return the part; NaN where all targets are the same."""
        total, first, second, left = sums
        variance = second - first**2 / total if total > 0.0 else 0.0
        return float(1.0 - left / variance) if variance > 0.0 else np.nan


class Deviance(Metric):
    """The mean deviance of a Tweedie distribution: the natural figure for counts and amounts.

    Parameters
    ----------
    power : float, default=1.0
        0 is the squared error, 1 Poisson's, 2 gamma's, between them compound Poisson-gamma.
    """

    name, task = "deviance", Task.REGRESSION

    def __init__(self, power: float = 1.0) -> None:
        if power != 0.0 and power < 1.0:
            raise ValueError(f"power == {power}, must be 0 or >= 1.")
        self.power = power

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the weight of all rows and their deviances."""
        return mean_sums(_deviances(outcome.y, outcome.predicted, self.power), weights)

    def value(self, sums: Sums) -> float:
        """Return the mean."""
        return mean(sums)


def _deviances(y: Floats, predicted: Floats, power: float) -> Floats:
    result: Floats
    if power == 0.0:
        result = (y - predicted) ** 2
        return result
    # A prediction of 0 is infinitely wrong where the target is not; very wrong is enough.
    m = np.maximum(predicted, 1e-12)
    with np.errstate(divide="ignore", invalid="ignore"):
        if power == 1.0:
            result = 2.0 * (np.where(y > 0.0, y * np.log(y / m), 0.0) - y + m)
        elif power == 2.0:
            result = 2.0 * (np.log(m / y) + y / m - 1.0)
        else:
            at_target = np.maximum(y, 0.0) ** (2.0 - power) / ((1.0 - power) * (2.0 - power))
            result = 2.0 * (
                at_target
                - y * m ** (1.0 - power) / (1.0 - power)
                + m ** (2.0 - power) / (2.0 - power)
            )
    return result


class Pinball(Metric):
    """The loss of a predicted quantile: too low costs alpha a unit, too high 1 - alpha.

    Parameters
    ----------
    alpha : float, default=0.5
        Which quantile.
    """

    name, task = "pinball", Task.REGRESSION

    def __init__(self, alpha: float = 0.5) -> None:
        if not 0.0 < alpha < 1.0:
            raise ValueError(f"alpha == {alpha}, must be between 0 and 1.")
        self.alpha = alpha

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the weight of all rows and their losses."""
        above = outcome.y - outcome.predicted
        return mean_sums(np.maximum(self.alpha * above, (self.alpha - 1.0) * above), weights)

    def value(self, sums: Sums) -> float:
        """Return the mean."""
        return mean(sums)


class Coverage(Metric):
    """The part of the targets that lie within the predicted interval, its ends included."""

    name, task, is_share, needs_interval = "coverage", Task.REGRESSION, True, True

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the weight of all rows and of those within."""
        assert outcome.lower is not None
        assert outcome.upper is not None
        return mean_sums((outcome.lower <= outcome.y) & (outcome.y <= outcome.upper), weights)

    def value(self, sums: Sums) -> float:
        """Return the part."""
        return mean(sums)


class Width(Metric):
    """The mean width of the predicted interval."""

    name, task, needs_interval = "width", Task.REGRESSION, True

    def sums(self, outcome: Outcome, weights: Floats) -> Sums:
        """Return the weight of all rows and their widths."""
        assert outcome.lower is not None
        assert outcome.upper is not None
        return mean_sums(np.maximum(outcome.upper - outcome.lower, 0.0), weights)

    def value(self, sums: Sums) -> float:
        """Return the mean."""
        return mean(sums)
