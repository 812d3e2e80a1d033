"""Intervals that shall hold the target, from two models of quantiles."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.metrics.base import Task


class QuantileInterval:
    """Two models of quantiles as one model of an interval, and one of a value in it.

    Parameters
    ----------
    lower, upper : estimator
        Regressors of a low and of a high quantile.
    middle : estimator, optional
        Regressor of what is predicted in between; the middle of the interval by default.

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
        """All the models."""
        return [self.lower, self.upper, *([] if self.middle is None else [self.middle])]

    @property
    def knows_nothing(self) -> bool:
        """Whether no row has come yet, so that nothing can be predicted."""
        return not all(model.__sklearn_is_fitted__() for model in self.models)

    @property
    def n_nodes_(self) -> int:
        """The number of nodes of all models."""
        return sum(model.n_nodes_ for model in self.models)

    @property
    def n_leaves_(self) -> int:
        """The number of leaves of all models."""
        return sum(model.n_leaves_ for model in self.models)

    def learn_predict_interval(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Learn a block and return what was predicted for each row just before.

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
            What is predicted, and the interval's lower and upper ends.
        """
        return self._ends([m.learn_predict(X, y, sample_weight) for m in self.models])

    def predict_interval(
        self, X: Any
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Return what is predicted, and the interval's lower and upper ends."""
        return self._ends([model.predict(X) for model in self.models])

    @staticmethod
    def _ends(
        predicted: list[NDArray[np.float64]],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        # Two trees that know nothing of one another may cross.
        lower, upper = np.minimum(*predicted[:2]), np.maximum(*predicted[:2])
        return (predicted[2] if len(predicted) > 2 else 0.5 * (lower + upper)), lower, upper

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "QuantileInterval":
        """Learn a block."""
        for model in self.models:
            model.partial_fit(X, y, sample_weight=sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the value in between for each row."""
        return self.predict_interval(X)[0]
