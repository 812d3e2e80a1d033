"""A tree at one moment: immutable, with names and categories in place of numbers.

Everything that shows or exports trees reads these classes, and those of its nodes, and nothing
else.
"""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from sgtrees.inspection.node_view import FeatureView, LinearInput, Node
from sgtrees.losses.links import IDENTITY, LOGISTIC, Link


class ValueKind(Enum):
    """What the values of a tree's nodes are.

    Examples
    --------
    >>> ValueKind("number") is ValueKind.NUMBER
    True
    """

    PROBABILITY = "probability"  # the raw score of one of two labels; the link gives a probability
    SCORE = "score"  # the log odds of a label against the first, of more than two
    NUMBER = "number"  # the raw score of a number
    CLASSES = "classes"  # a raw score for each label; their softmax gives the probabilities
    LABELS = "labels"  # a raw score for each label, of which a row may have several
    NUMBERS = "numbers"  # a raw score for each of several numbers
    CONTRIBUTION = "contribution"  # what the tree adds to raw scores, as others do


@dataclass(frozen=True, slots=True)
class TreeView:
    """A tree.

    Attributes
    ----------
    nodes : tuple of Node
        The root first, every child after its parent.
    features : tuple of FeatureView
        All features of the model.
    value_kind : ValueKind
        What the nodes' values are.
    label : str, bool, int or None
        The label to which the values belong; in regression the target, if there are several.
    reference : str, bool, int or None
        The label with which it is compared; None in regression, and with several labels at once.
    link : Link
        From a node's value to the prediction.
    outputs : tuple of int
        The model's outputs to whose raw scores the tree adds; one for each value of a node.
    shrinkage : float
        The factor of the nodes' values when they are added, calibration of an ensemble included.
    names : tuple
        The labels or targets of the values, if a node has several.
    inputs : tuple of LinearInput
        The features that linear leaves use; empty if leaves are constant.
    number : int
        Its number among all trees of the model, those that are not in use included.
    member : int
        The member of the ensemble to which it belongs; 0 if the model is none.

    Examples
    --------
    >>> tree = TreeView((Node(0, None, (), 0, (4.0,), 100.0, None, None),), (), ValueKind.NUMBER)
    >>> len(tree.leaves), tree.depth
    (1, 0)
    """

    nodes: tuple[Node, ...]
    features: tuple[FeatureView, ...]
    value_kind: ValueKind
    label: Hashable = None
    reference: Hashable = None
    link: Link = IDENTITY
    outputs: tuple[int, ...] = (0,)
    shrinkage: float = 1.0
    names: tuple[Hashable, ...] = ()
    inputs: tuple[LinearInput, ...] = ()
    number: int = 0
    member: int = 0

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

    def contribution(self, node: Node, row: Sequence[float] | None = None) -> tuple[float, ...]:
        """Return what the tree adds to the raw score of each of its outputs at a node.

        Parameters
        ----------
        node : Node
            The node.
        row : sequence of float, optional
            With linear leaves: an encoded row that ends there; the means of all features by
            default.

        Examples
        --------
        >>> node = Node(0, None, (), 0, (4.0, -2.0), 1.0, None, None)
        >>> tree = TreeView((node,), (), ValueKind.CLASSES, outputs=(0, 1), shrinkage=0.5)
        >>> tree.contribution(node)
        (2.0, -1.0)
        """
        if row is None or not self.inputs:
            return tuple(self.shrinkage * value for value in node.values)
        return tuple(
            self.shrinkage * (value + _ordered_sum(terms))
            for value, terms in zip(node.values, self.linear_terms(node, row), strict=True)
        )

    def linear_terms(self, node: Node, row: Sequence[float]) -> list[list[float]]:
        """Return for each output of a node weight times z of each of `inputs`, for a row."""
        z = [used.of(row) for used in self.inputs]
        return [[w * x for w, x in zip(weights, z, strict=True)] for weights in node.weights]

    def path(self, node: Node) -> Iterator[tuple[Node, Node]]:
        """Walk from the root to a node, in steps of a parent and its child.

        Parameters
        ----------
        node : Node
            The last node.

        Yields
        ------
        tuple of Node
            A split node, and its child on the path.
        """
        steps = []
        while node.parent is not None:
            parent = self.nodes[node.parent]
            steps.append((parent, node))
            node = parent
        yield from reversed(steps)

    def share(self, node: Node) -> float:
        """Return the share of all rows that reach a node; 1 for the root."""
        return node.cover / self.root.cover if self.root.cover > 0.0 else 1.0

    def leaf_counts(self) -> list[int]:
        """Count the leaves at and below each node."""
        counts = [int(node.is_leaf) for node in self.nodes]
        for node in reversed(self.nodes):
            if node.parent is not None:
                counts[node.parent] += counts[node.number]
        return counts

    def by_output(self) -> tuple["TreeView", ...]:
        """Split a tree with several values in each node into trees with one.

        Returns
        -------
        tuple of TreeView
            The tree itself if its nodes have one value. Otherwise one for each target or label;
            of classes for each but the first, with which they are compared.
        """
        if not self.names:
            return (self,)
        kind, link, reference = self.value_kind, self.link, None
        if self.value_kind is ValueKind.CLASSES:
            kind, link, reference = ValueKind.SCORE, IDENTITY, 0
            if len(self.names) == 2:
                kind, link = ValueKind.PROBABILITY, LOGISTIC
        elif self.value_kind is ValueKind.LABELS:
            kind = ValueKind.PROBABILITY
        elif self.value_kind is ValueKind.NUMBERS:
            kind = ValueKind.NUMBER
        first = 0 if reference is None else 1
        return tuple(
            self._of_output(k, kind, link, reference) for k in range(first, len(self.names))
        )

    def _of_output(self, k: int, kind: ValueKind, link: Link, reference: int | None) -> "TreeView":
        def value(node: Node) -> float:
            return node.values[k] - (0.0 if reference is None else node.values[reference])

        return replace(
            self,
            nodes=tuple(
                replace(node, values=(value(node),), weights=node.weights[k : k + 1])
                for node in self.nodes
            ),
            value_kind=kind,
            label=self.names[k],
            reference=None if reference is None else self.names[reference],
            link=link,
            outputs=(self.outputs[k],),
            names=(),
        )


def _ordered_sum(terms: Sequence[float]) -> float:
    """Add up one after the other, as the core does; ``sum`` would lose fewer digits."""
    total = 0.0
    for term in terms:
        total += term
    return total
