"""Baselines of regression: the value of the row before, and the mean so far."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.weights import read_weights
from sgtrees.evaluation.baselines.base import Baseline
from sgtrees.evaluation.baselines.last_rows import last_rows
from sgtrees.evaluation.tasks import Task
from sgtrees.targets.numbers import read_targets
from sgtrees.targets.outputs import Columns

Floats = NDArray[np.float64]


class NumberBaseline(Baseline):
    """A baseline of one target or of several; the columns of y do not influence each other."""

    task = Task.REGRESSION

    def __init__(self) -> None:
        # The shape of a row's target: () or (n_targets,); None before the first row.
        self._shape: tuple[int, ...] | None = None

    def learn_predict(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Learn targets, and return the prediction of each row just before.

        Parameters
        ----------
        X : object
            The features, which are not used.
        y : array of shape (n_rows,) or (n_rows, n_targets)
            Their targets.
        sample_weight : array of shape (n_rows,), optional
            Their weights; rows of weight 0 change nothing.

        Returns
        -------
        ndarray of the shape of y
            The predictions; 0 before the first row.
        """
        read = read_targets(y)
        targets = read.values if isinstance(read, Columns) else read
        if self._shape is None:
            self._shape = targets.shape[1:]
        elif self._shape != targets.shape[1:]:
            raise ValueError(
                f"y has the shape {targets.shape}, must be (n_rows, {self._shape[0]})"
                if self._shape
                else f"y has {targets.shape[1]} columns, must have one value for each row"
            )
        columns = targets.reshape(len(targets), -1)
        weights = read_weights(sample_weight, len(targets))
        if weights is None:
            weights = np.ones(len(targets))
        return self._learn(columns, weights).reshape(targets.shape)

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the same value, or values, for each row; 0 before the first."""
        constant = np.zeros(1) if self._shape is None else self._constant()
        return np.tile(
            constant.reshape(self._shape or ()), (len(X), *(1 for _ in self._shape or ()))
        )

    def _learn(self, targets: Floats, weights: Floats) -> Floats:
        """Learn targets of shape (n_rows, n_targets); return the predictions before each row."""
        raise NotImplementedError

    def _constant(self) -> Floats:
        """Return the present prediction of each target, after a first row."""
        raise NotImplementedError


class LastValue(NumberBaseline):
    """Predicts the target of the row before; 0 for the first row.

    Rows of weight 0 are left out. It is hard to beat where targets change slowly.

    Examples
    --------
    >>> LastValue().learn_predict(None, [1.0, 3.0, 5.0]).tolist()
    [0.0, 1.0, 3.0]
    """

    def __init__(self) -> None:
        super().__init__()
        self._last: Floats | None = None

    def _learn(self, targets: Floats, weights: Floats) -> Floats:
        first = np.zeros_like(targets[:1]) if self._last is None else self._last
        known = np.concatenate([first, targets])
        places = last_rows(weights, len(targets))
        self._last = known[places[-1:]]
        predicted: Floats = known[places[:-1]]
        return predicted

    def _constant(self) -> Floats:
        return np.zeros(1) if self._last is None else self._last


class MeanSoFar(NumberBaseline):
    """Predicts the mean of the targets so far; 0 for the first row.

    Examples
    --------
    >>> MeanSoFar().learn_predict(None, [1.0, 3.0, 5.0]).tolist()
    [0.0, 1.0, 2.0]
    """

    def __init__(self) -> None:
        super().__init__()
        self._weight = 0.0
        self._sum: Floats = np.zeros(1)
        self._origin: Floats = np.zeros(1)

    def _learn(self, targets: Floats, weights: Floats) -> Floats:
        if self._weight == 0.0:
            # Sums are taken about the first target, against cancellation.
            self._origin, self._sum = targets[0].copy(), np.zeros(targets.shape[1])
        total = self._weight + np.concatenate([[0.0], np.cumsum(weights)])[:, None]
        added = np.cumsum(weights[:, None] * (targets - self._origin), axis=0)
        sums = self._sum + np.concatenate([np.zeros_like(self._sum)[None], added])
        with np.errstate(invalid="ignore"):
            means = np.where(total > 0.0, self._origin + sums / total, 0.0)
        self._weight, self._sum = float(total[-1, 0]), sums[-1]
        return means[:-1]

    def _constant(self) -> Floats:
        if self._weight == 0.0:
            return np.zeros_like(self._origin)
        return self._origin + self._sum / self._weight
