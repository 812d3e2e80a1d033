"""A whole model at one moment: its trees, and how raw scores become predictions."""

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Self

from sgtrees.inspection.node_view import FeatureView, Node
from sgtrees.inspection.tree_view import TreeView, ValueKind
from sgtrees.losses.links import IDENTITY, Link
from sgtrees.models.drift_event import DriftEvent
from sgtrees.targets.labels import Label


class TargetType(Enum):
    """What a model predicts; the values are those of ``Model.kind``.

    Examples
    --------
    >>> TargetType("classes") is TargetType.CLASSES
    True
    """

    CLASSES = "classes"  # one of several labels
    LABELS = "labels"  # which of several labels a row has: none, some or all
    NUMBERS = "numbers"  # a number, or several
    BAGS = "bags"  # one of two labels of a bag; the rows are its instances


@dataclass(frozen=True, slots=True)
class ModelView:
    """A whole model.

    A row ends at one node of each tree. The raw score of an output is its ``start`` plus the sum of
    what the trees add to it (`TreeView.outputs`, `TreeView.contribution`). Several trees may add to
    one output.

    If ``is_softmax`` holds there is an output for each label in ``labels``, and the softmax of
    all raw scores gives the probabilities. Otherwise the link makes a prediction of each raw
    score: a number, the probability of ``labels[1]``, or, if a row may have several labels, that
    of each.

    Attributes
    ----------
    trees : tuple of TreeView
        The trees in use; none during the warm-up, nor with a single class so far.
    features : tuple of FeatureView
        The features, in the order of the model's columns.
    target_type : TargetType
        What is predicted.
    is_softmax : bool
        Whether there is a raw score for each label.
    link : Link
        From a raw score to the prediction.
    labels : tuple
        The labels that have been seen, by class number; those of bags: negative, positive.
    classes : tuple
        ``classes_``: the labels sorted, with those that were declared and not seen.
    targets : tuple or None
        The names or numbers of y's columns, if it has columns; None if it has none.
    start : tuple of float
        For each output the raw score before any tree has added to it.
    n_rows : int
        The number of rows learned, including those that wait in the warm-up.
    is_warming_up : bool
        Whether the model has no trees yet because the ranges of the features are not known.
    estimator : str
        The estimator's name.
    drifts : tuple of DriftEvent
        What happened to the trees because errors rose.
    n_unused : int
        The number of trees that learn, but are not in use: members of an ensemble without which
        others have predicted better of late.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.inspection import view_model
    >>> model = SGTRegressor(warm_up=50, epochs=1).fit(
    ...     [["red"], ["blue"]] * 200, [10.0, 20.0] * 200
    ... )
    >>> view = view_model(model)
    >>> len(view.trees), view.n_rows, view.start
    (1, 400, (0.0,))
    """

    trees: tuple[TreeView, ...]
    features: tuple[FeatureView, ...]
    target_type: TargetType
    is_softmax: bool
    link: Link
    labels: tuple[Label, ...]
    classes: tuple[Label, ...]
    targets: tuple[Hashable, ...] | None
    start: tuple[float, ...]
    n_rows: int
    is_warming_up: bool
    estimator: str
    drifts: tuple[DriftEvent, ...] = ()
    n_unused: int = 0

    @property
    def is_linear(self) -> bool:
        """Whether leaves add a linear function of the features to their values."""
        return any(tree.inputs for tree in self.trees)

    @property
    def is_ensemble(self) -> bool:
        """Whether several trees add to one raw score."""
        return any(tree.value_kind is ValueKind.CONTRIBUTION for tree in self.trees)

    @property
    def n_outputs(self) -> int:
        """The number of raw scores."""
        return len(self.start)

    @property
    def n_leaves(self) -> int:
        """The number of leaves of all trees."""
        return sum(len(tree.leaves) for tree in self.trees)

    @property
    def n_nodes(self) -> int:
        """The number of nodes of all trees."""
        return sum(len(tree.nodes) for tree in self.trees)

    @property
    def depth(self) -> int:
        """The depth of the deepest tree."""
        return max((tree.depth for tree in self.trees), default=0)

    def raw(self, ends: Sequence[Node], row: Sequence[float] | None = None) -> list[float]:
        """Return the raw score of each output for a row.

        Parameters
        ----------
        ends : sequence of Node
            The node at which the row ends, for each tree.
        row : sequence of float, optional
            The encoded row, which linear leaves read; the means of all features by default.

        Returns
        -------
        list of float
            ``start`` plus what the trees add.
        """
        raw = list(self.start)
        for tree, end in zip(self.trees, ends, strict=True):
            for output, value in zip(tree.outputs, tree.contribution(end, row), strict=True):
                raw[output] += value
        return raw

    def with_trees(self, trees: Iterable[TreeView]) -> Self:
        """Return the model with other trees, whose values are described as this model uses them.

        Parameters
        ----------
        trees : iterable of TreeView
            The trees; their ``value_kind``, ``label``, ``reference``, ``link`` and ``names`` are
            set here.

        Returns
        -------
        ModelView
            The model. If one tree alone gives a raw score its values can be read as
            predictions; if several add up they are contributions.
        """
        given = tuple(trees)
        n_trees = Counter(output for tree in given for output in tree.outputs)
        return replace(self, trees=tuple(self._described(tree, n_trees) for tree in given))

    def _described(self, tree: TreeView, n_trees: Counter[int]) -> TreeView:
        names = tuple(self._output_names()[output] for output in tree.outputs)
        several = names if len(names) > 1 else ()
        label = None if several else names[0]
        kind, link, reference = ValueKind.CONTRIBUTION, IDENTITY, None
        if not self._is_alone(tree, n_trees):
            pass
        elif self.is_softmax and several:
            kind = ValueKind.CLASSES
        elif self.is_softmax and len(self.labels) > 2:
            kind, reference = ValueKind.SCORE, self.labels[0]
        elif self.target_type is TargetType.NUMBERS:
            kind, link = ValueKind.NUMBERS if several else ValueKind.NUMBER, self.link
        else:
            kind, link = ValueKind.LABELS if several else ValueKind.PROBABILITY, self.link
            reference = None if self.targets is not None else self.labels[0]
        return replace(
            tree, value_kind=kind, label=label, reference=reference, link=link, names=several
        )

    def _output_names(self) -> tuple[Hashable, ...]:
        """Return the label or target of each output; None for a single number."""
        if self.targets is not None:
            return self.targets
        if self.is_softmax:
            return self.labels
        return self.labels[1:] or (None,)

    def _is_alone(self, tree: TreeView, n_trees: Counter[int]) -> bool:
        """Return whether the raw scores of a tree's outputs come from it alone."""
        if any(self.start) or any(n_trees[output] > 1 for output in tree.outputs):
            return False
        # A score is read as log odds against the first label, whose own score must be 0.
        return not self.is_softmax or len(tree.outputs) == self.n_outputs or not n_trees[0]
