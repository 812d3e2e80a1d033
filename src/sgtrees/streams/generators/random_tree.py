"""A random decision tree as the concept to learn (Domingos and Hulten, 2000)."""

import numpy as np
from numpy.typing import NDArray

from sgtrees.streams.block import Block, Column
from sgtrees.streams.generators.generator import Floats, Generator, named, pick

_LEAF = -1


class RandomTree(Generator):
    """Uniform rows, labelled by a random decision tree.

    Every split is at a random column: at a random value of its range there, or, of a nominal one,
    into a branch for each category. A leaf has a random class. Two streams with other seeds have
    other trees, so that a `Drift` from one to the other is a drift of the concept alone.

    Parameters
    ----------
    n_numeric : int, default=5
        The number of numeric columns, between 0 and 1.
    n_nominal : int, default=5
        The number of nominal columns.
    n_categories : int, default=5
        The number of categories of each.
    n_classes : int, default=2
        The number of classes.
    max_depth : int, default=5
        The depth at which all nodes are leaves.
    first_leaves : int, default=3
        The least depth of a leaf.
    leaf_share : float, default=0.15
        The probability that a node from that depth on is a leaf.
    noise : float, default=0.0
        The share of labels that are replaced by a random other one.
    seed : int, default=0
        Seed of the stream, and of its tree.

    References
    ----------
    P. Domingos, G. Hulten: Mining high-speed data streams. KDD 2000.

    Examples
    --------
    >>> block = RandomTree(n_classes=3, noise=0.1, seed=1).take(1000)
    >>> block.X.shape, sorted(set(block.y.tolist())), block.best_error
    ((1000, 10), ['class 1', 'class 2', 'class 3'], 0.1)
    """

    def __init__(
        self,
        *,
        n_numeric: int = 5,
        n_nominal: int = 5,
        n_categories: int = 5,
        n_classes: int = 2,
        max_depth: int = 5,
        first_leaves: int = 3,
        leaf_share: float = 0.15,
        noise: float = 0.0,
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        if n_numeric + n_nominal < 1:
            raise ValueError("n_numeric + n_nominal == 0, must be at least 1.")
        if n_nominal and n_categories < 2:
            raise ValueError(f"n_categories == {n_categories}, must be at least 2.")
        if n_classes < 2:
            raise ValueError(f"n_classes == {n_classes}, must be at least 2.")
        if not 0 <= first_leaves <= max_depth:
            raise ValueError(f"first_leaves == {first_leaves}, must be from 0 to {max_depth}.")
        if not 0.0 <= noise <= 1.0:
            raise ValueError(f"noise == {noise}, must be from 0 to 1.")
        self.n_numeric = n_numeric
        self.n_nominal = n_nominal
        self.n_categories = n_categories
        self.n_classes = n_classes
        self.max_depth = max_depth
        self.first_leaves = first_leaves
        self.leaf_share = leaf_share
        self.noise = noise
        self._grow()

    def _grow(self) -> None:
        """Draw the tree: of each node the column, the threshold, the branches, and the class."""
        n_columns = self.n_numeric + self.n_nominal
        n_branches = max(self.n_categories if self.n_nominal else 2, 2)
        columns: list[int] = []
        thresholds: list[float] = []
        children: list[NDArray[np.int64]] = []
        classes: list[int] = []

        def add(depth: int, low: Floats, high: Floats, unused: NDArray[np.bool_]) -> int:
            node = len(columns)
            column = self._column(depth, unused)
            threshold = 0.0
            if 0 <= column < self.n_numeric:
                threshold = low[column] + self._fixed.random() * (high[column] - low[column])
            columns.append(column)
            thresholds.append(threshold)
            children.append(np.full(n_branches, node))
            classes.append(int(self._fixed.integers(self.n_classes)))
            if column >= self.n_numeric:
                left = unused.copy()
                left[column] = False
                for branch in range(self.n_categories):
                    children[node][branch] = add(depth + 1, low, high, left)
            elif column != _LEAF:
                for branch, bounds in enumerate((high, low)):
                    moved = bounds.copy()
                    moved[column] = threshold
                    ends = (low, moved) if branch == 0 else (moved, high)
                    children[node][branch] = add(depth + 1, *ends, unused)
            return node

        add(0, np.zeros(n_columns), np.ones(n_columns), np.ones(n_columns, dtype=np.bool_))
        self._split_column = np.array(columns)
        self._threshold = np.array(thresholds)
        self._children = np.array(children)
        self._class = np.array(classes)

    def _column(self, depth: int, unused: NDArray[np.bool_]) -> int:
        """Draw the column of a split, or that the node is a leaf."""
        if depth >= self.max_depth:
            return _LEAF
        if depth >= self.first_leaves and self._fixed.random() < self.leaf_share:
            return _LEAF
        available = np.flatnonzero(unused)
        return int(self._fixed.choice(available)) if len(available) else _LEAF

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(f"class {number}" for number in range(1, self.n_classes + 1))

    def _columns(self) -> tuple[Column, ...]:
        categories = tuple(f"value {number}" for number in range(1, self.n_categories + 1))
        numeric = [Column(f"x{place}") for place in range(1, self.n_numeric + 1)]
        nominal = [
            Column(f"c{place}", nominal=True, categories=categories)
            for place in range(1, self.n_nominal + 1)
        ]
        return (*numeric, *nominal)

    def _target(self) -> Column:
        return Column("class", nominal=True, categories=self._names)

    def _make(self, n_rows: int, first_row: int) -> Block:  # noqa: ARG002 - nothing changes here
        n_columns = self.n_numeric + self.n_nominal
        draws = self._uniform.random((n_rows, n_columns + 2))
        X = np.ascontiguousarray(draws[:, :n_columns])
        X[:, self.n_numeric :] = pick(X[:, self.n_numeric :], self.n_categories)
        labels = self._class[self._leaves(X)]
        # One of the others, all equally probable.
        shift = 1 + pick(draws[:, -1], self.n_classes - 1).astype(np.intp)
        is_wrong = draws[:, -2] < self.noise
        labels = np.where(is_wrong, (labels + shift) % self.n_classes, labels)
        # With very much noise another label is the most probable one.
        best = min(self.noise, 1.0 - self.noise / (self.n_classes - 1))
        return Block(X, named(self._names, labels), best_error=best)

    def _leaves(self, X: Floats) -> NDArray[np.intp]:
        """Return the leaf of each row."""
        rows = np.arange(len(X))
        node = np.zeros(len(X), dtype=np.intp)
        for _ in range(self.max_depth):
            column = self._split_column[node]
            values = X[rows, column]
            is_above = values >= self._threshold[node]
            branch = np.where(column < self.n_numeric, is_above, values).astype(np.intp)
            # The branches of a leaf lead to itself.
            node = self._children[node, np.where(column == _LEAF, 0, branch)]
        return node
