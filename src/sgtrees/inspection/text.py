"""Trees in words: their most telling splits, and the rules that lead to their leaves."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sgtrees.inspection.view import Node, Output, Split, TreeView
from sgtrees.labels import Label
from sgtrees.values import Value

# What stands for the rule of a root, to which all rows come.
EVERYTHING = "always"


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
    means = _mean_predictions(tree, label)

    def explained(node: Node) -> float:
        return sum(
            tree.nodes[child].cover * (means[child] - means[node.number]) ** 2
            for child in node.children
        )

    inner = [(node, node.split) for node in tree.nodes if node.split is not None]
    inner.sort(key=lambda item: explained(item[0]), reverse=True)
    return tuple(
        SplitInWords(
            question=_question(tree, split),
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
    return " and ".join(_condition(name, way) for name, way in steps.items()) or EVERYTHING


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


def _mean_predictions(tree: TreeView, label: Label | None) -> Sequence[float]:
    """Return the mean prediction of the rows that come to each node."""
    means = [prediction(tree, node, label) for node in tree.nodes]
    for node in reversed(tree.nodes):
        if node.cover > 0.0 and node.children:
            total = sum(tree.nodes[child].cover * means[child] for child in node.children)
            means[node.number] = total / node.cover
    return means


def _question(tree: TreeView, split: Split) -> str:
    name = split.feature.name
    if split.threshold is None:
        return f"which {name}"
    missing = _answer(tree.nodes[split.default_child])
    return f"{name} > {number_in_words(split.threshold)} (missing: {missing})"


def _answers(tree: TreeView, node: Node, means: Sequence[float]) -> tuple[tuple[str, float], ...]:
    answers = [(_answer(tree.nodes[child]), means[child]) for child in node.children]
    if node.split is not None and node.split.threshold is None:
        answers.sort(key=lambda answer: answer[1], reverse=True)
    return tuple(answers)


def _answer(child: Node) -> str:
    branch = child.branch
    assert branch is not None
    if branch.is_left is None:
        return "missing" if branch.category is None else _category(branch.category)
    return "no" if branch.is_left else "yes"


def _category(value: Value) -> str:
    return number_in_words(value) if type(value) is float else str(value)


def _condition(name: str, way: Sequence[tuple[Split, Node]]) -> str:
    """Tell what the steps that ask one feature say of it together."""
    low, high, missing = -math.inf, math.inf, True
    for split, child in way:
        branch = child.branch
        assert branch is not None
        missing = missing and branch.takes_missing
        if split.threshold is None:
            return f"{name} is {_answer(child)}"
        if branch.is_left:
            high = min(high, split.threshold)
        else:
            low = max(low, split.threshold)
    return _interval(name, low, high) + (" (or missing)" if missing else "")


def _interval(name: str, low: float, high: float) -> str:
    if high == math.inf:
        return f"{name} > {number_in_words(low)}"
    if low == -math.inf:
        return f"{name} <= {number_in_words(high)}"
    return f"{number_in_words(low)} < {name} <= {number_in_words(high)}"
