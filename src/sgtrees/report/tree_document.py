"""A tree as plain values, small enough for a page: its largest parts where it is large."""

import heapq
from typing import Any

from sgtrees.inspection import Node, Output, TreeView
from sgtrees.inspection.text import number_in_words, prediction, value_in_words

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
    means = _means(tree)
    places = {number: place for place, number in enumerate(chosen)}
    below = _n_below(tree)
    values = [means[number] for number in chosen]
    low, high = min(values), max(values)
    nodes = []
    for number in chosen:
        node = tree.nodes[number]
        kids = sorted((k for k in node.children if k in places), key=lambda k: _order(tree, k))
        kept = sum(1 + below[kid] for kid in kids)
        nodes.append(
            {
                "way": _way(tree, node),
                "ask": None if node.split is None else node.split.feature.name,
                "value": value_in_words(tree, means[number]),
                "tone": 0.5 if high == low else (means[number] - low) / (high - low),
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


def _means(tree: TreeView) -> list[float]:
    """Return the mean prediction of the rows that come to each node."""
    means = [prediction(tree, node) for node in tree.nodes]
    for node in reversed(tree.nodes):
        total = sum(tree.nodes[kid].cover for kid in node.children)
        if total > 0.0:
            weighted = sum(tree.nodes[kid].cover * means[kid] for kid in node.children)
            means[node.number] = weighted / total
    return means


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


def _way(tree: TreeView, node: Node) -> str:
    if node.parent is None or node.branch is None:
        return "all rows"
    split = tree.nodes[node.parent].split
    assert split is not None
    name, branch = split.feature.name, node.branch
    if split.threshold is None:
        category = branch.category
        if category is None:
            return f"{name} is missing"
        written = number_in_words(category) if isinstance(category, float) else str(category)
        return f"{name} is {written}" + (" or missing" if branch.takes_missing else "")
    sign = "\u2264" if branch.is_left else ">"
    missing = " or missing" if branch.takes_missing else ""
    return f"{name} {sign} {number_in_words(split.threshold)}{missing}"


def _title(tree: TreeView, target: str) -> str:
    if tree.output is Output.NUMBER:
        return f"the mean of {target} that is predicted there"
    if tree.output is Output.PROBABILITY:
        return f"the mean probability of {target} = {tree.label} there"
    return f"log-odds of {tree.label} against {tree.reference}"
