"""What the learners of bags share: reading bags and labels, predicting labels."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from sgtrees.data.schema import Declaration
from sgtrees.estimators.bag_predictions import BagPredictions
from sgtrees.models.bag_model import two_labels
from sgtrees.targets.labels import Labels, code_labels
from sgtrees_experiments.multi_instance.numeric_view import Matrix, NumericView

Sizes = NDArray[np.int64]


class BagClassifier(BagPredictions, BaseEstimator):
    """Base of the learners of bags; a subclass learns from and scores plain matrices.

    Bags are given as for `SGTMultiInstanceClassifier`: a list of them, rows with ``groups``, or a
    data frame with a bag column.
    """

    categorical_features: Any
    positive_label: Any

    # ---- what a subclass adds -------------------------------------------------------------------

    def _check_parameters(self) -> None:
        raise NotImplementedError

    def _learn(self, X: Matrix, sizes: Sizes, positive: NDArray[np.bool_]) -> None:
        """Learn bags whose rows lie one bag after the other."""
        raise NotImplementedError

    def _probability_of_positive(self, X: Matrix, sizes: Sizes) -> Matrix:
        """Return the probability that each bag is positive."""
        raise NotImplementedError

    # ---- scikit-learn's methods -----------------------------------------------------------------

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    def fit(self, X: Any, y: Any, groups: Any = None) -> Self:
        """Learn from scratch.

        Parameters
        ----------
        X : list of arrays or data frames, or one of either
            The bags; NaN, None and NA are missing values.
        y : array of shape (n_bags,) or (n_rows,)
            Their labels, two different ones.
        groups : array of shape (n_rows,), optional
            The bag of each row, where X holds all rows.

        Returns
        -------
        BagClassifier
            The estimator itself.
        """
        self._check_parameters()
        bags = self._read_bags(X, groups)
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, "
                "but the target y is None."
            )
        coded = bags.label_of_each(code_labels(y))
        labels = two_labels(coded, bags.names, Labels(), None, self.positive_label)
        view, matrix = NumericView.learn(bags.table, Declaration(self.categorical_features))
        self._learn(matrix[bags.order], bags.sizes, labels.targets(coded) == 1.0)
        validate_data(self, bags.sample, reset=True, skip_check_array=True)
        self.classes_ = np.array(sorted(labels.labels))
        self._view = view
        self._positive_place = int(self.classes_.tolist().index(labels.positive))
        return self

    def predict_proba(self, X: Any, groups: Any = None) -> Matrix:
        """Predict the probability of both labels for each bag.

        Parameters
        ----------
        X : list of arrays or data frames, or one of either
            The bags.
        groups : array of shape (n_rows,), optional
            The bag of each row, where X holds all rows.

        Returns
        -------
        ndarray of shape (n_bags, 2)
            The probabilities, in the order of ``classes_``.
        """
        check_is_fitted(self)
        bags = self._read_bags(X, groups)
        validate_data(self, bags.sample, reset=False, skip_check_array=True)
        positive = self._probability_of_positive(self._view.of(bags.table)[bags.order], bags.sizes)
        both = np.empty((len(bags), 2))
        both[:, self._positive_place] = positive
        both[:, 1 - self._positive_place] = 1.0 - positive
        return both
