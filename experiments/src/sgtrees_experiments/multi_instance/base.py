"""Base class of the multi-instance learners that ours are compared with."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

Floats = NDArray[np.float64]
Sizes = NDArray[np.int64]


class BagClassifier(ClassifierMixin, BaseEstimator):
    """A classifier of bags of numbers; a subclass learns from one matrix of all rows.

    The greater of the two labels is the positive one. A missing number (NaN) is replaced by the
    mean of its feature.
    """

    def _check_parameters(self) -> None:
        raise NotImplementedError

    def _learn(self, X: Floats, sizes: Sizes, positive: NDArray[np.bool_]) -> None:
        """Learn from bags whose rows follow one another."""
        raise NotImplementedError

    def _probability_of_positive(self, X: Floats, sizes: Sizes) -> Floats:
        """Return the probability that each bag is positive."""
        raise NotImplementedError

    def fit(self, X: Sequence[ArrayLike], y: ArrayLike) -> Self:
        """Learn from scratch.

        Parameters
        ----------
        X : sequence of arrays of shape (n_rows, n_features)
            The bags.
        y : array of shape (n_bags,)
            Their labels, two different ones.

        Returns
        -------
        BagClassifier
            The estimator itself.
        """
        self._check_parameters()
        rows, sizes = _stacked(X)
        classes, codes = np.unique(np.asarray(y), return_inverse=True)
        if len(codes) != len(sizes):
            raise ValueError(f"y has {len(codes)} labels, but X has {len(sizes)} bags")
        if len(classes) != 2:
            raise ValueError(f"y must have two different labels, not {classes.tolist()}")
        known = ~np.isnan(rows)
        sums = np.where(known, rows, 0.0).sum(axis=0)
        means = sums / np.maximum(known.sum(axis=0), 1)
        self._learn(np.where(known, rows, means), sizes, codes == 1)
        self.classes_, self._means = classes, means
        return self

    def predict_proba(self, X: Sequence[ArrayLike]) -> Floats:
        """Predict the probability of both labels for each bag.

        Parameters
        ----------
        X : sequence of arrays of shape (n_rows, n_features)
            The bags.

        Returns
        -------
        ndarray of shape (n_bags, 2)
            The probabilities, in the order of ``classes_``.
        """
        check_is_fitted(self)
        rows, sizes = _stacked(X)
        if rows.shape[1] != len(self._means):
            raise ValueError(f"X has {rows.shape[1]} features instead of {len(self._means)}")
        rows = np.where(np.isnan(rows), self._means, rows)
        positive = self._probability_of_positive(rows, sizes)
        return np.column_stack([1.0 - positive, positive])

    def predict(self, X: Sequence[ArrayLike]) -> NDArray[Any]:
        """Predict the label of each bag.

        Parameters
        ----------
        X : sequence of arrays of shape (n_rows, n_features)
            The bags.

        Returns
        -------
        ndarray of shape (n_bags,)
            The more probable labels; the first one if both are equally probable.
        """
        labels: NDArray[Any] = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return labels


def _stacked(bags: Sequence[ArrayLike]) -> tuple[Floats, Sizes]:
    """Return the rows of all bags in one matrix, and the number of rows of each bag."""
    arrays = [np.asarray(bag, dtype=np.float64) for bag in bags]
    return np.concatenate(arrays), np.array([len(array) for array in arrays])
