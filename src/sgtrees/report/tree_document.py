"""A tree as plain values, small enough for a page: its largest parts where it is large."""

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.inspection import Output, TreeView, value_in_words
from sgtrees.inspection.words import condition, mean_predictions

# More nodes than this make a page slow to open, and nobody looks at all of them.
MOST_NODES = 3000


def tree_document(tree: TreeView, target: str, *, most: int = MOST_NODES) -> dict[str, Any]:
    """Return a tree for the page.

    Parameters
    ----------
    tree : TreeView
        The tree.
    target : str
        What it predicts.
    most : int
        The number of nodes to take at most; those that most rows come to are taken first.

    Returns
    -------
    dict
        ``title``; and ``nodes``, each with ``way`` (how rows come here), ``ask`` (what is asked, or
        None), ``value`` (the mean prediction of the rows that come here), ``share``, ``kids``, and
        ``more``, the number of nodes below that were left out.
    """
    chosen = _largest(tree, most)
    means = mean_predictions(tree)
    places = {number: place for place, number in enumerate(chosen)}
    below = _n_below(tree)
    tones = _tones(tree, means)
    nodes = []
    for number in chosen:
        node = tree.nodes[number]
        kids = sorted((k for k in node.children if k in places), key=lambda k: _order(tree, k))
        kept = sum(1 + below[kid] for kid in kids)
        nodes.append(
            {
                "way": condition(tree, node) or "all rows",
                "ask": None if node.split is None else node.split.feature.name,
                "value": value_in_words(tree, means[number]),
                "tone": float(tones[number]),
                "share": tree.share(node),
                "kids": [places[kid] for kid in kids],
                "more": below[number] - kept,
            }
        )
    return {"title": _title(tree, target), "nodes": nodes, "n_nodes": len(tree.nodes)}


def _largest(tree: TreeView, most: int) -> list[int]:
    """Return the nodes that most rows come to, each after its parent."""
    waiting = [(-tree.root.cover, 0)]
    chosen: list[int] = []
    while waiting and len(chosen) < most:
        _, number = heapq.heappop(waiting)
        chosen.append(number)
        for kid in tree.nodes[number].children:
            heapq.heappush(waiting, (-tree.nodes[kid].cover, kid))
    return chosen


def _tones(tree: TreeView, means: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return how high each prediction is among all, from 0 to 1; of labels, how sure it is."""
    several = tree.output in (Output.CLASSES, Output.LABELS)
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
    """Return what children are sorted by: left before right, else those of most rows first."""
    node = tree.nodes[number]
    assert node.branch is not None
    if node.branch.is_left is not None:
        return (0 if node.branch.is_left else 1, 0.0)
    return (0, -node.cover)


def _title(tree: TreeView, target: str) -> str:
    match tree.output:
        case Output.NUMBER:
            return f"the mean of {target} that is predicted there"
        case Output.NUMBERS:
            names = " / ".join(map(str, tree.names))
            return f"the means of {names} that are predicted there"
        case Output.PROBABILITY:
            return f"the mean probability of {target} = {tree.label} there"
        case Output.CLASSES:
            return f"the most probable {target} there, with its mean probability"
        case Output.LABELS:
            return "the labels that are more probable than not there"
        case Output.SCORE:
            return f"log-odds of {tree.label} against {tree.reference}"
