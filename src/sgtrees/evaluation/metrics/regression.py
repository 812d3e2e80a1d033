"""Metrics of regression and of prediction intervals."""

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.metrics.base import MeanMetric, Metric, Sums
from sgtrees.evaluation.predictions import Floats, PredictedRows
from sgtrees.evaluation.tasks import Task


class MeanAbsoluteError(MeanMetric):
    """The mean absolute error."""

    name, task = "mae", Task.REGRESSION

    def values(self, rows: PredictedRows) -> Floats:
        """Return the absolute error of each row."""
        return np.asarray(np.abs(rows.predicted - rows.y))


class RootMeanSquaredError(MeanMetric):
    """The root of the mean squared error."""

    name, task = "rmse", Task.REGRESSION

    def values(self, rows: PredictedRows) -> Floats:
        """Return the squared error of each row."""
        return np.asarray(np.square(rows.predicted - rows.y))

    def value(self, sums: Sums) -> float:
        """Return the root of the mean."""
        return float(np.sqrt(super().value(sums)))


class R2(Metric):
    """The coefficient of determination: the share of the targets' variance that is explained.

    1 is perfect; 0 is the score of the targets' mean, known beforehand. A model that starts from
    nothing is below 0 at first.
    """

    name, task, greater_is_better = "r2", Task.REGRESSION, True

    def __init__(self) -> None:
        # Sums of squares are taken about the first target, against cancellation.
        self._origin: float | None = None

    def sums(self, rows: PredictedRows, weights: Floats) -> Sums:
        """Return the sums of weights, targets, squared targets and squared errors."""
        if self._origin is None:
            self._origin = float(rows.y[0])
        y = rows.y - self._origin
        squared_errors = (rows.predicted - rows.y) ** 2
        return np.array(
            [weights.sum(), *((weights * part).sum() for part in (y, y**2, squared_errors))]
        )

    def value(self, sums: Sums) -> float:
        """Return the share; NaN if all targets are equal."""
        total, first, second, squared_errors = sums
        variance = second - first**2 / total if total > 0.0 else 0.0
        return float(1.0 - squared_errors / variance) if variance > 0.0 else np.nan


class Deviance(MeanMetric):
    """The mean deviance of a Tweedie distribution, for counts and amounts.

    Parameters
    ----------
    power : float, default=1.0
        0 is the squared error, 1 Poisson, 2 gamma, between 1 and 2 compound Poisson-gamma.
    """

    name, task = "deviance", Task.REGRESSION

    def __init__(self, power: float = 1.0) -> None:
        if power != 0.0 and power < 1.0:
            raise ValueError(f"power == {power}, must be 0 or >= 1.")
        self.power = power

    def values(self, rows: PredictedRows) -> Floats:
        """Return the deviance of each row."""
        return _deviances(rows.y, rows.predicted, self.power)


def _deviances(y: Floats, predicted: Floats, power: float) -> Floats:
    result: Floats
    if power == 0.0:
        result = (y - predicted) ** 2
        return result
    # A prediction of 0 for another target has an infinite deviance; a large one is enough.
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


class Pinball(MeanMetric):
    """The pinball loss of a predicted quantile.

    Parameters
    ----------
    alpha : float, default=0.5
        The quantile: a prediction that is too low costs ``alpha`` per unit, one that is too high
        ``1 - alpha``.
    """

    name, task = "pinball", Task.REGRESSION

    def __init__(self, alpha: float = 0.5) -> None:
        if not 0.0 < alpha < 1.0:
            raise ValueError(f"alpha == {alpha}, must be between 0 and 1.")
        self.alpha = alpha

    def values(self, rows: PredictedRows) -> Floats:
        """Return the loss of each row."""
        above = rows.y - rows.predicted
        return np.asarray(np.maximum(self.alpha * above, (self.alpha - 1.0) * above))


class Coverage(MeanMetric):
    """The share of targets that lie within the prediction interval, its ends included."""

    name, task, is_share, needs_interval = "coverage", Task.REGRESSION, True, True

    def values(self, rows: PredictedRows) -> NDArray[np.bool_]:
        """Return which targets lie within their intervals."""
        assert rows.lower is not None
        assert rows.upper is not None
        return np.asarray((rows.lower <= rows.y) & (rows.y <= rows.upper))


class Width(MeanMetric):
    """The mean width of the prediction interval."""

    name, task, needs_interval = "width", Task.REGRESSION, True

    def values(self, rows: PredictedRows) -> Floats:
        """Return the width of each interval."""
        assert rows.lower is not None
        assert rows.upper is not None
        return np.maximum(rows.upper - rows.lower, 0.0)


REGRESSION_METRICS: tuple[type[Metric], ...] = (
    MeanAbsoluteError,
    RootMeanSquaredError,
    R2,
    Deviance,
    Pinball,
    Coverage,
    Width,
)
