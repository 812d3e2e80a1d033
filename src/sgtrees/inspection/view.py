"""A tree as it is at one moment: immutable, with names and categories in place of numbers.

Everything that shows or exports trees reads this, and nothing else.
"""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace
from enum import Enum

from sgtrees.data.columns import Kind, Value
from sgtrees.data.schema import FeatureName
from sgtrees.losses.links import IDENTITY, LOGISTIC, Link
from sgtrees.targets.labels import Label


class Output(Enum):
    """What the values of a tree's leaves are."""

    PROBABILITY = "probability"
    """What the link makes the probability of a label, where there are two: its log-odds mostly."""
    SCORE = "score"
    """The log-odds of a label against another, where there are more than two."""
    NUMBER = "number"
    """What the link makes the predicted number: that number itself mostly."""
    CLASSES = "classes"
    """A score for each label, whose softmax are the probabilities."""
    LABELS = "labels"
    """What the link makes the probability of each label, where a row may have several."""
    NUMBERS = "numbers"
    """What the link makes the predicted numbers, where there are several."""


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
    kind : Kind or None
        What the categories are: strings, numbers or booleans; None where there are none.
    key : hashable
        What the feature is called in events: its name, or its column where it has none.
    """

    number: int
    name: str
    categories: tuple[Value, ...] | None = None
    kind: Kind | None = None
    key: FeatureName = None


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
        The fall in loss that the split promised, on the mean over the rows that decided it.
    """

    feature: FeatureView
    threshold: float | None
    default_child: int
    gain: float


@dataclass(frozen=True, slots=True)
class LinearInput:
    """A feature as linear leaves see it: z = (x - mean) / deviation.

    Values beyond three deviations count as three, missing ones as the mean.

    Attributes
    ----------
    feature : FeatureView
        The feature.
    mean, deviation : float
        Its mean and standard deviation in the warm-up, or those of its given range.
    """

    feature: FeatureView
    mean: float
    deviation: float


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
    values : tuple of float
        What is predicted here, before the link, for each output of the tree; a split node keeps
        the values it had as a leaf. With linear leaves: at the mean of all features.
    cover : float
        Weight of the rows that have come here, as far as it is known: a tree does not keep what a
        leaf saw before its last change.
    branch : Branch or None
        How rows come here; None for the root.
    split : Split or None
        How they go on; None for a leaf.
    weights : tuple of tuple of float
        With linear leaves: for each output a weight for each of `TreeView.inputs`, whose sum with
        them is added to the value.
    """

    number: int
    parent: int | None
    children: tuple[int, ...]
    depth: int
    values: tuple[float, ...]
    cover: float
    branch: Branch | None
    split: Split | None
    weights: tuple[tuple[float, ...], ...] = ()

    @property
    def is_leaf(self) -> bool:
        """Whether the node is a leaf."""
        return self.split is None

    @property
    def value(self) -> float:
        """What is predicted here where the tree has one output, as most have."""
        (value,) = self.values
        return value


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
    targets : tuple of int
        Which of the model's raw scores the nodes' values are.
    names : tuple
        The labels or targets of the values, where a node has several.
    inputs : tuple of LinearInput
        What linear leaves see of a row; empty where leaves are constant.
    """

    nodes: tuple[Node, ...]
    features: tuple[FeatureView, ...]
    output: Output
    label: Hashable = None
    reference: Hashable = None
    link: Link = IDENTITY
    targets: tuple[int, ...] = (0,)
    names: tuple[Hashable, ...] = ()
    inputs: tuple[LinearInput, ...] = ()

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

    def facets(self) -> tuple["TreeView", ...]:
        """Return trees with one value in each node that say together what this one says.

        Returns
        -------
        tuple of TreeView
            The tree itself where its nodes have one value. Otherwise one for each target or label;
            of classes for each but the first, with which they are compared.
        """
        if not self.names:
            return (self,)
        if self.output is Output.CLASSES:
            kind = Output.PROBABILITY if len(self.names) == 2 else Output.SCORE
            link = LOGISTIC if len(self.names) == 2 else IDENTITY
            return tuple(self._facet(k, kind, link, 0) for k in range(1, len(self.names)))
        kind = Output.PROBABILITY if self.output is Output.LABELS else Output.NUMBER
        return tuple(self._facet(k, kind, self.link, None) for k in range(len(self.names)))

    def _facet(self, k: int, kind: Output, link: Link, against: int | None) -> "TreeView":
        def value(node: Node) -> float:
            return node.values[k] - (0.0 if against is None else node.values[against])

        return replace(
            self,
            nodes=tuple(
                replace(node, values=(value(node),), weights=node.weights[k : k + 1])
                for node in self.nodes
            ),
            output=kind,
            label=self.names[k],
            reference=None if against is None else self.names[against],
            link=link,
            targets=(self.targets[k],),
            names=(),
        )


class Task(Enum):
    """What a model predicts."""

    CLASSES = "classes"
    """One of several labels."""
    LABELS = "labels"
    """Which of several labels a row has: none, some or all."""
    NUMBER = "number"
    """A number, or several."""
    BAGS = "bags"
    """One of two labels of a bag, by the scores of its instances, which are what the tree sees."""


@dataclass(frozen=True, slots=True)
class ModelView:
    """A whole model: its trees, and what is made of their values.

    A row ends at one node of each tree. The node's values are raw scores of the model, those that
    `TreeView.targets` names; scores that no tree speaks for are 0. Where ``is_softmax`` holds
    there is a raw score for each label in ``labels``, and the softmax of all gives the
    probabilities. Otherwise the link makes a prediction of each raw score: a number, the
    probability of ``labels[1]``, or, where a row may have several labels, that of each.

    Attributes
    ----------
    trees : tuple of TreeView
        The trees; none during the warm-up, nor with a single class so far.
    features : tuple of FeatureView
        The features, in the order of the model's columns.
    task : Task
        What is predicted.
    is_softmax : bool
        Whether the raw scores are those of all labels.
    link : Link
        From a raw score to the prediction.
    labels : tuple
        The labels that have been seen, by class number; those of bags: negative, positive.
    classes : tuple
        ``classes_``: the labels sorted, with those that were declared and not seen.
    outputs : tuple or None
        The names or numbers of y's columns, where it has columns; None where it has none.
    n_rows : int
        The number of rows learned, those that wait in the warm-up included.
    is_warming_up : bool
        Whether the model has no trees yet because it waits for the ranges of the features.
    estimator : str
        The estimator's name.
    """

    trees: tuple[TreeView, ...]
    features: tuple[FeatureView, ...]
    task: Task
    is_softmax: bool
    link: Link
    labels: tuple[Label, ...]
    classes: tuple[Label, ...]
    outputs: tuple[Hashable, ...] | None
    n_rows: int
    is_warming_up: bool
    estimator: str

    @property
    def is_linear(self) -> bool:
        """Whether leaves add a linear function of the features to their values."""
        return any(tree.inputs for tree in self.trees)

    @property
    def n_scores(self) -> int:
        """The number of raw scores."""
        if self.is_softmax:
            return len(self.labels)
        return 1 if self.outputs is None else len(self.outputs)

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
