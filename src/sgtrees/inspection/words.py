"""Nodes, splits and predictions in words."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.columns import Value
from sgtrees.inspection.view import Node, Output, Split, TreeView

Floats: TypeAlias = NDArray[np.float64]
# One number, or one for each output of a tree.
Prediction: TypeAlias = float | tuple[float, ...]

# What stands for the rule of a root, to which all rows come.
EVERYTHING = "always"
# Of several predictions, those that are told.
_MOST_VALUES = 3


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


def predictions(tree: TreeView, label: Hashable = None) -> Floats:
    """Return what each node predicts, after the link.

    Parameters
    ----------
    tree : TreeView
        The tree.
    label : str, bool, int or other name, optional
        The label whose probability is asked for, or the target; `TreeView.label` by default, and
        all of them where nodes have several values.

    Returns
    -------
    ndarray of shape (n_nodes, n_outputs)
        Probabilities, scores or numbers, as `TreeView.output` says.
    """
    raw = np.array([node.values for node in tree.nodes])
    if tree.output is Output.CLASSES:
        powers = np.exp(raw - raw.max(axis=1, keepdims=True))
        predicted: Floats = powers / powers.sum(axis=1, keepdims=True)
    else:
        predicted = tree.link(raw)
    if label is None or label == tree.label:
        return predicted
    if tree.names:
        return predicted[:, [tree.names.index(label)]]
    return 1.0 - predicted if tree.output is Output.PROBABILITY else predicted


def mean_predictions(tree: TreeView, label: Hashable = None) -> Floats:
    """Return the mean prediction of the rows that come to each node, by the covers below it.

    Parameters
    ----------
    tree : TreeView
        The tree.
    label : str, bool, int or other name, optional
        As in `predictions`.

    Returns
    -------
    ndarray of shape (n_nodes, n_outputs)
        The means.
    """
    means = predictions(tree, label)
    for node in reversed(tree.nodes):
        if node.cover > 0.0 and node.children:
            below = list(node.children)
            weights = np.array([tree.nodes[child].cover for child in below])
            means[node.number] = weights @ means[below] / node.cover
    return means


def prediction(tree: TreeView, node: Node, label: Hashable = None) -> Prediction:
    """Return what a node predicts, after the link.

    Parameters
    ----------
    tree : TreeView
        The tree.
    node : Node
        A node of it.
    label : str, bool, int or other name, optional
        The label whose probability is asked for, or the target; `TreeView.label` by default.

    Returns
    -------
    float or tuple of float
        A probability, a score or a number, as `TreeView.output` says; several of them where the
        nodes have several values, and no label is asked for.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.inspection import view_trees
    >>> model = SGTClassifier(grace_period=1000, warm_up=1000)
    >>> model = model.fit([[0.0]] * 400, ["no", "no", "no", "yes"] * 100)
    >>> (tree,) = view_trees(model)
    >>> round(prediction(tree, tree.root, "yes"), 2), round(prediction(tree, tree.root, "no"), 2)
    (0.25, 0.75)
    """
    return as_prediction(predictions(replace(tree, nodes=(node,)), label)[0])


def as_prediction(values: Floats) -> Prediction:
    """Return a single number as such, several as a tuple."""
    return float(values[0]) if len(values) == 1 else tuple(values.tolist())


def value_in_words(tree: TreeView, value: Prediction | Floats) -> str:
    """Write a prediction: as a percentage where it is a probability.

    Parameters
    ----------
    tree : TreeView
        The tree that it is from.
    value : float or sequence of float
        The prediction.

    Returns
    -------
    str
        Like "12 %", "+0.53" (a score), "512.3" (a number), "oak (62 %)" (the most probable of
        several labels) or "1.5 / 20" (several numbers).

    Examples
    --------
    >>> value_in_words(TreeView((), (), Output.PROBABILITY), 0.123)
    '12 %'
    >>> value_in_words(TreeView((), (), Output.CLASSES, names=("elm", "oak")), (0.25, 0.75))
    'oak (75 %)'
    """
    values = [value] if isinstance(value, float | int) else list(value)
    if len(values) > 1 and tree.output is Output.CLASSES:
        best = max(range(len(values)), key=values.__getitem__)
        return f"{tree.names[best]} ({_percent(values[best])})"
    if len(values) > 1 and tree.output is Output.LABELS:
        return _labels_in_words(tree.names, values)
    if len(values) > 1:
        told = " / ".join(map(number_in_words, values[:_MOST_VALUES]))
        return told if len(values) <= _MOST_VALUES else f"{told} / ..."
    if tree.output in (Output.NUMBER, Output.NUMBERS):
        return number_in_words(values[0])
    return f"{values[0]:+.2f}" if tree.output is Output.SCORE else _percent(values[0])


def _percent(value: float) -> str:
    return f"{100.0 * value:.0f} %"


def _labels_in_words(names: Sequence[Hashable], values: Sequence[float]) -> str:
    """Tell the labels that are more probable than not, or else that none is."""
    order = sorted(range(len(values)), key=lambda k: -values[k])
    likely = [k for k in order if values[k] > 0.5][:_MOST_VALUES]
    told = " and ".join(f"{names[k]} ({_percent(values[k])})" for k in likely or order[:1])
    return told if likely else f"none, rather {told}"


def number_in_words(value: float) -> str:
    """Write a number with four digits that count, or as an integer where it is a long one.

    Examples
    --------
    >>> [number_in_words(value) for value in (512.34567, 0.5, 123456.7, 1.25e-7)]
    ['512.3', '0.5', '123457', '1.25e-07']
    """
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"


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
