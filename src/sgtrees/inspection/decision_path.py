"""The reasons of one prediction: the row's path in each tree."""

import math
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtrees.data.columns import Floats
from sgtrees.inspection.characters import shown
from sgtrees.inspection.conditions import ALWAYS, path_condition
from sgtrees.inspection.extraction import Estimator
from sgtrees.inspection.model_view import ModelView, TargetType
from sgtrees.inspection.node_view import Node, Split
from sgtrees.inspection.predictions import Prediction, as_prediction, format_prediction
from sgtrees.inspection.rows import encoded_rows, explainable_view, explainer_of
from sgtrees.inspection.tree_view import TreeView, ValueKind
from sgtrees.targets.labels import Label

# The most terms of a linear leaf, and the most outputs of each, that are written.
_MOST_TERMS = _MOST_OUTPUTS = 3


@dataclass(frozen=True, slots=True)
class DecisionPath:
    """A row's path in one tree.

    It ends at a leaf, or at a nominal split that has not seen the row's category.

    Attributes
    ----------
    tree : TreeView
        The tree.
    nodes : tuple of int
        The nodes from the root to the end.
    conditions : tuple of str
        The conditions on the path, one for each feature.
    contribution : tuple of float
        What the tree adds to the raw score of each of its outputs for this row.
    linear_terms : tuple of tuple of float
        With linear leaves: how much of each contribution is due to each of `TreeView.inputs`;
        the rest is the leaf's value.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> model = SGTRegressor(warm_up=50).fit([["red"], ["blue"]] * 200, [10.0, 20.0] * 200)
    >>> path = why(model, ["red"]).paths[0]
    >>> path.nodes, str(path)
    ((0, 1), 'x0 is red')
    """

    tree: TreeView
    nodes: tuple[int, ...]
    conditions: tuple[str, ...]
    contribution: tuple[float, ...]
    linear_terms: tuple[tuple[float, ...], ...] = ()

    @property
    def end(self) -> Node:
        """The node at which the row ends."""
        return self.tree.nodes[self.nodes[-1]]

    def __str__(self) -> str:
        return " and ".join(self.conditions) or ALWAYS


@dataclass(frozen=True, slots=True)
class Explanation:
    """A prediction with its reasons.

    Attributes
    ----------
    prediction : str, bool, int, float or tuple of float
        The label or number that is predicted; all numbers, or all labels' probabilities, if
        there are several at once; for bags the instance's score.
    paths : tuple of DecisionPath
        The row's path in each tree.
    text : str
        Prediction and reasons in a sentence.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> model = SGTRegressor().fit([["red"], ["blue"]] * 200, [10.0, 20.0] * 200)
    >>> explanation = why(model, ["red"])
    >>> round(explanation.prediction, 1), len(explanation.paths)
    (10.0, 1)
    """

    prediction: Label | Prediction
    paths: tuple[DecisionPath, ...]
    text: str

    def __str__(self) -> str:
        return self.text


def why(estimator: Estimator, x: Mapping[Any, object] | Sequence[object]) -> Explanation:
    """Explain the prediction of a row by its path in the trees.

    If several trees add to the score that decides, the text has the path in the tree that adds
    most; ``paths`` has all of them. With linear leaves the text also has the terms of the leaf that
    add most to the raw score, three at most.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.
    x : mapping from feature names to values, or sequence of values
        The row; an instance if the estimator is one for bags.

    Returns
    -------
    Explanation
        The prediction and its reasons.

    Raises
    ------
    ValueError
        If the model has no tree yet.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> X = [[size, colour] for size in (1.0, 2.0, 3.0, 4.0) for colour in ("red", "blue")] * 200
    >>> y = ["big" if size > 2.5 and colour == "red" else "small" for size, colour in X]
    >>> model = SGTClassifier(warm_up=50, epochs=5, random_state=0).fit(X, y)
    >>> print(why(model, [4.0, "red"]))
    big (100 %) because x0 > 2.031 and x1 is red
    """
    view = explainable_view(estimator, "why")
    block = encoded_rows(estimator, x if isinstance(x, Mapping) else [list(x)])
    ends = explainer_of(estimator).route(block)[0]
    return explain_row(view, [int(ends[tree.number]) for tree in view.trees], block[0])


def explain_row(view: ModelView, ends: Sequence[int], row: Floats) -> Explanation:
    """Explain the prediction of an encoded row that ends at these nodes of the trees."""
    paths = tuple(_path(tree, end, row) for tree, end in zip(view.trees, ends, strict=True))
    raw = view.raw([path.end for path in paths], row.tolist())
    if view.target_type is TargetType.CLASSES:
        return _explain_label(view, paths, raw)
    reason = _reason(paths, range(view.n_outputs))
    if view.target_type is TargetType.BAGS:
        label = shown(view.labels[1])
        return Explanation(raw[0], paths, f"score {raw[0]:+.2f} for {label} {reason}")
    predicted = as_prediction(view.link(np.array(raw)))
    return Explanation(predicted, paths, f"{_format(view, predicted)} {reason}")


def _format(view: ModelView, predicted: Prediction) -> str:
    several = view.n_outputs > 1
    if view.target_type is TargetType.NUMBERS:
        kind = ValueKind.NUMBERS if several else ValueKind.NUMBER
    else:
        kind = ValueKind.LABELS if several else ValueKind.PROBABILITY
    return format_prediction(TreeView((), (), kind, names=view.targets or ()), predicted)


def _explain_label(
    view: ModelView, paths: tuple[DecisionPath, ...], raw: Sequence[float]
) -> Explanation:
    if view.is_softmax:
        scores = list(raw)
        powers = np.exp(np.array(raw) - max(raw))
        probabilities = (powers / powers.sum()).tolist()
    else:
        probability = view.link.of_one(raw[0])
        probabilities = scores = [1.0 - probability, probability]
    # Of equal ones the label that is first in `classes_`.
    order = sorted(range(len(scores)), key=lambda k: (-scores[k], view.labels[k]))
    best, second = order[0], order[1]
    label = view.labels[best]
    text = f"{shown(label)} ({100.0 * probabilities[best]:.0f} %)"
    decisive = best if view.is_softmax else 0
    if view.is_softmax and not any(best in path.tree.outputs for path in paths):
        # The first label of a committee has no tree: the score of the next best label decides.
        decisive = second
        if view.n_outputs > 2:
            text += f" rather than {shown(view.labels[second])}"
    return Explanation(label, paths, f"{text} {_reason(paths, [decisive])}")


def _reason(paths: Iterable[DecisionPath], outputs: Iterable[int]) -> str:
    """Write the path of the tree that adds most to these outputs."""
    decisive = set(outputs)

    def size(path: DecisionPath) -> float:
        added = zip(path.tree.outputs, path.contribution, strict=True)
        return sum(abs(value) for output, value in added if output in decisive)

    adding = [path for path in paths if decisive.intersection(path.tree.outputs)]
    largest = max(adding, key=size)
    among = f" (the largest contribution of {len(adding)} trees)" if len(adding) > 1 else ""
    return f"because {largest}{_linear_reason(largest, decisive)}{among}"


def _linear_reason(path: DecisionPath, outputs: Container[int]) -> str:
    """Write the greatest terms of a linear leaf, over these outputs; nothing for a constant one."""
    if not path.linear_terms:
        return ""
    of_outputs = [
        terms
        for output, terms in zip(path.tree.outputs, path.linear_terms, strict=True)
        if output in outputs
    ]
    written = []
    for place, used in enumerate(path.tree.inputs):
        amounts = [terms[place] for terms in of_outputs]
        if any(amounts):
            text = " / ".join(f"{amount:+.3g}" for amount in amounts[:_MOST_OUTPUTS])
            written.append((sum(map(abs, amounts)), f"{text} by {shown(used.feature.name)}"))
    written.sort(key=lambda term: -term[0])
    return "".join(f", {text}" for _, text in written[:_MOST_TERMS])


# ---- paths --------------------------------------------------------------------------------------


def _path(tree: TreeView, end: int, row: Floats) -> DecisionPath:
    steps: dict[str, list[tuple[Split, Node]]] = {}
    nodes = [0]
    for parent, child in tree.path(tree.nodes[end]):
        split = parent.split
        assert split is not None
        nodes.append(child.number)
        steps.setdefault(split.feature.name, []).append((split, child))
    # Once for each feature, however often the path asks for it.
    conditions = {
        name: f"{shown(name)} is missing"
        if math.isnan(row[of_feature[0][0].feature.number])
        else path_condition(name, of_feature, with_missing=False)
        for name, of_feature in steps.items()
    }
    last = tree.nodes[end].split
    if last is not None:
        name = last.feature.name
        conditions[name] = f"{shown(name)} is {_unseen_category(last, row[last.feature.number])}"
    return DecisionPath(
        tree,
        tuple(nodes),
        tuple(conditions.values()),
        tree.contribution(tree.nodes[end], row.tolist()),
        tuple(
            tuple(tree.shrinkage * term for term in terms)
            for terms in tree.linear_terms(tree.nodes[end], row.tolist())
        ),
    )


def _unseen_category(split: Split, number: float) -> str:
    """Name a category that a split has not seen, if the model knows it at all."""
    categories = split.feature.categories
    if number < 0.0 or categories is None or number >= len(categories):
        return "unknown"
    return f"{shown(categories[int(number)])} (not seen there)"
