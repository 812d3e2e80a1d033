"""The base class of baselines: predictions from earlier targets alone."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.tasks import Task


class Baseline:
    """A model that uses the targets so far, and not the features.

    One of your own has a task and `learn_predict`; an evaluation compares the other models with it.

    Examples
    --------
    >>> from sgtrees.evaluation import prequential
    >>> from sgtrees.streams import Friedman
    >>> class ValueBeforeTheLast(Baseline):
    ...     task = Task.REGRESSION
    ...
    ...     def __init__(self):
    ...         self._last = np.zeros(2)
    ...
    ...     def learn_predict(self, X, y, sample_weight=None):
    ...         known = np.concatenate([self._last, y])
    ...         self._last = known[-2:]
    ...         return known[:-2]
    >>> prequential(Friedman().head(1_000), ValueBeforeTheLast()).baselines
    ('ValueBeforeTheLast',)
    """

    task: ClassVar[Task]

    @property
    def has_learned(self) -> bool:
        """Whether it has learned a row; before, its predictions mean nothing."""
        return True

    def learn_predict(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[Any]:
        """Learn targets, and return the prediction of each row just before.

        Parameters
        ----------
        X : object
            The features, which are not used.
        y : array of shape (n_rows,)
            Their labels or targets.
        sample_weight : array of shape (n_rows,), optional
            Their weights.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predictions.
        """
        raise NotImplementedError

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the targets of a block."""
        self.learn_predict(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the same value for each row."""
        return np.full(len(X), self._constant())

    def _constant(self) -> Any:
        raise NotImplementedError
