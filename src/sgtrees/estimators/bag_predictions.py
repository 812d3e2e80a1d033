"""What estimators of bags share: labels and accuracy from the probabilities of a bag's labels."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from sgtrees.data.bags import BagRows, read_bags
from sgtrees.targets.labels import code_labels


class BagPredictions(ClassifierMixin):
    """Labels and accuracy from ``predict_proba``, for bags in any form."""

    bag_column: Hashable

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False
        tags.classifier_tags.multi_class = False
        return tags

    def predict_proba(self, X: Any, groups: Any = None) -> NDArray[np.float64]:
        """Predict the probability of both labels for each bag.

        Parameters
        ----------
        X : list of arrays or data frames, or one of either
            The bags.
        groups : array of shape (n_rows,), optional
            The bag of each row, if X holds all rows.

        Returns
        -------
        ndarray of shape (n_bags, 2)
            The probabilities, in the order of ``classes_``.
        """
        raise NotImplementedError

    def predict(self, X: Any, groups: Any = None) -> NDArray[Any]:
        """Predict the label of each bag.

        Parameters
        ----------
        X, groups
            As for `predict_proba`.

        Returns
        -------
        ndarray of shape (n_bags,)
            The more probable labels; if both are equally so, the one that comes first in
            ``classes_``.
        """
        places = self.predict_proba(X, groups).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[places]
        return labels

    def score(self, X: Any, y: Any, groups: Any = None, sample_weight: Any = None) -> float:
        """Return the share of bags whose label is predicted.

        Parameters
        ----------
        X, groups
            As for `predict_proba`.
        y : array of shape (n_bags,) or (n_rows,)
            Their labels.
        sample_weight : array of shape (n_bags,), optional
            The bags' weights.

        Returns
        -------
        float
            The accuracy.
        """
        coded = self._read_bags(X, groups).label_of_each(code_labels(y))
        labels = np.array([coded.values[code] for code in coded.codes.tolist()])
        predicted = self.predict(X, groups)
        return float(np.average(labels == predicted, weights=sample_weight))

    def _read_bags(self, X: Any, groups: Any) -> BagRows:
        return read_bags(X, groups, self.bag_column, type(self).__name__)
