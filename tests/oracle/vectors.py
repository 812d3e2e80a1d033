"""The oracle for vector leaves: one tree for all classes, or for several targets or labels.

Source: "Outputs" in ``docs/algorithm.md``. The tree itself is that of ``oracle.py``, with K
outputs; here is what its outputs mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tests.oracle.losses import LogLoss, Loss, Quantile
from tests.oracle.oracle import (
    Floats,
    Integers,
    LeafRows,
    Node,
    NominalSplit,
    NumericSplit,
    OracleClassifier,
    OracleLearner,
    OracleTree,
    Outcome,
    Settings,
)


def log_sum_exp(values: Sequence[float]) -> float:
    highest = max(values)
    return highest + math.log(math.fsum(math.exp(value - highest) for value in values))


# --------------------------------------------------------------------------------------------------
# Classes
# --------------------------------------------------------------------------------------------------


def softmax_derivatives(y: int, scores: Sequence[float]) -> tuple[Floats, Floats]:
    """g_k = p_k - [y = k] and h_k = K / (K - 1) p_k (1 - p_k), 1 - p_k the sum of the others."""
    highest, K = max(scores), len(scores)
    powers = [math.exp(score - highest) for score in scores]
    total = math.fsum(powers)
    g, h = [], []
    for k in range(K):
        p = powers[k] / total
        others = math.fsum(powers[:k] + powers[k + 1 :]) / total
        g.append(-others if y == k else p)
        h.append(K / (K - 1) * p * others)
    return np.array(g), np.array(h)


class SoftmaxTree(OracleTree):
    """A tree whose leaves hold a score for each class.

    A leaf's rows keep their classes, because a late class changes the value at which their
    derivatives are taken.
    """

    def learn_class(self, x: Sequence[float], cells: Integers, y: int, w: float) -> None:
        def keep(leaf: Node) -> None:
            g, h = softmax_derivatives(y, leaf.value.tolist())
            leaf.cells.append(cells)
            leaf.y.append(y)
            leaf.g.append(g)
            leaf.h.append(h)
            leaf.w.append(w)

        self.give(x, keep)

    def hand_down(self, leaf: Node, i: int, child: Node, v: Floats) -> None:
        g, h = softmax_derivatives(leaf.y[i], child.value.tolist())
        child.cells.append(leaf.cells[i])
        child.y.append(leaf.y[i])
        child.g.append(g)
        child.h.append(h)
        child.w.append(leaf.w[i])

    def variance(self, rows: LeafRows, outcome: Outcome) -> float:
        """Of the summed change of each row, exactly: one row has one class."""
        return self.variance_of(rows, self.changes_in_loss(rows, outcome).sum(axis=1))

    def add_class(self, log_odds: float | None) -> None:
        """One more output in every node: log-sum-exp + log(w / W), or 0 (None)."""
        for node in every_node(self.root):
            scores = node.value.tolist()
            late = 0.0 if log_odds is None else log_sum_exp(scores) + log_odds
            node.value = np.array([*scores, late])
            again = [softmax_derivatives(y, node.value.tolist()) for y in node.y]
            node.g, node.h = [g for g, _ in again], [h for _, h in again]


def every_node(node: Node) -> list[Node]:
    if node.split is None:
        return [node]
    if isinstance(node.split, NumericSplit):
        children = [node.split.left, node.split.right]
    else:
        assert isinstance(node.split, NominalSplit)
        children = list(node.split.branches.values())
    return [node] + [below for child in children for below in every_node(child)]


class OracleVectorClassifier(OracleClassifier):
    """One tree under softmax and cross entropy, a vector in each leaf; no tree for one class."""

    def __init__(
        self,
        settings: Settings,
        nominal: Sequence[bool],
        ranges: Sequence[tuple[float, float] | None] | None = None,
    ) -> None:
        self.weights_learned: list[float] = []
        super().__init__(settings, nominal, ranges)

    def new_softmax_tree(self, start: Floats) -> None:
        self.add_tree(SoftmaxTree(self.settings, self.nominal, self.boundaries, start))

    def start(self) -> None:
        weights = self.weights_of_buffer()
        self.n_classes = len(weights)
        if self.n_classes < 2:
            return
        start = np.zeros(self.n_classes)
        if self.settings.start_from_data:
            start = np.array([math.log(weight / math.fsum(weights)) for weight in weights])
        self.new_softmax_tree(start)

    def scores(self, x: Sequence[float]) -> list[float]:
        return self.trees[0].values(x).tolist() if self.trees else [0.0]

    def learn_row(self, x: list[float], y: float, w: float) -> None:
        if y == self.n_classes:
            self.begin_class(w)
        assert 0 <= y < self.n_classes, "class numbers follow the order of first appearance"
        self.weights_learned.append(w)
        for tree in self.trees:
            assert isinstance(tree, SoftmaxTree)
            tree.learn_class(x, self.cells(x), int(y), w)

    def begin_class(self, w: float) -> None:
        """A class's first row after the warm-up; the first class of all needs no tree."""
        self.n_classes += 1
        if self.n_classes == 1:
            return
        if not self.trees:
            self.new_softmax_tree(np.zeros(1))
        (tree,) = self.trees
        assert isinstance(tree, SoftmaxTree)
        from_data = self.settings.start_from_data
        tree.add_class(math.log(w / math.fsum(self.weights_learned)) if from_data else None)


# --------------------------------------------------------------------------------------------------
# Several targets, several labels
# --------------------------------------------------------------------------------------------------


class OracleOfTargets(OracleLearner):
    """One tree with an output for each target, every one under a loss (and scale) of its own."""

    def __init__(
        self,
        settings: Settings,
        nominal: Sequence[bool],
        ranges: Sequence[tuple[float, float] | None] | None,
        losses: Sequence[Loss],
    ) -> None:
        self.losses = losses
        self.under_log_loss = isinstance(losses[0], LogLoss)
        super().__init__(settings, nominal, ranges)

    def quantiles(self) -> Sequence[Quantile]:
        return [loss for loss in self.losses if isinstance(loss, Quantile)]

    def targets_of_buffer(self, k: int) -> list[tuple[float, float]]:
        return [(float(y[k]), w) for _, y, w in self.buffer]

    def best_constants(self) -> Floats:
        if not self.buffer:
            return np.zeros(len(self.losses))
        return np.array(
            [loss.constant(self.targets_of_buffer(k)) for k, loss in enumerate(self.losses)]
        )

    def start(self) -> None:
        if self.buffer:
            for k, loss in enumerate(self.losses):
                loss.see(self.targets_of_buffer(k))
        from_data = self.settings.start_from_data
        self.new_tree(self.best_constants() if from_data else np.zeros(len(self.losses)))

    def predict(self, x_row: Floats) -> Floats:
        """The raw scores."""
        if self.warming_up:
            return self.best_constants()
        return self.trees[0].values([float(value) for value in x_row])

    def derivatives(self, y: Sequence[float], raw: Sequence[float]) -> tuple[Floats, Floats]:
        pairs = [
            loss.derivatives(float(target), score)
            for loss, target, score in zip(self.losses, y, raw, strict=True)
        ]
        g, h = zip(*pairs, strict=True)
        return np.array(g), np.array(h)

    def learn_row(self, x: list[float], y: Sequence[float], w: float) -> None:
        (tree,) = self.trees
        g, h = self.derivatives(y, tree.values(x).tolist())
        tree.learn(x, self.cells(x), g, h, w)
