"""The nodes of a tree at one moment: their tests, branches and values.

They are immutable, with names and categories in place of numbers.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sgtrees.data.columns import Kind, Value
from sgtrees.data.schema import FeatureName

# Values of a feature that are farther from its mean count in linear leaves as if they were so far.
MOST_DEVIATIONS = 3.0


@dataclass(frozen=True, slots=True)
class FeatureView:
    """A feature.

    Attributes
    ----------
    number : int
        Its column.
    name : str
        Its name; "x0", "x1", ... if it has none.
    categories : tuple or None
        The values of a nominal feature by category number; None for a numeric one.
    kind : Kind or None
        What the categories are: strings, numbers or booleans; None if there are none.
    key : hashable
        Its key in events: its name, or its column if it has none.
    is_closed : bool
        Whether it has as many categories as ``max_memory`` has room for, and all others count as
        missing values.

    Examples
    --------
    >>> FeatureView(1, "colour", ("red", "blue")).categories
    ('red', 'blue')
    """

    number: int
    name: str
    categories: tuple[Value, ...] | None = None
    kind: Kind | None = None
    key: FeatureName = None
    is_closed: bool = False


@dataclass(frozen=True, slots=True)
class Split:
    """The test of a node.

    Attributes
    ----------
    feature : FeatureView
        The feature that is tested.
    threshold : float or None
        Rows of a numeric feature go left if it is at most this; None for a nominal feature.
    default_child : int
        The node for rows in which the feature is missing.
    gain : float
        The mean decrease in loss of the split, over the rows on which it was decided.

    Examples
    --------
    >>> split = Split(FeatureView(0, "size"), threshold=2.5, default_child=1, gain=0.3)
    >>> split.feature.name, split.threshold
    ('size', 2.5)
    """

    feature: FeatureView
    threshold: float | None
    default_child: int
    gain: float


@dataclass(frozen=True, slots=True)
class LinearInput:
    """A feature as linear leaves use it: z = (x - mean) / deviation.

    Values beyond three deviations count as three, missing values as the mean.

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

    def of(self, row: Sequence[float]) -> float:
        """Return z for an encoded row.

        Examples
        --------
        >>> size = LinearInput(FeatureView(0, "size"), mean=10.0, deviation=2.0)
        >>> [size.of([x]) for x in (11.0, 100.0, math.nan)]
        [0.5, 3.0, 0.0]
        """
        z = (row[self.feature.number] - self.mean) / self.deviation
        return 0.0 if math.isnan(z) else min(max(z, -MOST_DEVIATIONS), MOST_DEVIATIONS)


@dataclass(frozen=True, slots=True)
class Branch:
    """The branch from a split node to one of its children.

    Attributes
    ----------
    is_left : bool or None
        Whether it is the left branch of a numeric split; None at a nominal one.
    category : str, bool, float or None
        The category of this branch at a nominal split; None for the branch of missing values.
    takes_missing : bool
        Whether rows in which the feature is missing go here.

    Examples
    --------
    >>> Branch(is_left=None, category="red", takes_missing=False).category
    'red'
    """

    is_left: bool | None
    category: Value | None
    takes_missing: bool


@dataclass(frozen=True, slots=True)
class Node:
    """A node; a leaf if ``split`` is None.

    Attributes
    ----------
    number : int
        Its place in `TreeView.nodes`.
    parent : int or None
        Its parent's number; None for the root.
    children : tuple of int
        Its children's numbers; left before right, categories in the order of their first rows.
    depth : int
        The number of steps from the root.
    values : tuple of float
        The value for each output of the tree, before shrinkage and link; a split node keeps the
        values it had as a leaf. With linear leaves: the values at the mean of all features.
    cover : float
        Weight of the rows that have reached the node, as far as it is known: a tree does not keep
        the rows that a leaf had before its last change.
    branch : Branch or None
        The branch that leads here; None for the root.
    split : Split or None
        The test; None for a leaf.
    weights : tuple of tuple of float
        With linear leaves: for each output a weight for each of `TreeView.inputs`. The weighted
        sum of the inputs is added to the value.

    Examples
    --------
    >>> node = Node(0, None, (), 0, (4.0,), 100.0, None, None)
    >>> node.is_leaf, node.value
    (True, 4.0)
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
        """The value if the tree has one output."""
        (value,) = self.values
        return value
