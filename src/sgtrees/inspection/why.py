"""Why a row is predicted what it is: its way down the trees, in words."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtrees.data.columns import Floats
from sgtrees.inspection.reading import Estimator, view_model
from sgtrees.inspection.rows import block_of, explainer_of
from sgtrees.inspection.view import ModelView, Node, Output, Split, Task, TreeView
from sgtrees.inspection.words import (
    EVERYTHING,
    Prediction,
    condition_of_way,
    prediction,
    value_in_words,
)
from sgtrees.models.linear_leaves import refuse_linear_leaves
from sgtrees.targets.labels import Label


@dataclass(frozen=True, slots=True)
class Way:
    """A row's way down one tree.

    Attributes
    ----------
    tree : TreeView
        The tree.
    nodes : tuple of int
        The nodes from the root to the end.
    conditions : tuple of str
        What the row says to the tree's questions, one condition for each feature.
    """

    tree: TreeView
    nodes: tuple[int, ...]
    conditions: tuple[str, ...]

    @property
    def end(self) -> Node:
        """The node at which the row ends."""
        return self.tree.nodes[self.nodes[-1]]

    def __str__(self) -> str:
        return " and ".join(self.conditions) or EVERYTHING


@dataclass(frozen=True, slots=True)
class Why:
    """A prediction with its reasons.

    Attributes
    ----------
    prediction : str, bool, int, float or tuple of float
        The label or number that is predicted; all numbers, or all labels' probabilities, where
        there are several at once; for bags the instance's score.
    ways : tuple of Way
        The row's way down each tree.
    words : str
        All in a sentence.
    """

    prediction: Label | Prediction
    ways: tuple[Way, ...]
    words: str

    def __str__(self) -> str:
        return self.words


def why(estimator: Estimator, x: Mapping[Any, object] | Sequence[object]) -> Why:
    """Tell why a row is predicted what it is.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.
    x : mapping from feature names to values, or sequence of values
        The row; an instance where the estimator is one for bags.

    Returns
    -------
    Why
        The prediction and its reasons.

    Raises
    ------
    ValueError
        Where the model has no tree yet.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> X = [[size, colour] for size in (1.0, 2.0, 3.0, 4.0) for colour in ("red", "blue")] * 200
    >>> y = ["big" if size > 2.5 and colour == "red" else "small" for size, colour in X]
    >>> model = SGTClassifier(warm_up=50, epochs=5, random_state=0).fit(X, y)
    >>> print(why(model, [4.0, "red"]))
    big (100 %) because x0 > 2.031 and x1 is red
    """
    view = view_model(estimator)
    if not view.trees:
        raise ValueError(
            "the model has no tree yet: there are no reasons before the warm-up has ended and, in "
            "a classifier, a second class has come"
        )
    refuse_linear_leaves(view.is_linear, "why")
    block = block_of(estimator, x if isinstance(x, Mapping) else [list(x)])
    ends = explainer_of(estimator).route(block)[0]
    ways = tuple(_way(tree, int(end), block[0]) for tree, end in zip(view.trees, ends, strict=True))
    if view.task is Task.CLASSES:
        return _why_label(view, ways)
    (way,) = ways
    if view.task is Task.BAGS:
        words = f"score {way.end.value:+.2f} for {view.labels[1]} because {way}"
        return Why(way.end.value, ways, words)
    predicted = prediction(way.tree, way.end)
    return Why(predicted, ways, f"{value_in_words(way.tree, predicted)} because {way}")


# ---- ways ---------------------------------------------------------------------------------------


def _way(tree: TreeView, end: int, row: Floats) -> Way:
    steps: dict[str, list[tuple[Split, Node]]] = {}
    conditions: dict[str, str] = {}
    nodes = [0]
    for parent, child in tree.path(tree.nodes[end]):
        split = parent.split
        assert split is not None
        nodes.append(child.number)
        name = split.feature.name
        steps.setdefault(name, []).append((split, child))
        is_missing = math.isnan(row[split.feature.number])
        told = condition_of_way(name, steps[name], tell_missing=False)
        conditions[name] = f"{name} is missing" if is_missing else told
    last = tree.nodes[end].split
    if last is not None:
        name = last.feature.name
        conditions[name] = f"{name} is {_stranger(last, row[last.feature.number])}"
    return Way(tree, tuple(nodes), tuple(conditions.values()))


def _stranger(split: Split, number: float) -> str:
    """Name a category that a split has not seen, if the model knows it at all."""
    categories = split.feature.categories
    if number < 0.0 or categories is None or number >= len(categories):
        return "unknown"
    return f"{categories[int(number)]} (not seen there)"


# ---- labels -------------------------------------------------------------------------------------


def _why_label(view: ModelView, ways: Sequence[Way]) -> Why:
    scores = np.zeros(view.n_scores)
    for way in ways:
        scores[list(way.tree.targets)] = way.end.values
    if view.is_softmax:
        powers = np.exp(scores - scores.max())
        probabilities = (powers / powers.sum()).tolist()
        judged = scores.tolist()
    else:
        chance = view.link.of_one(float(scores[0]))
        probabilities = judged = [1.0 - chance, chance]
    # Of equal ones the label that comes first in `classes_`.
    order = sorted(range(len(judged)), key=lambda k: (-judged[k], view.labels[k]))
    best, second = order[0], order[1]
    label = view.labels[best]
    told = f"{label} ({100.0 * probabilities[best]:.0f} %)"
    way = ways[0]
    if ways[0].tree.output is Output.SCORE:
        # The first label has no tree: what speaks against the next best one speaks for it.
        by_label = {way.tree.label: way for way in ways}
        if label in by_label:
            way = by_label[label]
        else:
            told += f" rather than {view.labels[second]}"
            way = by_label[view.labels[second]]
    return Why(label, tuple(ways), f"{told} because {way}")
