"""The oracle for linear leaves: a value and a weight for each standardised numeric feature.

Source: "Linear leaves" in ``docs/algorithm.md``. The tree itself is that of ``oracle.py``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from tests.oracle.oracle import (
    Floats,
    Integers,
    Node,
    OracleClassifier,
    OracleLearner,
    OracleRegressor,
    OracleTree,
)
from tests.oracle.vectors import OracleOfTargets

MOST_DEVIATIONS = 3.0
INHERITED_ROWS = 100.0

Standard = tuple[int, float, float]
"""A feature, its mean and its standard deviation."""


@dataclass
class LinearNode(Node):
    """``weights`` has a row for each output, ``a`` a number for each input (None before a row)."""

    weights: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    a: list[Floats | None] = field(default_factory=list)
    rows: float = 0.0

    def step(self, z: Floats, g: Floats, h: Floats, w: float) -> None:
        """What one row does to the value and the weights."""
        self.value = self.value.copy()
        self.weights = self.weights.copy()
        for k in range(len(g)):
            a = self.a[k]
            if a is None:
                if not w * h[k] > 0:
                    continue
                a = np.full(len(z), w * h[k])
            alone = z / a
            reach = sum((z * alone).tolist())
            step = w * g[k] / (1 + w * h[k] * reach)
            self.a[k] = a + w * h[k] * (z * z)
            self.value[k] -= step * alone[0]
            self.weights[k] -= step * alone[1:]
        self.rows += 1


def standard_of(feature: int, mean: float, deviation: float) -> list[Standard]:
    """Nothing where the feature does not vary, as far as rounding lets one see."""
    if not (math.isfinite(mean) and math.isfinite(deviation)):
        return []
    if not deviation > 1e-12 * abs(mean) or deviation < 1e-290:
        return []
    return [(feature, mean, deviation)]


class LinearTree(OracleTree):
    """A tree whose leaves add a linear term."""

    def __init__(self, *args: Any, standards: Sequence[Standard]) -> None:
        super().__init__(*args)
        self.standards = standards
        root = self.root
        n_outputs = len(root.value)
        self.root = LinearNode(
            root.value,
            root.depth,
            root.nominal_above,
            weights=np.zeros((n_outputs, len(standards))),
            a=[None] * n_outputs,
        )

    def inputs(self, x: Sequence[float]) -> Floats:
        """1, then z of each feature."""
        found = [1.0]
        for feature, mean, deviation in self.standards:
            z = (x[feature] - mean) / deviation
            found.append(0.0 if math.isnan(z) else min(max(z, -MOST_DEVIATIONS), MOST_DEVIATIONS))
        return np.array(found)

    def values(self, x: Sequence[float]) -> Floats:
        node: Node = self.root
        while node.split is not None:
            child = node.split.child(x)
            if child is None:
                break
            node = child
        assert isinstance(node, LinearNode)
        return np.asarray(node.value + node.weights @ self.inputs(x)[1:])

    def learn(
        self, x: Sequence[float], cells: Integers, g: Any, h: Any, w: float, copies: int = 1
    ) -> None:
        assert copies == 1, "linear leaves learn every row"
        leaf = self.leaf_to_learn(x)
        if leaf is None:
            return
        assert isinstance(leaf, LinearNode)
        reg_lambda = 0.0 if self.settings.units_of_leaf else self.settings.reg_lambda
        leaf.step(self.inputs(x), np.atleast_1d(g), np.atleast_1d(h) + reg_lambda, w)
        super().learn(x, cells, g, h, w)

    def child_of(self, parent: Node, feature: int, value: Floats) -> Node:
        """With the parent's weights; what it has learned counts like ``INHERITED_ROWS`` rows."""
        assert isinstance(parent, LinearNode)
        child = super().child_of(parent, feature, value)
        share = min(1.0, INHERITED_ROWS / parent.rows) if parent.rows > 0 else 1.0
        return LinearNode(
            child.value,
            child.depth,
            child.nominal_above,
            child.number,
            weights=parent.weights,
            a=[None if a is None else a * share for a in parent.a],
            rows=min(parent.rows, INHERITED_ROWS),
        )


class WithLinearLeaves(OracleLearner):
    """Trees with linear leaves, over the features that vary in the warm-up, or in their range."""

    standards: list[Standard]

    def start(self) -> None:
        self.standards = []
        for feature in range(len(self.nominal)):
            if not self.nominal[feature]:
                self.standards += self.standard(feature)
        super().start()

    def standard(self, feature: int) -> list[Standard]:
        if self.buffer:
            sample = [x[feature] for x, _, _ in self.buffer if not math.isnan(x[feature])]
            if not sample:
                return []
            mean = float(sum(map(Fraction, sample)) / len(sample))
            squares = math.fsum((x - mean) ** 2 for x in sample)
            return standard_of(feature, mean, math.sqrt(squares / len(sample)))
        given = self.ranges[feature] if self.ranges is not None else None
        if given is None:
            return []
        low, high = given
        return standard_of(feature, low / 2 + high / 2, (high - low) / math.sqrt(12))

    def new_tree(self, start: float | Floats) -> None:
        self.add_tree(
            LinearTree(
                self.settings,
                self.nominal,
                self.boundaries,
                start,
                self.under_log_loss,
                standards=self.standards,
            )
        )


class LinearRegressor(WithLinearLeaves, OracleRegressor):
    """One tree under a loss of one output."""


class LinearClassifier(WithLinearLeaves, OracleClassifier):
    """K - 1 trees."""


class LinearOfTargets(WithLinearLeaves, OracleOfTargets):
    """One tree with an output for each target."""
