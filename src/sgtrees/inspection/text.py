"""Trees in words: their most telling splits, and the rules that lead to their leaves."""

from collections.abc import Sequence
from dataclasses import dataclass

from sgtrees.inspection.view import Node, TreeView
from sgtrees.inspection.words import (
    EVERYTHING,
    answer,
    mean_predictions,
    prediction,
    question,
    rule_in_words,
)
from sgtrees.labels import Label


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
    answers : tuple of (str, float)
        Each answer ("no" and "yes", or categories, the highest first), with the mean prediction of
        the rows that give it: a probability, a score or a number, as `TreeView.output` says.

    Examples
    --------
    >>> print(SplitInWords("size > 2", "always", 1.0, (("no", 0.1), ("yes", 0.9))))
    size > 2
    """

    question: str
    where: str
    share: float
    answers: tuple[tuple[str, float], ...]

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
    prediction : float
        What it predicts: a probability, a score or a number, as `TreeView.output` says.
    """

    where: str
    share: float
    prediction: float


def top_splits(
    tree: TreeView, n: int | None = None, *, label: Label | None = None
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
        The one of two labels whose probabilities to tell, `TreeView.label` by default.

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
            tree.nodes[child].cover * (means[child] - means[node.number]) ** 2
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
    tree: TreeView, n: int | None = None, *, label: Label | None = None
) -> tuple[RuleInWords, ...]:
    """Tell a tree's leaves as rules, those of the most rows first.

    Parameters
    ----------
    tree : TreeView
        The tree.
    n : int, optional
        How many leaves to tell at most; all by default.
    label : str, bool or int, optional
        The one of two labels whose probabilities to tell, `TreeView.label` by default.

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
    return tuple(
        RuleInWords(rule_in_words(tree, leaf), tree.share(leaf), prediction(tree, leaf, label))
        for leaf in leaves[:n]
    )


def _answers(tree: TreeView, node: Node, means: Sequence[float]) -> tuple[tuple[str, float], ...]:
    answers = [(answer(tree.nodes[child]), means[child]) for child in node.children]
    if node.split is not None and node.split.threshold is None:
        answers.sort(key=lambda pair: pair[1], reverse=True)
    return tuple(answers)
