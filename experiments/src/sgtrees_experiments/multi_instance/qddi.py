"""`QDDIClassifier`: the quick, iterative diverse density of Foulds and Frank."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_scalar

from sgtrees_experiments.multi_instance.bag_classifier import BagClassifier, Sizes
from sgtrees_experiments.multi_instance.diverse_density import DiverseDensity, log_negative
from sgtrees_experiments.multi_instance.numeric_view import Matrix

_SCALINGS = ("standard", "range", "none")


class QDDIClassifier(BagClassifier):
    """QDDI: a point that positive bags come near to and negative ones do not.

    Diverse density searches for a point, and for a scale of each feature, that make the labels of
    the bags most likely. The quick version takes no other points into account than the instances of
    positive bags: it picks the best of them, then descends from the given scale to the best one
    for that point, and may go on with the point that is best under the new scale.

    Parameters
    ----------
    scaling : {"standard", "range", "none"}, default="standard"
        Whether features are brought to mean 0 and standard deviation 1, or to the range from 0 to
        1, or left as they are.
    start_scale : float, default=1.0
        The scale of each feature from which the search starts.
    max_iter : int, default=1
        How often, at most, a point is picked; the search ends where it does not gain any more.
    categorical_features : "from_dtype", None, or sequence of str, int or bool, \
default="from_dtype"
        Which features are nominal, as in `SGTClassifier`; they become a 0/1 column a category.
    positive_label : str, int or bool, optional
        The label of positive bags; by default the greater of the two (1, True, "yes").
    bag_column : str, default="bag"
        The column that tells each row's bag, in a data frame given without ``groups``.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Both labels, sorted.
    n_features_in_ : int
        The number of features.
    point_ : ndarray
        The point, in the units of the data (nominal features as 0/1 columns).
    scale_ : ndarray
        The scale of each feature, in the same units; 0 where the feature is constant.
    n_iter_ : int
        How often a point was picked.

    References
    ----------
    J. Foulds, E. Frank: Speeding up and boosting diverse density learning. Discovery Science 2010.

    O. Maron, T. Lozano-Perez: A framework for multiple-instance learning. NIPS 1998.

    Examples
    --------
    Bags of random points; those that come near to (0.3, 0.7) are positive:

    >>> import numpy as np
    >>> from sgtrees_experiments.multi_instance import QDDIClassifier
    >>> random = np.random.default_rng(0)
    >>> bags = [random.random((random.integers(2, 8), 2)) for _ in range(200)]
    >>> y = [bool((np.abs(bag - [0.3, 0.7]).max(axis=1) < 0.15).any()) for bag in bags]
    >>> model = QDDIClassifier(max_iter=10).fit(bags, y)
    >>> model.point_.round(1)
    array([0.3, 0.7])
    >>> model.predict([[[0.31, 0.72], [0.9, 0.1]], [[0.9, 0.1], [0.5, 0.2]]])
    array([ True, False])
    """

    def __init__(
        self,
        *,
        scaling: str = "standard",
        start_scale: float = 1.0,
        max_iter: int = 1,
        categorical_features: Any = "from_dtype",
        positive_label: Any = None,
        bag_column: Hashable = "bag",
    ) -> None:
        self.scaling = scaling
        self.start_scale = start_scale
        self.max_iter = max_iter
        self.categorical_features = categorical_features
        self.positive_label = positive_label
        self.bag_column = bag_column

    def _check_parameters(self) -> None:
        check_scalar(
            self.start_scale, "start_scale", (int, float), min_val=0.0, include_boundaries="neither"
        )
        check_scalar(self.max_iter, "max_iter", int, min_val=1)
        if self.scaling not in _SCALINGS:
            raise ValueError(
                f"scaling={self.scaling!r} is not known; give one of {list(_SCALINGS)}"
            )

    def _learn(self, X: Matrix, sizes: Sizes, positive: NDArray[np.bool_]) -> None:
        unit = self._unit(X)
        varies = unit > 0.0
        density = DiverseDensity(X[:, varies] / unit[varies], sizes, positive)
        scale, cost = np.full(int(varies.sum()), float(self.start_scale)), np.inf
        for iteration in range(1, self.max_iter + 1):
            point = density.best_point(scale)
            better, remaining = density.best_scale(point, scale)
            if remaining >= cost:
                break
            self.n_iter_ = iteration
            self.point_, self.scale_ = X[0].copy(), np.zeros(X.shape[1])
            self.point_[varies], self.scale_[varies] = point * unit[varies], better / unit[varies]
            scale, cost = better, remaining

    def _unit(self, X: Matrix) -> Matrix:
        """Return what is one unit of each feature; 0 where it is constant."""
        spread: Matrix = np.ptp(X, axis=0)
        if self.scaling == "range":
            return spread
        unit = X.std(axis=0) if self.scaling == "standard" else np.ones(X.shape[1])
        return np.where(spread > 0.0, unit, 0.0)

    def _probability_of_positive(self, X: Matrix, sizes: Sizes) -> Matrix:
        distance = np.square((X - self.point_) * self.scale_).sum(axis=1)
        probability: Matrix = -np.expm1(log_negative(distance, sizes))
        return probability
