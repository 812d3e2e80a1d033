"""A tree as JSON for the page; of a large tree the nodes with the most rows."""

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.inspection import TreeView, ValueKind, format_prediction
from sgtrees.inspection.conditions import condition
from sgtrees.inspection.predictions import PROBABILITIES, mean_predictions

# More nodes than this make a page slow to open.
MOST_NODES = 3000

# What the value of a node is.
_TITLES = {
    ValueKind.PROBABILITY: "mean probability of {target} = {label}",
    ValueKind.SCORE: "log odds of {label} against {reference}",
    ValueKind.NUMBER: "mean prediction of {target}",
    ValueKind.CLASSES: "most probable {target} and its mean probability",
    ValueKind.LABELS: "labels that are more probable than not",
    ValueKind.NUMBERS: "mean predictions of {names}",
    ValueKind.CONTRIBUTION: "mean contribution to the raw score of {names}",
}


def tree_document(
    tree: TreeView,
    target: str,
    *,
    most: int = MOST_NODES,
    means: NDArray[np.float64] | None = None,
) -> dict[str, Any]:
    """Return a tree for the page.

    Parameters
    ----------
    tree : TreeView
        The tree.
    target : str
        What it predicts.
    most : int
        The most nodes to take; those with the most rows are taken first.
    means : ndarray of shape (n_nodes, n_outputs), optional
        The mean predictions of the nodes, if they were measured; otherwise those of the leaves'
        values, which with linear leaves are the predictions at the mean of all features.

    Returns
    -------
    dict
        ``title``; and ``nodes``, each with ``condition`` (of the branch that leads here),
        ``feature`` (of the split, or None), ``value`` (the mean prediction of the rows that reach
        the node), ``share``, ``children``, and ``more``, the number of nodes below that were left
        out.
    """
    chosen = _largest(tree, most)
    if means is None:
        means = mean_predictions(tree)
    places = {number: place for place, number in enumerate(chosen)}
    below = _n_below(tree)
    tones = _tones(tree, means)
    nodes = []
    for number in chosen:
        node = tree.nodes[number]
        children = [child for child in node.children if child in places]
        children.sort(key=lambda child: _order(tree, child))
        kept = sum(1 + below[child] for child in children)
        nodes.append(
            {
                "condition": condition(tree, node) or "all rows",
                "feature": None if node.split is None else node.split.feature.name,
                "value": format_prediction(tree, means[number]),
                "tone": float(tones[number]),
                "share": tree.share(node),
                "children": [places[child] for child in children],
                "more": below[number] - kept,
            }
        )
    return {"title": _title(tree, target), "nodes": nodes, "n_nodes": len(tree.nodes)}


def _largest(tree: TreeView, most: int) -> list[int]:
    """Return the nodes with the most rows, each after its parent."""
    waiting = [(-tree.root.cover, 0)]
    chosen: list[int] = []
    while waiting and len(chosen) < most:
        _, number = heapq.heappop(waiting)
        chosen.append(number)
        for child in tree.nodes[number].children:
            heapq.heappush(waiting, (-tree.nodes[child].cover, child))
    return chosen


def _tones(tree: TreeView, means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale predictions to 0 to 1; of several probabilities take the greatest."""
    several = tree.value_kind in PROBABILITIES
    values = means.max(axis=1) if several else means[:, 0]
    low, high = values.min(), values.max()
    tones: NDArray[np.float64] = (
        np.full(len(values), 0.5) if high == low else (values - low) / (high - low)
    )
    return tones


def _n_below(tree: TreeView) -> list[int]:
    below = [0] * len(tree.nodes)
    for node in reversed(tree.nodes):
        if node.parent is not None:
            below[node.parent] += 1 + below[node.number]
    return below


def _order(tree: TreeView, number: int) -> tuple[int, float]:
    """Return the sort key of children: left before right, else those with the most rows first."""
    node = tree.nodes[number]
    assert node.branch is not None
    if node.branch.is_left is not None:
        return (0 if node.branch.is_left else 1, 0.0)
    return (0, -node.cover)


def _title(tree: TreeView, target: str) -> str:
    label = target if tree.label is None else tree.label
    return _TITLES[tree.value_kind].format(
        target=target,
        label=label,
        reference=tree.reference,
        names=" / ".join(map(str, tree.names or (label,))),
    )
