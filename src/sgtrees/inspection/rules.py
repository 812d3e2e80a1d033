"""The most important splits of a tree, and the rules that lead to its leaves."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from sgtrees.inspection.conditions import ALWAYS, branch_name, rule_text, split_test
from sgtrees.inspection.node_view import Node
from sgtrees.inspection.predictions import (
    Floats,
    Prediction,
    as_prediction,
    mean_predictions,
    predictions,
)
from sgtrees.inspection.tree_view import TreeView


@dataclass(frozen=True, slots=True)
class SplitSummary:
    """A split as text.

    Attributes
    ----------
    test : str
        The test: "amount > 512.3 (missing: no)", or "which carrier".
    where : str
        Which rows are tested: "always" at the root, else the rule that leads there.
    share : float
        The share of all rows that are tested.
    branches : tuple of (str, float or tuple of float)
        Each branch ("no" and "yes", or categories, the highest first), with the mean prediction of
        the rows that take it: a probability, a score or a number, depending on
        `TreeView.value_kind`, or several of them.

    Examples
    --------
    >>> print(SplitSummary("size > 2", "always", 1.0, (("no", 0.1), ("yes", 0.9))))
    size > 2
    """

    test: str
    where: str
    share: float
    branches: tuple[tuple[str, Prediction], ...]

    def __str__(self) -> str:
        return self.test if self.where == ALWAYS else f"{self.test}, where {self.where}"


@dataclass(frozen=True, slots=True)
class Rule:
    """A leaf as a rule.

    Attributes
    ----------
    where : str
        Which rows reach the leaf; "always" if the tree has no other.
    share : float
        Their share of all rows.
    prediction : float or tuple of float
        The prediction: a probability, a score or a number, depending on `TreeView.value_kind`, or
        several of them.

    Examples
    --------
    >>> rule = Rule("size > 2 and colour is red", 0.25, 0.9)
    >>> f"{rule.where}: {rule.prediction:.0%}"
    'size > 2 and colour is red: 90%'
    """

    where: str
    share: float
    prediction: Prediction


def top_splits(
    tree: TreeView, n: int | None = None, *, label: Hashable = None
) -> tuple[SplitSummary, ...]:
    """Return a tree's splits, the most important first.

    A split is important if many rows reach it and the predictions of its branches are far apart.
    The order is that of the squared error of the prediction that a split explains: the variance of
    the branches' mean predictions times the share of rows.

    Parameters
    ----------
    tree : TreeView
        The tree.
    n : int, optional
        The most splits to return; all by default.
    label : str, bool or int, optional
        The label or target of interest: the tree's own by default, or all if it has several.

    Returns
    -------
    tuple of SplitSummary
        The splits; none if the tree is a leaf.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.inspection import view_trees
    >>> X, y = [["red", 1.0], ["blue", 2.0]] * 200, ["stop", "go"] * 200
    >>> model = SGTClassifier(warm_up=50, epochs=1).fit(X, y)
    >>> (tree,) = view_trees(model, feature_names=["colour", "size"])
    >>> split = top_splits(tree)[0]
    >>> split.test, [name for name, _ in split.branches]
    ('which colour', ['blue', 'red'])
    """
    means = mean_predictions(tree, label)

    def explained(node: Node) -> float:
        return sum(
            tree.nodes[child].cover * float(np.sum((means[child] - means[node.number]) ** 2))
            for child in node.children
        )

    inner = [(node, node.split) for node in tree.nodes if node.split is not None]
    inner.sort(key=lambda item: explained(item[0]), reverse=True)
    return tuple(
        SplitSummary(
            test=split_test(tree, split),
            where=rule_text(tree, node),
            share=tree.share(node),
            branches=_branches(tree, node, means),
        )
        for node, split in inner[:n]
    )


def _branches(tree: TreeView, node: Node, means: Floats) -> tuple[tuple[str, Prediction], ...]:
    children = list(node.children)
    if node.split is not None and node.split.threshold is None:
        # By their predictions, or by their rows if they predict several things.
        is_single = means.shape[1] == 1
        children.sort(
            key=lambda child: means[child, 0] if is_single else tree.nodes[child].cover,
            reverse=True,
        )
    return tuple(
        (branch_name(tree.nodes[child]), as_prediction(means[child])) for child in children
    )


def rules(tree: TreeView, n: int | None = None, *, label: Hashable = None) -> tuple[Rule, ...]:
    """Return a tree's leaves as rules, those of the most rows first.

    Parameters
    ----------
    tree, n, label
        As in `top_splits`.

    Returns
    -------
    tuple of Rule
        The leaves.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.inspection import view_trees
    >>> X, y = [["red", 1.0], ["blue", 2.0]] * 200, [10.0, 20.0] * 200
    >>> (tree,) = view_trees(SGTRegressor(warm_up=50, epochs=1).fit(X, y))
    >>> sorted(rule.where for rule in rules(tree))
    ['x0 is blue', 'x0 is red']
    """
    predicted = predictions(tree, label)
    leaves = sorted(tree.leaves, key=lambda leaf: leaf.cover, reverse=True)
    return tuple(
        Rule(rule_text(tree, leaf), tree.share(leaf), as_prediction(predicted[leaf.number]))
        for leaf in leaves[:n]
    )
