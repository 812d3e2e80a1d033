"""Prediction intervals from two quantile regressors."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.tasks import Task

# Predictions, and the lower and upper ends of their intervals.
Interval = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


class QuantileInterval:
    """A model of prediction intervals, made of two quantile regressors.

    Parameters
    ----------
    lower, upper : estimator
        Regressors of a low and a high quantile.
    middle : estimator, optional
        Regressor of the prediction; by default it is the middle of the interval.

    Examples
    --------
    >>> from sgtrees import SGTRegressor, losses
    >>> from sgtrees.evaluation import QuantileInterval, prequential
    >>> from sgtrees.streams import Friedman
    >>> model = QuantileInterval(
    ...     SGTRegressor(loss=losses.Quantile(alpha=0.05)),
    ...     SGTRegressor(loss=losses.Quantile(alpha=0.95)),
    ... )
    >>> result = prequential(Friedman().head(20_000), model, metrics=["coverage", "width"])
    >>> 0.8 < result.total("coverage") < 0.97
    True
    """

    task = Task.REGRESSION

    def __init__(self, lower: Any, upper: Any, middle: Any = None) -> None:
        self.lower = lower
        self.upper = upper
        self.middle = middle

    @property
    def models(self) -> list[Any]:
        """The two or three models."""
        return [self.lower, self.upper, *([] if self.middle is None else [self.middle])]

    @property
    def has_learned(self) -> bool:
        """Whether it has learned a row, so that it can predict."""
        return all(model.__sklearn_is_fitted__() for model in self.models)

    @property
    def n_nodes_(self) -> int:
        """The number of nodes of all models."""
        return sum(model.n_nodes_ for model in self.models)

    @property
    def n_leaves_(self) -> int:
        """The number of leaves of all models."""
        return sum(model.n_leaves_ for model in self.models)

    @property
    def memory_bytes_(self) -> int:
        """The memory of all models."""
        return sum(model.memory_bytes_ for model in self.models)

    def learn_predict_interval(self, X: Any, y: Any, sample_weight: Any = None) -> Interval:
        """Learn a block, and return the predictions of each row just before.

        Parameters
        ----------
        X : array or data frame of shape (n_rows, n_features)
            The rows.
        y : array of shape (n_rows,)
            Their targets.
        sample_weight : array of shape (n_rows,), optional
            Their weights.

        Returns
        -------
        tuple of ndarray of shape (n_rows,)
            The predictions, and the intervals' lower and upper ends.
        """
        return self._ends([m.learn_predict(X, y, sample_weight) for m in self.models])

    def predict_interval(self, X: Any) -> Interval:
        """Return the predictions, and the intervals' lower and upper ends."""
        return self._ends([model.predict(X) for model in self.models])

    @staticmethod
    def _ends(
        predicted: list[NDArray[np.float64]],
    ) -> Interval:
        # The predictions of independent trees may cross.
        lower, upper = np.minimum(*predicted[:2]), np.maximum(*predicted[:2])
        return (predicted[2] if len(predicted) > 2 else 0.5 * (lower + upper)), lower, upper

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "QuantileInterval":
        """Learn a block."""
        for model in self.models:
            model.partial_fit(X, y, sample_weight=sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict each row."""
        return self.predict_interval(X)[0]
