"""Trees in words: their most telling splits, and the rules that lead to their leaves."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from sgtrees.inspection.view import Node, TreeView
from sgtrees.inspection.words import (
    EVERYTHING,
    Floats,
    Prediction,
    answer,
    as_prediction,
    mean_predictions,
    predictions,
    question,
    rule_in_words,
)


@dataclass(frozen=True, slots=True)
class SplitInWords:
    """A split, as one would tell it.

    Attributes
    ----------
    question : str
        What is asked: "amount > 512.3 (missing: no)", or "which carrier".
    where : str
        Which rows are asked: "always" at the root, else the rule that leads there.
    share : float
        The part of all rows that are asked.
    answers : tuple of (str, float or tuple of float)
        Each answer ("no" and "yes", or categories, the highest first), with the mean prediction of
        the rows that give it: a probability, a score or a number, as `TreeView.output` says, or
        several of them.

    Examples
    --------
    >>> print(SplitInWords("size > 2", "always", 1.0, (("no", 0.1), ("yes", 0.9))))
    size > 2
    """

    question: str
    where: str
    share: float
    answers: tuple[tuple[str, Prediction], ...]

    def __str__(self) -> str:
        if self.where == EVERYTHING:
            return self.question
        return f"{self.question}, where {self.where}"


@dataclass(frozen=True, slots=True)
class RuleInWords:
    """A leaf, as one would tell it.

    Attributes
    ----------
    where : str
        Which rows come to the leaf; "always" where the tree has no other.
    share : float
        The part of all rows that do.
    prediction : float or tuple of float
        What it predicts: a probability, a score or a number, as `TreeView.output` says, or several
        of them.
    """

    where: str
    share: float
    prediction: Prediction


def top_splits(
    tree: TreeView, n: int | None = None, *, label: Hashable = None
) -> tuple[SplitInWords, ...]:
    """Tell a tree's splits, the most telling first.

    A split tells much where many rows come to it and the predictions of its branches lie far apart:
    they are in the order of the squared error of the prediction that they explain, the variance of
    the branches' mean predictions times the share of rows.

    Parameters
    ----------
    tree : TreeView
        The tree.
    n : int, optional
        How many splits to tell at most; all by default.
    label : str, bool or int, optional
        The label or target to tell of: the tree's own by default, or all where it has several.

    Returns
    -------
    tuple of SplitInWords
        The splits; none where the tree is a leaf.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.inspection import view_trees
    >>> X, y = [["red", 1.0], ["blue", 2.0]] * 200, ["stop", "go"] * 200
    >>> model = SGTClassifier(warm_up=50, epochs=1).fit(X, y)
    >>> (tree,) = view_trees(model, feature_names=["colour", "size"])
    >>> split = top_splits(tree)[0]
    >>> split.question, [answer for answer, _ in split.answers]
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
        SplitInWords(
            question=question(tree, split),
            where=rule_in_words(tree, node),
            share=tree.share(node),
            answers=_answers(tree, node, means),
        )
        for node, split in inner[:n]
    )


def rules(
    tree: TreeView, n: int | None = None, *, label: Hashable = None
) -> tuple[RuleInWords, ...]:
    """Tell a tree's leaves as rules, those of the most rows first.

    Parameters
    ----------
    tree : TreeView
        The tree.
    n : int, optional
        How many leaves to tell at most; all by default.
    label : str, bool or int, optional
        The label or target to tell of: the tree's own by default, or all where it has several.

    Returns
    -------
    tuple of RuleInWords
        The leaves.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.inspection import view_trees
    >>> X, y = [["red", 1.0], ["blue", 2.0]] * 200, [10.0, 20.0] * 200
    >>> model = SGTRegressor(warm_up=50, epochs=1).fit(X, y)
    >>> (tree,) = view_trees(model, feature_names=["colour", "size"])
    >>> sorted(rule.where for rule in rules(tree))
    ['colour is blue', 'colour is red']
    """
    leaves = sorted(tree.leaves, key=lambda leaf: leaf.cover, reverse=True)
    predicted = predictions(tree, label)
    return tuple(
        RuleInWords(
            rule_in_words(tree, leaf), tree.share(leaf), as_prediction(predicted[leaf.number])
        )
        for leaf in leaves[:n]
    )


def _answers(tree: TreeView, node: Node, means: Floats) -> tuple[tuple[str, Prediction], ...]:
    children = list(node.children)
    if node.split is not None and node.split.threshold is None:
        # By what they predict, or by the rows that come where they predict several things.
        is_single = means.shape[1] == 1
        children.sort(
            key=lambda child: means[child, 0] if is_single else tree.nodes[child].cover,
            reverse=True,
        )
    return tuple((answer(tree.nodes[child]), as_prediction(means[child])) for child in children)
