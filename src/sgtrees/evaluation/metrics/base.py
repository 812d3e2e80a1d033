"""The base classes of metrics."""

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.predictions import PredictedRows
from sgtrees.evaluation.tasks import Task

Sums = NDArray[np.float64]


class Metric(ABC):
    """A function of sums over rows.

    A metric of your own has a name, a task, and the methods `sums` and `value`; one that is a mean
    over rows is a `MeanMetric`.

    Examples
    --------
    >>> import numpy as np
    >>> class MeanError(Metric):
    ...     name, task = "mean_error", Task.REGRESSION
    ...
    ...     def sums(self, rows, weights):
    ...         return np.array([weights.sum(), weights @ (rows.predicted - rows.y)])
    ...
    ...     def value(self, sums):
    ...         return sums[1] / sums[0]
    >>> rows = PredictedRows(np.array([1.0, 2.0]), np.array([2.0, 4.0]), np.ones(2))
    >>> float(MeanError().score(rows))
    1.5
    """

    name: ClassVar[str]
    task: ClassVar[Task]
    greater_is_better: ClassVar[bool] = False
    is_share: ClassVar[bool] = False
    """Whether it is a share, shown in percent."""
    needs_probabilities: ClassVar[bool] = False
    needs_interval: ClassVar[bool] = False
    is_windowed: ClassVar[bool] = False
    """Whether it needs the rows themselves, so that it is computed for windows only."""

    @abstractmethod
    def sums(self, rows: PredictedRows, weights: NDArray[np.float64]) -> Sums:
        """Return the weighted sums over some rows.

        Parameters
        ----------
        rows : PredictedRows
            The rows.
        weights : ndarray of shape (n_rows,)
            Their weights: each row's own weight times its fading factor.

        Returns
        -------
        ndarray
            Sums of any shape, which can be added to those of other rows.
        """

    @abstractmethod
    def value(self, sums: Sums) -> float:
        """Return the metric; NaN if it is not defined."""

    def score(self, rows: PredictedRows) -> float:
        """Return the metric of some rows; NaN if there are none."""
        return float(self.value(self.sums(rows, rows.weights))) if len(rows) else np.nan


class MeanMetric(Metric):
    """A weighted mean over rows; a subclass defines `values`."""

    @abstractmethod
    def values(self, rows: PredictedRows) -> NDArray[np.floating] | NDArray[np.bool_]:
        """Return the value of each row."""

    def sums(self, rows: PredictedRows, weights: NDArray[np.float64]) -> Sums:
        """Return the sum of weights and of weighted values."""
        return mean_sums(self.values(rows), weights)

    def value(self, sums: Sums) -> float:
        """Return the mean."""
        return float(sums[1] / sums[0]) if sums[0] > 0.0 else np.nan


def add(one: Sums | None, other: Sums) -> Sums:
    """Add sums; those of fewer classes are padded with zeros.

    Examples
    --------
    >>> add(np.array([[1.0]]), np.ones((2, 2))).tolist()
    [[2.0, 1.0], [1.0, 1.0]]
    """
    if one is None:
        return other
    if one.shape == other.shape:
        return one + other
    shape = tuple(map(max, one.shape, other.shape))
    total = np.zeros(shape)
    for part in (one, other):
        total[tuple(map(slice, part.shape))] += part
    return total


def mean_sums(values: NDArray[np.floating] | NDArray[np.bool_], weights: Sums) -> Sums:
    """Return the sum of weights and of weighted values."""
    # No dot product: it would start the threads of the linear algebra library.
    return np.array([weights.sum(), (weights * values).sum()])
