"""Diverse density: how well a point, and a scale for each feature, explain the labels of bags.

An instance x is positive with the probability exp(-d), d = sum_k (scale_k (x_k - point_k))^2, and
a bag is negative where none of its instances is positive (noisy-or).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

Floats = NDArray[np.float64]
Sizes = NDArray[np.int64]

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
