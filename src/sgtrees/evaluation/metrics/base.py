"""What a metric is."""

from abc import ABC, abstractmethod
from enum import Enum
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.outcomes import Outcome

Sums = NDArray[np.float64]


class Task(Enum):
    """What is predicted."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"


class Metric(ABC):
    """A figure made of sums over rows.

    To make one of your own write `sums` and `value`, and give it a name and a task.

    Examples
    --------
    >>> import numpy as np
    >>> class MeanError(Metric):
    ...     name, task = "mean_error", Task.REGRESSION
    ...
    ...     def sums(self, outcome, weights):
    ...         return np.array([weights.sum(), weights @ (outcome.predicted - outcome.y)])
    ...
    ...     def value(self, sums):
    ...         return sums[1] / sums[0]
    >>> outcome = Outcome(np.array([1.0, 2.0]), np.array([2.0, 4.0]), np.ones(2))
    >>> float(MeanError().of(outcome))
    1.5
    """

    name: ClassVar[str]
    task: ClassVar[Task]
    is_better_higher: ClassVar[bool] = False
    is_share: ClassVar[bool] = False
    """Whether it is a part of 1, best shown in percent."""
    needs_probabilities: ClassVar[bool] = False
    needs_interval: ClassVar[bool] = False
    is_windowed: ClassVar[bool] = False
    """Whether it can only be told of a window of rows."""

    @abstractmethod
    def sums(self, outcome: Outcome, weights: NDArray[np.float64]) -> Sums:
        """Return the sums of some rows, each counted by its weight.

        Parameters
        ----------
        outcome : Outcome
            The rows.
        weights : ndarray of shape (n_rows,)
            How much each counts: the row's own weight, times what has faded.

        Returns
        -------
        ndarray
            Sums that may be added to those of other rows, whatever their shape.
        """

    @abstractmethod
    def value(self, sums: Sums) -> float:
        """Return the figure; NaN where there is nothing to tell it by."""

    def of(self, outcome: Outcome) -> float:
        """Return the figure of some rows.

        Parameters
        ----------
        outcome : Outcome
            The rows.

        Returns
        -------
        float
            The figure; NaN where there are no rows.
        """
        return float(self.value(self.sums(outcome, outcome.weights))) if len(outcome) else np.nan


def add(one: Sums | None, other: Sums) -> Sums:
    """Add sums; those of fewer classes get zeros for the others.

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


def mean(sums: Sums) -> float:
    """Return the second sum divided by the first, which counts rows."""
    return float(sums[1] / sums[0]) if sums[0] > 0.0 else np.nan


def mean_sums(values: NDArray[np.floating] | NDArray[np.bool_], weights: Sums) -> Sums:
    """Return the sums of a weighted mean."""
    # No dot product: it would wake the threads of the linear algebra library for a moment's work.
    return np.array([weights.sum(), (weights * values).sum()])
