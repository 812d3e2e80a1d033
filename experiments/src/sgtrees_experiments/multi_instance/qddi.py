"""`QDDIClassifier`: the quick, iterative diverse density of Foulds and Frank.

Diverse density is how well a point, and a scale for each feature, explain the labels of bags. An
instance x is positive with the probability exp(-d), d = sum_k (scale_k (x_k - point_k))^2, and a
bag is negative if none of its instances is positive (noisy-or).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from sklearn.utils.validation import check_scalar

from sgtrees_experiments.multi_instance.base import BagClassifier, Floats, Sizes

_SCALINGS = ("standard", "range", "none")
# The least probability that a bag's label is taken to have: a bag that the point cannot explain
# costs much, but not everything. It is the square root of a float's precision.
_LEAST = 2.0**-26
# The least distance, so that log(1 - exp(-d)) is finite at the point itself.
_NEAREST = 1e-10
# Distances that are computed at a time.
_CELLS_AT_A_TIME = 1 << 22


def log_negative(distance: Floats, sizes: Sizes) -> Floats:
    """Return the logarithm of each bag's probability of being negative.

    Parameters
    ----------
    distance : ndarray of shape (..., n_rows)
        The distance d of each row; those of a bag follow one another.
    sizes : ndarray of shape (n_bags,)
        How many rows each bag has.

    Examples
    --------
    >>> np.exp(log_negative(np.log([2.0, 2.0, 4.0]), np.array([2, 1]))).round(2)
    array([0.25, 0.75])
    """
    of_instance = np.log(-np.expm1(-np.maximum(distance, _NEAREST)))
    of_bag: Floats = np.add.reduceat(of_instance, np.cumsum(sizes) - sizes, axis=-1)
    return of_bag


@dataclass(frozen=True)
class DiverseDensity:
    """The likelihood of the labels of some bags.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
        The bags' rows, those of a bag one after the other.
    sizes : ndarray of shape (n_bags,)
        How many rows each bag has.
    positive : ndarray of shape (n_bags,)
        Whether it is positive.
    """

    X: Floats
    sizes: Sizes
    positive: NDArray[np.bool_]

    def best_point(self, scale: Floats) -> Floats:
        """Return the instance of a positive bag that explains the labels best.

        Of several that are equally good it is the first.
        """
        scaled = self.X * scale
        squares = np.square(scaled).sum(axis=1)
        candidates = np.flatnonzero(np.repeat(self.positive, self.sizes))
        at_a_time = max(1, _CELLS_AT_A_TIME // len(scaled))
        costs = []
        for start in range(0, len(candidates), at_a_time):
            some = candidates[start : start + at_a_time]
            distance = squares[some, None] + squares - 2.0 * scaled[some] @ scaled.T
            costs.append(_cost(self._right(log_negative(distance, self.sizes))))
        point: Floats = self.X[candidates[np.concatenate(costs).argmin()]]
        return point

    def best_scale(self, point: Floats, start: Floats) -> tuple[Floats, float]:
        """Descend from a scale to a best one for a point; return it and the cost that is left."""
        squares = np.square(self.X - point)
        found = minimize(
            self.cost_and_gradient, start, args=(squares,), jac=True, method="L-BFGS-B"
        )
        return np.abs(found.x), float(found.fun)

    def cost_and_gradient(self, scale: Floats, squares: Floats) -> tuple[float, Floats]:
        """Return the cost of a scale and its derivatives.

        Parameters
        ----------
        scale : ndarray of shape (n_features,)
            The scale.
        squares : ndarray of shape (n_rows, n_features)
            The squared differences between the rows and the point.
        """
        distance = np.maximum(squares @ np.square(scale), _NEAREST)
        negative = log_negative(distance, self.sizes)
        right = self._right(negative)
        # Derivatives of the cost by log_negative; 0 where a probability is held at its least.
        slope = np.where(self.positive, np.exp(negative) / np.maximum(right, _LEAST), -1.0)
        slope[right < _LEAST] = 0.0
        odds = np.exp(-distance) / -np.expm1(-distance)
        by_distance = np.repeat(slope, self.sizes) * odds
        return float(_cost(right)), 2.0 * scale * (by_distance @ squares)

    def _right(self, negative: Floats) -> Floats:
        """Return the probability of each bag's true label."""
        right: Floats = np.where(self.positive, -np.expm1(negative), np.exp(negative))
        return right


def _cost(right: Floats) -> Floats:
    """Return minus the logarithm of the likelihood of all labels."""
    cost: Floats = -np.log(np.maximum(right, _LEAST)).sum(axis=-1)
    return cost


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

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
        Both labels, sorted; the second one is positive.
    point_ : ndarray
        The point, in the units of the data (nominal features as 0/1 columns).
    scale_ : ndarray
        The scale of each feature, in the same units; 0 if the feature is constant.
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
    ) -> None:
        self.scaling = scaling
        self.start_scale = start_scale
        self.max_iter = max_iter

    def _check_parameters(self) -> None:
        check_scalar(
            self.start_scale, "start_scale", (int, float), min_val=0.0, include_boundaries="neither"
        )
        check_scalar(self.max_iter, "max_iter", int, min_val=1)
        if self.scaling not in _SCALINGS:
            raise ValueError(
                f"scaling={self.scaling!r} is not known; give one of {list(_SCALINGS)}"
            )

    def _learn(self, X: Floats, sizes: Sizes, positive: NDArray[np.bool_]) -> None:
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

    def _unit(self, X: Floats) -> Floats:
        """Return what is one unit of each feature; 0 if it is constant."""
        spread: Floats = np.ptp(X, axis=0)
        if self.scaling == "range":
            return spread
        unit = X.std(axis=0) if self.scaling == "standard" else np.ones(X.shape[1])
        return np.where(spread > 0.0, unit, 0.0)

    def _probability_of_positive(self, X: Floats, sizes: Sizes) -> Floats:
        distance = np.square((X - self.point_) * self.scale_).sum(axis=1)
        probability: Floats = -np.expm1(log_negative(distance, sizes))
        return probability
