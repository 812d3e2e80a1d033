"""A tree as it is at one moment: immutable, with names and categories in place of numbers.

Everything that shows or exports trees reads this, and nothing else.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.classifier import SGTClassifier
from sgtrees.labels import Label
from sgtrees.losses.links import IDENTITY, Link
from sgtrees.model import ClassifierModel
from sgtrees.multi_label import MultiLabelModel
from sgtrees.regressor import SGTRegressor
from sgtrees.schema import Feature, Schema
from sgtrees.values import Value


class Output(Enum):
    """What the values of a tree's leaves are."""

    PROBABILITY = "probability"
    """What the link makes the probability of a label, where there are two: its log-odds mostly."""
    SCORE = "score"
    """The log-odds of a label against another, where there are more than two."""
    NUMBER = "number"
    """What the link makes the predicted number: that number itself mostly."""


@dataclass(frozen=True, slots=True)
class FeatureView:
    """A feature.

    Attributes
    ----------
    number : int
        Its column.
    name : str
        Its name; "x0", "x1", ... where it has none.
    categories : tuple or None
        The values of a nominal feature by category number; None for a numeric one.
    """

    number: int
    name: str
    categories: tuple[Value, ...] | None = None


@dataclass(frozen=True, slots=True)
class Split:
    """How a node sends rows on.

    Attributes
    ----------
    feature : FeatureView
        The feature that is asked.
    threshold : float or None
        Rows of a numeric feature go left where it is at most this; None for a nominal feature.
    default_child : int
        The node where rows go that miss the feature.
    gain : float
        The fall in loss that the split brought to the rows that decided it.
    """

    feature: FeatureView
    threshold: float | None
    default_child: int
    gain: float


@dataclass(frozen=True, slots=True)
class Branch:
    """The way from a split node to one of its children.

    Attributes
    ----------
    is_left : bool or None
        Which side of a numeric split it is; None at a nominal one.
    category : str, bool, float or None
        The category that goes here at a nominal split; None for the branch of missing values.
    takes_missing : bool
        Whether rows that miss the feature go here.
    """

    is_left: bool | None
    category: Value | None
    takes_missing: bool


@dataclass(frozen=True, slots=True)
class Node:
    """A node; a leaf where ``split`` is None.

    Attributes
    ----------
    number : int
        Its place in `TreeView.nodes`.
    parent : int or None
        Its parent's; None for the root.
    children : tuple of int
        Its children's; left before right, categories in the order in which they came.
    depth : int
        Steps from the root.
    value : float
        What is predicted here, before the link; a split node keeps the value it had as a leaf.
    cover : float
        Weight of the rows that have come here, as far as it is known: a tree does not keep what a
        leaf saw before its last change.
    branch : Branch or None
        How rows come here; None for the root.
    split : Split or None
        How they go on; None for a leaf.
    """

    number: int
    parent: int | None
    children: tuple[int, ...]
    depth: int
    value: float
    cover: float
    branch: Branch | None
    split: Split | None

    @property
    def is_leaf(self) -> bool:
        """Whether the node is a leaf."""
        return self.split is None


@dataclass(frozen=True, slots=True)
class TreeView:
    """A tree.

    Attributes
    ----------
    nodes : tuple of Node
        The root first, every child after its parent.
    features : tuple of FeatureView
        All features of the model.
    output : Output
        What the nodes' values are.
    label : str, bool, int or None
        The label that the values speak for; in regression the target, where there are several.
    reference : str, bool, int or None
        The label that they compare it with; None in regression, and with several labels at once.
    link : Link
        From a node's value to the prediction.
    """

    nodes: tuple[Node, ...]
    features: tuple[FeatureView, ...]
    output: Output
    label: Hashable = None
    reference: Label | None = None
    link: Link = IDENTITY

    @property
    def root(self) -> Node:
        """The first node."""
        return self.nodes[0]

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The leaves."""
        return tuple(node for node in self.nodes if node.is_leaf)

    @property
    def depth(self) -> int:
        """The depth of the deepest leaf; 0 for a root alone."""
        return max(node.depth for node in self.nodes)

    def path(self, node: Node) -> Iterator[tuple[Node, Node]]:
        """Walk from the root to a node, in steps of a parent and its child.

        Parameters
        ----------
        node : Node
            Where to go.

        Yields
        ------
        tuple of Node
            A split node, and the child of it that comes next.
        """
        steps = []
        while node.parent is not None:
            parent = self.nodes[node.parent]
            steps.append((parent, node))
            node = parent
        yield from reversed(steps)

    def share(self, node: Node) -> float:
        """Return the part of all rows that come to a node; 1 for the root."""
        return node.cover / self.root.cover if self.root.cover > 0.0 else 1.0


def view_trees(
    estimator: SGTClassifier | SGTRegressor,
    *,
    feature_names: Sequence[str] | None = None,
    category_names: Mapping[str, Sequence[str]] | None = None,
) -> tuple[TreeView, ...]:
    """Take a view of an estimator's trees; it stays as it is while the estimator learns on.

    Parameters
    ----------
    estimator : SGTClassifier or SGTRegressor
        The estimator, which has learned a row at least.
    feature_names : sequence of str, optional
        Names for all features, where the data had none or others are wanted.
    category_names : mapping from feature name to sequence of str, optional
        Names of the categories of nominal features whose values are the numbers 0, 1, 2, ...

    Returns
    -------
    tuple of TreeView
        One for a regressor or two classes, one less than there are classes for more; none before
        a second class has come. A tree with vectors in its leaves is shown once for each target,
        for each label, or for each class but the first.

    Raises
    ------
    ValueError
        Where there are not as many names as features.

    Examples
    --------
    >>> X, y = [["red", 1.0], ["blue", 2.0]] * 200, ["stop", "go"] * 200
    >>> model = SGTClassifier(warm_up=50, epochs=1).fit(X, y)
    >>> (tree,) = view_trees(model, feature_names=["colour", "size"])
    >>> tree.label, tree.root.split.feature.name
    ('go', 'colour')
    >>> [tree.nodes[child].branch.category for child in tree.root.children]
    ['red', 'blue']
    """
    model = estimator._known("trees")
    # While nobody learns: the trees of one committee belong together.
    with model.lock:
        arrays = [model.core.tree(index) for index in range(model.core.n_trees)]
        features = _features(model.schema, feature_names, category_names or {})
        labels = tuple(model.labels.seen) if isinstance(model, ClassifierModel) else ()
    if isinstance(model, ClassifierModel):
        return _views_of_classes(arrays, features, labels, model.link)
    output = Output.PROBABILITY if isinstance(model, MultiLabelModel) else Output.NUMBER
    names = (None,) if model.outputs is None else model.outputs.keys
    return tuple(
        TreeView(_nodes(tree, features, values), features, output, name, link=model.link)
        for tree in arrays
        for name, values in zip(names, _columns(tree["value"]), strict=True)
    )


def _views_of_classes(
    arrays: Sequence[Mapping[str, NDArray[Any]]],
    features: tuple[FeatureView, ...],
    labels: tuple[Label, ...],
    link: Link,
) -> tuple[TreeView, ...]:
    """View the trees of a committee, or the one tree that has a score for each label."""
    of_label = [(tree, tree["value"]) for tree in arrays]
    if arrays and arrays[0]["value"].ndim == 2:
        reference, *others = _columns(arrays[0]["value"])
        of_label = [(arrays[0], values - reference) for values in others]
    output = Output.PROBABILITY if len(labels) == 2 else Output.SCORE
    link = link if len(labels) == 2 else IDENTITY
    return tuple(
        TreeView(_nodes(tree, features, values), features, output, label, labels[0], link)
        for (tree, values), label in zip(of_label, labels[1:], strict=False)
    )


def _columns(values: NDArray[Any]) -> Sequence[NDArray[Any]]:
    """Return the nodes' values for each output."""
    return [values] if values.ndim == 1 else list(values.T)


def _features(
    schema: Schema, names: Sequence[str] | None, category_names: Mapping[str, Sequence[str]]
) -> tuple[FeatureView, ...]:
    if names is None:
        names = [str(f.name) if schema.named else f"x{f.name}" for f in schema.features]
    if len(names) != len(schema):
        raise ValueError(f"there are {len(schema)} features, but {len(names)} names for them")
    return tuple(
        FeatureView(number, name, _categories(feature, category_names.get(name)))
        for number, (feature, name) in enumerate(zip(schema.features, names, strict=True))
    )


def _categories(feature: Feature, names: Sequence[str] | None) -> tuple[Value, ...] | None:
    if feature.categories is None:
        return None
    values = tuple(feature.categories.numbers)
    return values if names is None else tuple(names[int(value)] for value in values)


def _nodes(
    tree: Mapping[str, NDArray[Any]],
    features: tuple[FeatureView, ...],
    values: NDArray[np.float64],
) -> tuple[Node, ...]:
    # Plain numbers at once: a look at a single element of an array is slow.
    a = {name: array.tolist() for name, array in tree.items()} | {"value": values.tolist()}
    n_nodes = len(a["parent"])
    children: list[list[int]] = [[] for _ in range(n_nodes)]
    for number in range(1, n_nodes):
        children[a["parent"][number]].append(number)
    for siblings in children:
        siblings.sort(key=lambda number: not a["is_left"][number])

    def split(number: int) -> Split | None:
        if a["feature"][number] < 0:
            return None
        threshold = None if a["is_nominal"][number] else a["threshold"][number]
        feature = features[a["feature"][number]]
        return Split(feature, threshold, a["default_child"][number], a["gain"][number])

    def branch(number: int) -> Branch | None:
        parent = a["parent"][number]
        if parent < 0:
            return None
        takes_missing = a["default_child"][parent] == number
        if not a["is_nominal"][parent]:
            return Branch(bool(a["is_left"][number]), None, takes_missing)
        categories = features[a["feature"][parent]].categories
        category = a["category"][number]
        assert categories is not None
        return Branch(None, categories[category] if category >= 0 else None, takes_missing)

    return tuple(
        Node(
            number=number,
            parent=a["parent"][number] if number else None,
            children=tuple(children[number]),
            depth=a["depth"][number],
            value=a["value"][number],
            cover=a["cover"][number],
            branch=branch(number),
            split=split(number),
        )
        for number in range(n_nodes)
    )
