"""The tree of MITI: grown best first; a bag is removed as soon as a leaf explains it."""

import heapq
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]
# The weights of positive and of all instances on both sides of each boundary -> what to maximise.
Criterion = Callable[[Floats, Floats, Floats, Floats], Floats]


@dataclass
class BinaryTree:
    """A tree of tests x[feature] <= boundary, as lists with an entry for each node.

    A leaf has the feature -1; its value is the share of positive instances.
    """

    feature: list[int] = field(default_factory=list)
    boundary: list[float] = field(default_factory=list)
    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    value: list[float] = field(default_factory=list)

    def add_leaf(self) -> int:
        """Add a leaf of value 0, and return its number."""
        self.feature.append(-1)
        self.boundary.append(np.nan)
        self.left.append(-1)
        self.right.append(-1)
        self.value.append(0.0)
        return len(self.feature) - 1

    def split(self, node: int, feature: int, boundary: float) -> tuple[int, int]:
        """Split a leaf, and return its two new leaves."""
        self.feature[node], self.boundary[node] = feature, boundary
        self.left[node], self.right[node] = self.add_leaf(), self.add_leaf()
        return self.left[node], self.right[node]

    def values_at(self, X: Floats) -> Floats:
        """Return the value of the leaf of each row."""
        feature, boundary = np.array(self.feature), np.array(self.boundary)
        left, right = np.array(self.left), np.array(self.right)
        at = np.zeros(len(X), dtype=np.intp)
        while (moving := np.flatnonzero(feature[at] >= 0)).size:
            node = at[moving]
            goes_left = X[moving, feature[node]] <= boundary[node]
            at[moving] = np.where(goes_left, left[node], right[node])
        values: Floats = np.array(self.value)[at]
        return values


@dataclass(frozen=True)
class Instances:
    """Labelled instances in the form that the search for splits needs.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
        The values.
    ranks : ndarray of shape (n_features, n_rows)
        The place of each value among the distinct ones of its feature.
    bag : ndarray of shape (n_rows,)
        The number of each row's bag.
    positive : ndarray of shape (n_rows,)
        Whether the row's bag is positive.
    weight : ndarray of shape (n_rows,)
        The row's weight.
    """

    X: Floats
    ranks: NDArray[np.unsignedinteger]
    bag: Rows
    positive: NDArray[np.bool_]
    weight: Floats

    @classmethod
    def of(cls, X: Floats, bag: Rows, positive: NDArray[np.bool_], weight: Floats) -> "Instances":
        """Rank the values of each feature."""
        ranks = [np.unique(column, return_inverse=True)[1] for column in X.T]
        # Short integers are sorted by counting, without comparisons.
        short = max(int(of_feature.max()) for of_feature in ranks) < 1 << 16
        integer = np.uint16 if short else np.uint32
        return cls(X, np.array(ranks, dtype=integer), bag, positive, weight)

    def share(self, rows: Rows, doubt: float = 0.0) -> float:
        """Return the positive share of the weight; ``doubt`` is weight that counts as negative."""
        weight = self.weight[rows]
        return float(weight[self.positive[rows]].sum() / (weight.sum() + doubt))


def grow(instances: Instances, criterion: Criterion, doubt: float) -> BinaryTree:
    """Grow a tree.

    The node with the highest estimated share of positives is next. If all of its instances belong
    to positive bags it becomes a leaf, and these bags are removed from the data with all their
    instances, in all nodes.

    Parameters
    ----------
    instances : Instances
        What to learn from.
    criterion : callable
        What the best split of a node maximises.
    doubt : float
        Weight that is added to the negatives when the share of positives is estimated.

    Returns
    -------
    BinaryTree
        The tree.
    """
    tree, tickets = BinaryTree(), count()
    unexplained = np.ones(int(instances.bag.max()) + 1, dtype=bool)
    waiting = [(-1.0, next(tickets), tree.add_leaf(), np.arange(len(instances.bag)))]
    while waiting:
        promise, ticket, node, rows = heapq.heappop(waiting)
        rows = rows[unexplained[instances.bag[rows]]]
        if not rows.size:
            continue
        # Instances may have been removed since the node was queued. That can only lower its share,
        # so the head of the queue is the best node once its own share is up to date.
        now = -instances.share(rows, doubt)
        if waiting and now > max(promise, waiting[0][0]):
            heapq.heappush(waiting, (now, ticket, node, rows))
            continue
        if instances.positive[rows].all():
            unexplained[instances.bag[rows]] = False
        found = None if _pure(instances.positive[rows]) else best_split(instances, rows, criterion)
        if found is None:
            tree.value[node] = instances.share(rows)
            continue
        feature, boundary = found
        goes_left = instances.X[rows, feature] <= boundary
        for child, part in zip(
            tree.split(node, feature, boundary), (rows[goes_left], rows[~goes_left]), strict=True
        ):
            entry = (-instances.share(part, doubt), next(tickets), child, part)
            heapq.heappush(waiting, entry)
    return tree


def _pure(positive: NDArray[np.bool_]) -> bool:
    return bool(positive.all() or not positive.any())


def best_split(instances: Instances, rows: Rows, criterion: Criterion) -> tuple[int, float] | None:
    """Find the feature and the boundary that are best by the criterion, the first of equals.

    Returns
    -------
    (int, float) or None
        The feature and the boundary, halfway between two values; None if all rows are equal.
    """
    ranks = instances.ranks[:, rows]
    order = np.argsort(ranks, axis=1, kind="stable")
    ordered = np.take_along_axis(ranks, order, axis=1)
    between = ordered[:, 1:] != ordered[:, :-1]
    if not between.any():
        return None
    weight, positive = instances.weight[rows], instances.positive[rows]
    all_left = np.cumsum(weight[order], axis=1)
    positive_left = np.cumsum(np.where(positive, weight, 0.0)[order], axis=1)
    all_right, positive_right = all_left[:, -1:] - all_left, positive_left[:, -1:] - positive_left
    with np.errstate(invalid="ignore", divide="ignore"):
        merit = criterion(
            positive_left[:, :-1], all_left[:, :-1], positive_right[:, :-1], all_right[:, :-1]
        )
    feature, place = np.unravel_index(np.where(between, merit, -np.inf).argmax(), merit.shape)
    below, above = instances.X[rows[order[feature, place : place + 2]], feature]
    return int(feature), float(below + (above - below) / 2)


def gini(positive_left: Floats, left: Floats, positive_right: Floats, right: Floats) -> Floats:
    """Minus the Gini impurity of both sides, each weighed by its instances."""
    purer: Floats = positive_left * (positive_left / left - 1.0) + positive_right * (
        positive_right / right - 1.0
    )
    return purer


def highest_share(doubt: float) -> Criterion:
    """Return the criterion of Blockeel et al.: the estimated positive share of the better side."""

    def criterion(
        positive_left: Floats, left: Floats, positive_right: Floats, right: Floats
    ) -> Floats:
        return np.maximum(positive_left / (left + doubt), positive_right / (right + doubt))

    return criterion


def squared_shares(doubt: float) -> Criterion:
    """Return the sum of the squared estimated positive shares of both sides."""

    def criterion(
        positive_left: Floats, left: Floats, positive_right: Floats, right: Floats
    ) -> Floats:
        merit: Floats = (positive_left / (left + doubt)) ** 2 + (
            positive_right / (right + doubt)
        ) ** 2
        return merit

    return criterion
