"""The predictions of a tree's nodes, as numbers and as text."""

from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sgtrees.inspection.characters import shown
from sgtrees.inspection.conditions import format_number
from sgtrees.inspection.node_view import MOST_DEVIATIONS, Node
from sgtrees.inspection.tree_view import TreeView, ValueKind

Floats: TypeAlias = NDArray[np.float64]
# One number, or one for each output of a tree.
Prediction: TypeAlias = float | tuple[float, ...]

# The most predictions, and the most terms of a linear function, that are written.
_MOST_VALUES = _MOST_TERMS = 3
# Kinds whose predictions are probabilities of labels.
PROBABILITIES = (ValueKind.PROBABILITY, ValueKind.CLASSES, ValueKind.LABELS)
_TITLES = {
    ValueKind.PROBABILITY: "probability of {names}",
    ValueKind.SCORE: "log odds of {names} against {reference}",
    ValueKind.NUMBER: "prediction of {names}",
    ValueKind.CLASSES: "the most probable label",
    ValueKind.LABELS: "probabilities of all labels",
    ValueKind.NUMBERS: "predictions of {names}",
    ValueKind.CONTRIBUTION: "contribution to the raw score of {names}",
}


def predictions(tree: TreeView, label: Hashable = None) -> Floats:
    """Return the prediction of each node, after the link.

    Parameters
    ----------
    tree : TreeView
        The tree.
    label : str, bool, int or other name, optional
        The label or target of interest; `TreeView.label` by default, and all of them if nodes
        have several values.

    Returns
    -------
    ndarray of shape (n_nodes, n_outputs)
        Probabilities, scores or numbers, depending on `TreeView.value_kind`.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.inspection import view_trees
    >>> model = SGTClassifier(grace_period=1000, warm_up=1000)
    >>> model = model.fit([[0.0]] * 400, ["no", "no", "no", "yes"] * 100)
    >>> (tree,) = view_trees(model)
    >>> predictions(tree, "yes").round(2), predictions(tree, "no").round(2)
    (array([[0.25]]), array([[0.75]]))
    """
    predicted = _linked(tree, np.array([tree.contribution(node) for node in tree.nodes]))
    if label is None or label == tree.label:
        return predicted
    if tree.names:
        return predicted[:, [tree.names.index(label)]]
    return 1.0 - predicted if tree.value_kind is ValueKind.PROBABILITY else predicted


def _linked(tree: TreeView, raw: Floats) -> Floats:
    """Return predictions from raw scores, a row of outputs each."""
    if tree.value_kind is ValueKind.CLASSES:
        powers = np.exp(raw - raw.max(axis=1, keepdims=True))
        shares: Floats = powers / powers.sum(axis=1, keepdims=True)
        return shares
    return tree.link(raw)


def mean_predictions(tree: TreeView, label: Hashable = None) -> Floats:
    """Return the mean prediction of the rows that reach each node, by the covers below it.

    Parameters and shape are those of `predictions`.
    """
    means = predictions(tree, label)
    for node in reversed(tree.nodes):
        if node.cover > 0.0 and node.children:
            below = list(node.children)
            weights = np.array([tree.nodes[child].cover for child in below])
            means[node.number] = weights @ means[below] / node.cover
    return means


def mean_predictions_of_rows(tree: TreeView, block: Floats, ends: NDArray[np.integer]) -> Floats:
    """Return the mean prediction of those of some rows that reach each node.

    With linear leaves the mean prediction is not the prediction at the mean of all features, and
    a tree does not keep the rows that it has learned. So it takes a sample of them.

    Parameters
    ----------
    tree : TreeView
        The tree.
    block : ndarray of shape (n_rows, n_features)
        Encoded rows.
    ends : ndarray of shape (n_rows,)
        The node at which each row ends in this tree.

    Returns
    -------
    ndarray of shape (n_nodes, n_outputs)
        As `mean_predictions`, which is also the answer for nodes that none of the rows reaches.
    """
    raw = np.array([node.values for node in tree.nodes])[ends]
    if tree.inputs:
        z = _standardised(tree, block)
        weights = np.array([node.weights or _no_weights(tree, node) for node in tree.nodes])
        raw = raw + np.einsum("noj,nj->no", weights[ends], z)
    predicted = _linked(tree, tree.shrinkage * raw)
    sums = np.zeros((len(tree.nodes), predicted.shape[1] + 1))
    np.add.at(sums, ends, np.column_stack([predicted, np.ones(len(predicted))]))
    for node in reversed(tree.nodes):
        if node.parent is not None:
            sums[node.parent] += sums[node.number]
    means = mean_predictions(tree)
    reached = sums[:, -1] > 0.0
    means[reached] = sums[reached, :-1] / sums[reached, -1:]
    return means


def _standardised(tree: TreeView, block: Floats) -> Floats:
    """Return the inputs of linear leaves for encoded rows, as `LinearInput.of` does for one."""
    used = [entry.feature.number for entry in tree.inputs]
    centre = np.array([entry.mean for entry in tree.inputs])
    scale = np.array([entry.deviation for entry in tree.inputs])
    z = np.nan_to_num((block[:, used] - centre) / scale, nan=0.0, posinf=np.inf, neginf=-np.inf)
    clipped: Floats = np.clip(z, -MOST_DEVIATIONS, MOST_DEVIATIONS)
    return clipped


def _no_weights(tree: TreeView, node: Node) -> tuple[tuple[float, ...], ...]:
    return ((0.0,) * len(tree.inputs),) * len(node.values)


def prediction(tree: TreeView, node: Node, label: Hashable = None) -> Prediction:
    """Return the prediction of one node: a number, or a tuple if there are several."""
    return as_prediction(predictions(replace(tree, nodes=(node,)), label)[0])


def as_prediction(values: Floats) -> Prediction:
    """Return a single number as such, several as a tuple."""
    return float(values[0]) if len(values) == 1 else tuple(values.tolist())


# ---- as text ------------------------------------------------------------------------------------


def tree_title(tree: TreeView) -> str:
    """Return what a tree's predictions are, in words.

    Examples
    --------
    >>> tree_title(TreeView((), (), ValueKind.SCORE, "b", "a"))
    'log odds of b against a'
    """
    names = ", ".join(map(shown, tree.names)) or tree.label
    title = _TITLES[tree.value_kind]
    if tree.value_kind is ValueKind.CONTRIBUTION:
        title = f"member {tree.member}, {title}"
    if names is None:
        title = title.removesuffix(" of {names}")
    return title.format(names=shown(names), reference=shown(tree.reference))


def format_prediction(tree: TreeView, value: Prediction | Floats) -> str:
    """Write a prediction: as a percentage if it is a probability.

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
    >>> format_prediction(TreeView((), (), ValueKind.PROBABILITY), 0.123)
    '12 %'
    >>> format_prediction(TreeView((), (), ValueKind.CLASSES, names=("elm", "oak")), (0.25, 0.75))
    'oak (75 %)'
    """
    values = [value] if isinstance(value, float | int) else list(value)
    if len(values) > 1 and tree.value_kind is ValueKind.CLASSES:
        best = max(range(len(values)), key=values.__getitem__)
        return f"{shown(tree.names[best])} ({_percent(values[best])})"
    if len(values) > 1 and tree.value_kind is ValueKind.LABELS:
        return _probable_labels(tree.names, values)
    written = [_format_value(tree.value_kind, number) for number in values[:_MOST_VALUES]]
    return " / ".join([*written, "..."] if len(values) > _MOST_VALUES else written)


def _format_value(kind: ValueKind, value: float) -> str:
    if kind in PROBABILITIES:
        return _percent(value)
    is_number = kind in (ValueKind.NUMBER, ValueKind.NUMBERS)
    return format_number(value) if is_number else f"{value:+.2f}"


def _probable_labels(names: Sequence[Hashable], values: Sequence[float]) -> str:
    """Name the labels that are more probable than not; the most probable one if there is none."""
    order = sorted(range(len(values)), key=lambda k: -values[k])
    likely = [k for k in order if values[k] > 0.5][:_MOST_VALUES]
    named = " and ".join(f"{shown(names[k])} ({_percent(values[k])})" for k in likely or order[:1])
    return named if likely else f"none; the most probable is {named}"


def linear_text(tree: TreeView, node: Node) -> str:
    """Write the linear function of a leaf: its raw score, the greatest weights first.

    Parameters
    ----------
    tree : TreeView
        The tree, which has linear leaves.
    node : Node
        The leaf.

    Returns
    -------
    str
        Like "score 10.5 +2.1 z(size) -0.3 z(age)": z is the number of standard deviations of a
        feature from its mean. At most three features are written.
    """
    functions = []
    for value, weights in zip(node.values, node.weights, strict=True):
        order = sorted(range(len(weights)), key=lambda j: -abs(weights[j]))
        terms = [f"{weights[j]:+.3g} z({shown(tree.inputs[j].feature.name)})" for j in order]
        more = ["..."] if len(terms) > _MOST_TERMS else []
        functions.append(" ".join([f"{value:.4g}", *terms[:_MOST_TERMS], *more]))
    return "score " + " / ".join(functions)


def format_share(share: float) -> str:
    """Write a share of rows.

    Examples
    --------
    >>> [format_share(share) for share in (1.0, 0.123, 0.0123, 0.00001)]
    ['100 %', '12 %', '1.2 %', '< 0.1 %']
    """
    percent = 100.0 * share
    if percent < 0.1:
        return "< 0.1 %"
    return f"{percent:.1f} %" if percent < 9.95 else f"{percent:.0f} %"


def _percent(value: float) -> str:
    return f"{100.0 * value:.0f} %"
