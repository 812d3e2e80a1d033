"""What has changed in a model between two points of the stream."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np

from sgtrees.inspection.reading import Estimator, as_view
from sgtrees.inspection.tree_text import leaves_below, share_in_words, title
from sgtrees.inspection.view import ModelView, Node, TreeView
from sgtrees.inspection.words import (
    Floats,
    answer,
    condition,
    mean_predictions,
    predictions,
    question,
    rule_in_words,
    value_in_words,
)
from sgtrees.targets.labels import Label


class ChangeKind(Enum):
    """What has happened."""

    SPLIT = "split"
    """A leaf has been split, and perhaps its children in turn."""
    VALUE = "value"
    """A leaf predicts something else."""
    BRANCH = "branch"
    """A nominal split has got a leaf for a category that it had not seen."""
    TREE = "tree"
    """A label has come, and with it a tree."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change.

    Attributes
    ----------
    kind : ChangeKind
        What has happened.
    tree : int
        In which tree.
    node : int
        At which node.
    share : float
        The part of all rows that come there.
    moved : float
        By how much the change has moved predictions, on the mean over all rows; summed up where
        there are several.
    words : str
        The change in a sentence.
    """

    kind: ChangeKind
    tree: int
    node: int
    share: float
    moved: float
    words: str


@dataclass(frozen=True, slots=True)
class Changes:
    """All that has changed.

    Attributes
    ----------
    rows : int
        The number of rows between the two points.
    changes : tuple of Change
        What has changed in the trees; what has moved predictions most comes first.
    new_features : tuple of str
        Features that have come.
    new_labels : tuple
        Labels that have come.
    n_leaves : tuple of int
        The number of leaves before and after.
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
        return "\n".join([*lines, *(change.words for change in self.changes)])


def compare(before: Estimator | ModelView, after: Estimator | ModelView) -> Changes:
    """Tell what has changed in a model between two points of the stream.

    Nodes are never moved or removed while a model learns, so that each is found again.

    Parameters
    ----------
    before : ModelView, or an estimator that has stayed as it was
        The model at the first point; `view_model` takes a view that stays.
    after : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier or ModelView
        The same model at a later point.

    Returns
    -------
    Changes
        What is different.

    Raises
    ------
    ValueError
        Where the second is no later state of the first.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.inspection import view_model
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 100, [10.0, 10.0, 20.0, 20.0] * 100
    >>> model = SGTRegressor(warm_up=50, grace_period=200).partial_fit(X[:160], y[:160])
    >>> before = view_model(model)
    >>> print(compare(before, model.partial_fit(X, y)))
    400 rows later: 2 leaves, 1 more than before
    all rows (14.8): now asked x0 > 2.031 (missing: no); no 10.04, yes 19.96
    """
    first, second = as_view(before), as_view(after)
    _check(first, second)
    changes = [
        change
        for number, (old, new) in enumerate(zip(first.trees, second.trees, strict=False))
        for change in _TreeChanges(number, old, new, several=len(second.trees) > 1).all()
    ]
    changes += [
        _new_tree(number, second.trees[number])
        for number in range(len(first.trees), len(second.trees))
    ]
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
        and len(first.trees) <= len(second.trees)
        and all(map(_grows_into, first.trees, second.trees))
    )
    if not same:
        raise ValueError(
            "the second model is no later state of the first: compare a view that was taken "
            "earlier (view_model) with the estimator as it is now"
        )


def _grows_into(old: TreeView, new: TreeView) -> bool:
    return len(old.nodes) <= len(new.nodes) and all(
        a.parent == b.parent
        and a.branch == b.branch
        and (a.split is None or (b.split is not None and _same_question(a, b)))
        for a, b in zip(old.nodes, new.nodes, strict=False)
    )


def _same_question(a: Node, b: Node) -> bool:
    assert a.split is not None
    assert b.split is not None
    return (a.split.feature.number, a.split.threshold) == (
        b.split.feature.number,
        b.split.threshold,
    )


def _new_tree(number: int, tree: TreeView) -> Change:
    leaves = leaves_below(tree)[0]
    words = f"{title(tree)}: a new tree of {leaves} leaves"
    return Change(ChangeKind.TREE, number, 0, 1.0, 0.0, words)


class _TreeChanges:
    """The changes of one tree."""

    def __init__(self, number: int, old: TreeView, new: TreeView, *, several: bool) -> None:
        self._number = number
        self._old, self._new = old, new
        self._prefix = f"{title(new)}: " if several else ""
        self._means = mean_predictions(new)
        self._leaves = leaves_below(new)
        self._now = predictions(new)
        self._was = self._predicted_before()

    def _predicted_before(self) -> Floats:
        """Return what was predicted before of the rows that now come to each node."""
        before = predictions(self._old)
        was = np.zeros_like(self._now)
        # A label that has come since had no chance.
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
            # A label that has come since has a score in every leaf: that alone is no change of it.
            elif old.is_leaf and old.values != new.values[: len(old.values)]:
                yield self._value(new)
            elif not old.is_leaf:
                late = [c for c in new.children if c >= len(self._old.nodes)]
                for child in late:
                    yield self._branch(new, self._new.nodes[child])

    def _moved(self, node: Node) -> float:
        """By how much predictions have moved at the leaves below a node, over all rows."""
        total, waiting = 0.0, [node.number]
        while waiting:
            at = self._new.nodes[waiting.pop()]
            waiting.extend(at.children)
            if at.is_leaf:
                by = np.abs(self._now[at.number] - self._was[at.number]).sum()
                total += self._new.share(at) * float(by)
        return total

    def _change(self, kind: ChangeKind, node: Node, words: str) -> Change:
        share = self._new.share(node)
        where = "all rows" if node.parent is None else rule_in_words(self._new, node)
        was = value_in_words(self._new, self._was[node.number])
        about = (
            f"{where} ({was})"
            if node.parent is None
            else (f"{where} ({share_in_words(share)} of rows, {was})")
        )
        return Change(
            kind,
            self._number,
            node.number,
            share,
            self._moved(node),
            f"{self._prefix}{about}: {words}",
        )

    def _split(self, node: Node) -> Change:
        assert node.split is not None
        children = [self._new.nodes[child] for child in node.children]
        told = ", ".join(
            f"{answer(child)} {value_in_words(self._new, self._means[child.number])}"
            for child in children[:_MOST_ANSWERS]
        )
        if len(children) > _MOST_ANSWERS:
            told += f" and {len(children) - _MOST_ANSWERS} more"
        words = f"now asked {question(self._new, node.split)}; {told}"
        deeper = self._leaves[node.number] - len(children)
        if deeper > 0:
            words += f"; {self._leaves[node.number]} leaves in all"
        return self._change(ChangeKind.SPLIT, node, words)

    def _value(self, node: Node) -> Change:
        now = value_in_words(self._new, self._means[node.number])
        return self._change(ChangeKind.VALUE, node, f"now {now}")

    def _branch(self, node: Node, child: Node) -> Change:
        now = value_in_words(self._new, self._means[child.number])
        words = f"a leaf of its own for {condition(self._new, child)}, {now}"
        change = self._change(ChangeKind.BRANCH, node, words)
        return Change(
            change.kind,
            change.tree,
            child.number,
            self._new.share(child),
            self._moved(child),
            change.words,
        )


# Answers of a new split that are told.
_MOST_ANSWERS = 4
