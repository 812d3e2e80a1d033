"""Nodes, splits and predictions in words."""

import math
from collections.abc import Sequence

from sgtrees.inspection.view import Node, Output, Split, TreeView
from sgtrees.labels import Label
from sgtrees.values import Value

# What stands for the rule of a root, to which all rows come.
EVERYTHING = "always"


def rule_in_words(tree: TreeView, node: Node) -> str:
    """Tell which rows come to a node, with one condition for each feature on the way.

    Parameters
    ----------
    tree : TreeView
        The tree.
    node : Node
        A node of it.

    Returns
    -------
    str
        Like "16 < hour <= 20 and carrier is Ember"; "always" for the root.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.inspection import view_trees
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 200, [10.0, 10.0, 20.0, 20.0] * 200
    >>> (tree,) = view_trees(SGTRegressor(warm_up=50, epochs=1).fit(X, y), feature_names=["size"])
    >>> left, right = tree.root.children
    >>> rule_in_words(tree, tree.root), rule_in_words(tree, tree.nodes[right])
    ('always', 'size > 2.031')
    """
    steps: dict[str, list[tuple[Split, Node]]] = {}
    for parent, child in tree.path(node):
        assert parent.split is not None
        steps.setdefault(parent.split.feature.name, []).append((parent.split, child))
    return " and ".join(condition_of_way(name, way) for name, way in steps.items()) or EVERYTHING


def prediction(tree: TreeView, node: Node, label: Label | None = None) -> float:
    """Return what a node predicts, after the link where it gives a probability.

    Parameters
    ----------
    tree : TreeView
        The tree.
    node : Node
        A node of it.
    label : str, bool or int, optional
        The one of two labels whose probability is asked for, `TreeView.label` by default.

    Returns
    -------
    float
        A probability, a score or a number, as `TreeView.output` says.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.inspection import view_trees
    >>> model = SGTClassifier(grace_period=1000).fit([[0.0]] * 400, ["no", "no", "no", "yes"] * 100)
    >>> (tree,) = view_trees(model)
    >>> round(prediction(tree, tree.root, "yes"), 2), round(prediction(tree, tree.root, "no"), 2)
    (0.25, 0.75)
    """
    predicted = tree.link.of_one(node.value)
    if tree.output is not Output.PROBABILITY or label is None or label == tree.label:
        return predicted
    return 1.0 - predicted


def value_in_words(tree: TreeView, value: float) -> str:
    """Write a prediction: as a percentage where it is a probability.

    Parameters
    ----------
    tree : TreeView
        The tree that it is from.
    value : float
        The prediction.

    Returns
    -------
    str
        Like "12 %", "+0.53" (a score) or "512.3" (a number).

    Examples
    --------
    >>> value_in_words(TreeView((), (), Output.PROBABILITY), 0.123)
    '12 %'
    """
    if tree.output is Output.PROBABILITY:
        return f"{100.0 * value:.0f} %"
    return f"{value:+.2f}" if tree.output is Output.SCORE else number_in_words(value)


def number_in_words(value: float) -> str:
    """Write a number with four digits that count, or as an integer where it is a long one.

    Examples
    --------
    >>> [number_in_words(value) for value in (512.34567, 0.5, 123456.7, 1.25e-7)]
    ['512.3', '0.5', '123457', '1.25e-07']
    """
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"


def mean_predictions(tree: TreeView, label: Label | None = None) -> Sequence[float]:
    """Return the mean prediction of the rows that come to each node, by the covers below it."""
    means = [prediction(tree, node, label) for node in tree.nodes]
    for node in reversed(tree.nodes):
        if node.cover > 0.0 and node.children:
            total = sum(tree.nodes[child].cover * means[child] for child in node.children)
            means[node.number] = total / node.cover
    return means


def question(tree: TreeView, split: Split) -> str:
    """Tell what a split asks, like "size > 2 (missing: no)" or "which colour"."""
    name = split.feature.name
    if split.threshold is None:
        return f"which {name}"
    missing = answer(tree.nodes[split.default_child])
    return f"{name} > {number_in_words(split.threshold)} (missing: {missing})"


def answer(child: Node) -> str:
    """Tell which answer leads to a node: "no", "yes", a category or "missing"."""
    branch = child.branch
    assert branch is not None
    if branch.is_left is None:
        return "missing" if branch.category is None else category_in_words(branch.category)
    return "no" if branch.is_left else "yes"


def category_in_words(value: Value) -> str:
    """Write a category."""
    return number_in_words(value) if type(value) is float else str(value)


def condition(tree: TreeView, node: Node) -> str:
    """Tell what leads to a node from its parent; nothing for the root.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.inspection import view_trees
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 200, [10.0, 10.0, 20.0, 20.0] * 200
    >>> (tree,) = view_trees(SGTRegressor(warm_up=50, epochs=1).fit(X, y), feature_names=["size"])
    >>> [condition(tree, tree.nodes[child]) for child in tree.root.children]
    ['size <= 2.031 (or missing)', 'size > 2.031']
    """
    if node.parent is None:
        return ""
    split = tree.nodes[node.parent].split
    assert split is not None
    return condition_of_way(split.feature.name, [(split, node)])


def condition_of_way(
    name: str, way: Sequence[tuple[Split, Node]], *, tell_missing: bool = True
) -> str:
    """Tell what the steps that ask one feature say of it together."""
    low, high, missing = -math.inf, math.inf, True
    for split, child in way:
        branch = child.branch
        assert branch is not None
        missing = missing and branch.takes_missing
        if split.threshold is None:
            return f"{name} is {answer(child)}"
        if branch.is_left:
            high = min(high, split.threshold)
        else:
            low = max(low, split.threshold)
    return _interval(name, low, high) + (" (or missing)" if missing and tell_missing else "")


def _interval(name: str, low: float, high: float) -> str:
    if high == math.inf:
        return f"{name} > {number_in_words(low)}"
    if low == -math.inf:
        return f"{name} <= {number_in_words(high)}"
    return f"{number_in_words(low)} < {name} <= {number_in_words(high)}"
