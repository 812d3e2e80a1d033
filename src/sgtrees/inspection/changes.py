"""The changes of a model between two points of the stream."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from sgtrees.inspection.conditions import branch_name, condition, rule_text, split_test
from sgtrees.inspection.extraction import Estimator, as_view
from sgtrees.inspection.model_view import ModelView
from sgtrees.inspection.node_view import Node
from sgtrees.inspection.predictions import (
    Floats,
    format_prediction,
    format_share,
    mean_predictions,
    predictions,
    tree_title,
)
from sgtrees.inspection.tree_view import TreeView
from sgtrees.targets.labels import Label

# The most branches of a new split that are written.
_MOST_BRANCHES = 4


class ChangeKind(Enum):
    """The kinds of changes.

    Examples
    --------
    >>> ChangeKind("split") is ChangeKind.SPLIT
    True
    """

    SPLIT = "split"  # a leaf has been split, and perhaps its children in turn
    VALUE = "value"  # the prediction of a leaf has changed
    BRANCH = "branch"  # a nominal split has a new leaf for a new category
    TREE = "tree"  # there is a new tree


@dataclass(frozen=True, slots=True)
class Change:
    """One change of a tree, at a node that both points of the stream have, or at a new one.

    Attributes
    ----------
    kind : ChangeKind
        The kind.
    tree : int
        The number of the tree.
    node : int
        The number of the node.
    share : float
        The share of all rows that reach it.
    moved : float
        The mean absolute change of the prediction over all rows; the sum if there are several.
    text : str
        The change in a sentence.

    Examples
    --------
    >>> print(Change(ChangeKind.VALUE, 0, 3, 0.25, 0.5, "size > 2 (25 % of rows, 10): 12").text)
    size > 2 (25 % of rows, 10): 12
    """

    kind: ChangeKind
    tree: int
    node: int
    share: float
    moved: float
    text: str


@dataclass(frozen=True, slots=True)
class Changes:
    """All changes between two points of the stream; its text has a line for each.

    Attributes
    ----------
    rows : int
        The number of rows between the two points.
    changes : tuple of Change
        The changes of the trees; those that changed predictions most come first.
    new_features : tuple of str
        The new features.
    new_labels : tuple
        The new labels.
    n_leaves : tuple of int
        The number of leaves before and after.

    Examples
    --------
    >>> change = Change(ChangeKind.VALUE, 0, 3, 0.25, 0.5, "size > 2 (25 % of rows, 10): 12")
    >>> print(Changes(1000, (change,), (), (), (4, 4)))
    1,000 rows later: 4 leaves, 0 more than before
    size > 2 (25 % of rows, 10): 12
    """

    rows: int
    changes: tuple[Change, ...]
    new_features: tuple[str, ...]
    new_labels: tuple[Label, ...]
    n_leaves: tuple[int, int]

    def __str__(self) -> str:
        before, after = self.n_leaves
        lines = [f"{self.rows:,} rows later: {after:,} leaves, {after - before:,} more than before"]
        if self.new_labels:
            lines.append(f"new labels: {', '.join(map(str, self.new_labels))}")
        if self.new_features:
            lines.append(f"new features: {', '.join(self.new_features)}")
        return "\n".join([*lines, *(change.text for change in self.changes)])


def compare(before: Estimator | ModelView, after: Estimator | ModelView) -> Changes:
    """Find the changes of a model between two points of the stream.

    Nodes are never renumbered or removed while a model learns, so that each is found again.

    Parameters
    ----------
    before : ModelView, or an estimator that has not learned since
        The model at the first point; a view (`view_model`) does not change.
    after : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier or ModelView
        The same model at a later point.

    Returns
    -------
    Changes
        The changes.

    Raises
    ------
    ValueError
        If the second is not a later state of the first: a tree is not in use any more, has lost
        nodes or has other splits, or there are fewer rows, features or labels.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.inspection import view_model
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 100, [10.0, 10.0, 20.0, 20.0] * 100
    >>> model = SGTRegressor(warm_up=50, grace_period=200).partial_fit(X[:160], y[:160])
    >>> before = view_model(model)
    >>> print(compare(before, model.partial_fit(X, y)))
    400 rows later: 2 leaves, 1 more than before
    all rows (14.8): new split x0 > 2.031 (missing: no); no 10.04, yes 19.96
    """
    first, second = as_view(before), as_view(after)
    _check(first, second)
    known_trees, several = _trees(first), len(second.trees) > 1
    changes: list[Change] = []
    for number, tree in enumerate(second.trees):
        old = known_trees.get(_key(tree))
        if old is None:
            changes.append(_new_tree(number, tree))
        else:
            changes += _TreeChanges(number, old, tree, several=several).all()
    changes.sort(key=lambda change: -change.moved)
    known = {feature.name for feature in first.features}
    return Changes(
        rows=second.n_rows - first.n_rows,
        changes=tuple(changes),
        new_features=tuple(f.name for f in second.features if f.name not in known),
        new_labels=tuple(label for label in second.labels if label not in first.labels),
        n_leaves=(first.n_leaves, second.n_leaves),
    )


def _check(first: ModelView, second: ModelView) -> None:
    same = (
        first.estimator == second.estimator
        and first.n_rows <= second.n_rows
        and first.labels == second.labels[: len(first.labels)]
        and [f.name for f in first.features]
        == [f.name for f in second.features[: len(first.features)]]
        and _trees(first).keys() <= _trees(second).keys()
        and all(_grows_into(old, _trees(second)[key]) for key, old in _trees(first).items())
    )
    if not same:
        raise ValueError(
            "the second model is not a later state of the first: compare a view that was taken "
            "earlier (view_model) with the estimator as it is now"
        )


def _trees(view: ModelView) -> dict[tuple[int, int], TreeView]:
    return {_key(tree): tree for tree in view.trees}


def _key(tree: TreeView) -> tuple[int, int]:
    """Return what stays the same of a tree if there are more outputs or members later."""
    return tree.member, tree.outputs[0]


def _grows_into(old: TreeView, new: TreeView) -> bool:
    return len(old.nodes) <= len(new.nodes) and all(
        a.parent == b.parent and a.branch == b.branch and (a.split is None or _test(a) == _test(b))
        for a, b in zip(old.nodes, new.nodes, strict=False)
    )


def _test(node: Node) -> tuple[int, float | None] | None:
    return None if node.split is None else (node.split.feature.number, node.split.threshold)


def _new_tree(number: int, tree: TreeView) -> Change:
    text = f"{tree_title(tree)}: a new tree with {len(tree.leaves)} leaves"
    return Change(ChangeKind.TREE, number, 0, 1.0, 0.0, text)


class _TreeChanges:
    """The changes of one tree."""

    def __init__(self, number: int, old: TreeView, new: TreeView, *, several: bool) -> None:
        self._number = number
        self._old, self._new = old, new
        self._prefix = f"{tree_title(new)}: " if several else ""
        self._means = mean_predictions(new)
        self._leaves = new.leaf_counts()
        self._now = predictions(new)
        self._was = self._predicted_before()

    def _predicted_before(self) -> Floats:
        """Return the earlier prediction for the rows that reach each node now."""
        before = predictions(self._old)
        was = np.zeros_like(self._now)
        # A label that is new since then had the probability 0.
        was[: len(before), : before.shape[1]] = before
        for node in self._new.nodes[len(before) :]:
            assert node.parent is not None
            was[node.number] = was[node.parent]
        return was

    def all(self) -> Iterator[Change]:
        for old in self._old.nodes:
            new = self._new.nodes[old.number]
            if old.is_leaf and not new.is_leaf:
                yield self._split(new)
            # A new label has a score in every leaf, which alone is no change of the leaf.
            elif old.is_leaf and old.values != new.values[: len(old.values)]:
                now = format_prediction(self._new, self._means[new.number])
                yield self._change(ChangeKind.VALUE, new, new, f"now {now}")
            elif not old.is_leaf:
                late = [child for child in new.children if child >= len(self._old.nodes)]
                for child in late:
                    yield self._branch(new, self._new.nodes[child])

    def _split(self, node: Node) -> Change:
        assert node.split is not None
        children = [self._new.nodes[child] for child in node.children]
        branches = ", ".join(
            f"{branch_name(child)} {format_prediction(self._new, self._means[child.number])}"
            for child in children[:_MOST_BRANCHES]
        )
        if len(children) > _MOST_BRANCHES:
            branches += f" and {len(children) - _MOST_BRANCHES} more"
        text = f"new split {split_test(self._new, node.split)}; {branches}"
        if self._leaves[node.number] > len(children):
            text += f"; {self._leaves[node.number]} leaves in all"
        return self._change(ChangeKind.SPLIT, node, node, text)

    def _branch(self, node: Node, child: Node) -> Change:
        now = format_prediction(self._new, self._means[child.number])
        text = f"new leaf for {condition(self._new, child)}, {now}"
        return self._change(ChangeKind.BRANCH, node, child, text)

    def _change(self, kind: ChangeKind, where: Node, changed: Node, text: str) -> Change:
        """Return a change, which is written as one at ``where``."""
        was = format_prediction(self._new, self._was[where.number])
        rows = f"all rows ({was})"
        if where.parent is not None:
            share = format_share(self._new.share(where))
            rows = f"{rule_text(self._new, where)} ({share} of rows, {was})"
        return Change(
            kind,
            self._number,
            changed.number,
            self._new.share(changed),
            self._moved(changed),
            f"{self._prefix}{rows}: {text}",
        )

    def _moved(self, node: Node) -> float:
        """Return the mean change of predictions at the leaves below a node, over all rows."""
        total, waiting = 0.0, [node.number]
        while waiting:
            at = self._new.nodes[waiting.pop()]
            waiting.extend(at.children)
            if at.is_leaf:
                by = np.abs(self._now[at.number] - self._was[at.number]).sum()
                total += self._new.share(at) * float(by)
        return total
