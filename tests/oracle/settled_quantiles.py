"""The values of leaves after several passes under the quantile loss, as the contract says."""

from __future__ import annotations

import math
from collections.abc import Sequence

from sgtrees.inspection import TreeView
from tests.oracle.losses import expected_quantile

ROWS_BESIDE = 3.0
MOST_BESIDE = 500


def rows_below(tree: TreeView, node: int, leaves: Sequence[int], weights: list[float]) -> list[int]:
    """The rows that end in the leaves below a node: leaf by leaf, from left to right."""
    children = sorted(tree.nodes[node].children)
    if not children:
        return [i for i, leaf in enumerate(leaves) if leaf == node and weights[i] > 0]
    return [i for child in children for i in rows_below(tree, child, leaves, weights)]


def settled_value(
    tree: TreeView,
    leaf: int,
    leaves: Sequence[int],
    y: Sequence[float],
    sample_weight: Sequence[float] | None,
    alpha: float,
) -> float | None:
    """The quantile of the rows in a leaf and of some beside it; None where they cannot tell."""
    weights = [1.0] * len(y) if sample_weight is None else [float(w) for w in sample_weight]
    own = rows_below(tree, leaf, leaves, weights)
    if not own:
        return None
    parent = tree.nodes[leaf].parent
    around = [] if parent is None else rows_below(tree, parent, leaves, weights)
    others = [i for i in around if leaves[i] != leaf]
    others = others[:: math.ceil(len(others) / MOST_BESIDE) or 1]
    beside = math.fsum(weights[i] for i in others)
    mean = math.fsum(weights[i] for i in own) / len(own)
    factor = min(1.0, ROWS_BESIDE * mean / beside) if others else 1.0
    rows = [(y[i], weights[i]) for i in own] + [(y[i], weights[i] * factor) for i in others]
    return expected_quantile(rows, alpha)
