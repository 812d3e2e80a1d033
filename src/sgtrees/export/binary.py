"""Trees of binary tests, for runtimes whose splits have two branches."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from sys import float_info

from sgtrees.export.numbers import numbers_of
from sgtrees.inspection import Node, Split, TreeView

# Up to so many categories are tested one after the other, more by bisection.
_FEW = 4


class Test(Enum):
    """The kinds of tests of a feature's number."""

    # Otherwise pytest collects the class.
    __test__ = False

    AT_MOST = "<="
    EQUALS = "=="


@dataclass(frozen=True, slots=True)
class BinaryNode:
    """A node with two branches; a leaf if ``test`` is None.

    Attributes
    ----------
    values : tuple of float
        What the node adds to each output of the tree.
    cover : float
        Weight of the rows that have reached the node.
    test : Test or None
        The test; None for a leaf.
    feature : int
        The feature that is tested.
    number : float
        The number with which it is compared.
    yes, no : int
        The next nodes.
    missing : bool
        Whether rows in which the feature is missing go to ``yes``.
    gain : float
        The split's mean decrease in loss, at the first of the nodes that replace it.
    """

    values: tuple[float, ...]
    cover: float
    test: Test | None = None
    feature: int = 0
    number: float = 0.0
    yes: int = -1
    no: int = -1
    missing: bool = False
    gain: float = 0.0


def binary_tree(tree: TreeView) -> tuple[BinaryNode, ...]:
    """Turn a tree into one of binary tests that gives every row the same values.

    A split with a branch for each category becomes a chain of tests for equality, or, if there
    are many categories, a bisection that ends in such a test. Categories that the split has not
    seen end in leaves with the value of the split and without cover.

    Parameters
    ----------
    tree : TreeView
        The tree.

    Returns
    -------
    tuple of BinaryNode
        The root first, every child after its parent.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.inspection import view_trees
    >>> X, y = [["red"], ["blue"]] * 200, [10.0, 20.0] * 200
    >>> nodes = binary_tree(view_trees(SGTRegressor(warm_up=50, epochs=1).fit(X, y))[0])
    >>> [(node.test.value, node.number) for node in nodes if node.test]
    [('==', 0.0), ('==', 1.0)]
    """
    return _Builder(tree).build()


@dataclass(frozen=True, slots=True)
class _Choice:
    """A category's number, and the child for it."""

    number: float
    child: Node


@dataclass(frozen=True, slots=True)
class _Nominal:
    """A nominal split that becomes binary tests."""

    values: tuple[float, ...]
    split: Split
    missing_child: Node | None  # if there is a branch for missing values

    def test(
        self, kind: Test, number: float, cover: float, yes: int, no: int, *, missing: bool
    ) -> BinaryNode:
        feature = self.split.feature.number
        return BinaryNode(self.values, cover, kind, feature, number, yes, no, missing)

    def takes_missing(self, choice: _Choice) -> bool:
        return choice.child.number == self.split.default_child


class _Builder:
    """Makes nodes in the order of their numbers; those below a node wait until it is made."""

    def __init__(self, tree: TreeView) -> None:
        self._tree = tree
        self._numbers = [numbers_of(feature) for feature in tree.features]
        self._waiting: list[Callable[[], BinaryNode]] = []

    def build(self) -> tuple[BinaryNode, ...]:
        self._later(lambda: self._node(self._tree.root))
        made: list[BinaryNode] = []
        while len(made) < len(self._waiting):
            made.append(self._waiting[len(made)]())
        return tuple(made)

    def _later(self, make: Callable[[], BinaryNode]) -> int:
        self._waiting.append(make)
        return len(self._waiting) - 1

    def _node(self, node: Node) -> BinaryNode:
        if node.split is None:
            return BinaryNode(self._tree.contribution(node), node.cover)
        if node.split.threshold is None:
            return self._nominal(node, node.split)
        left, right = (self._tree.nodes[child] for child in node.children)
        return BinaryNode(
            self._tree.contribution(node),
            node.cover,
            Test.AT_MOST,
            node.split.feature.number,
            node.split.threshold,
            self._later(lambda: self._node(left)),
            self._later(lambda: self._node(right)),
            node.split.default_child == left.number,
            node.split.gain,
        )

    def _nominal(self, node: Node, split: Split) -> BinaryNode:
        choices: list[_Choice] = []
        missing_child = None
        for number in node.children:
            child = self._tree.nodes[number]
            assert child.branch is not None
            if child.branch.category is None:
                missing_child = child
            else:
                numbers = self._numbers[split.feature.number]
                choices.append(_Choice(numbers[child.branch.category], child))
        nominal = _Nominal(self._tree.contribution(node), split, missing_child)
        if len(choices) <= _FEW:
            choices.sort(key=lambda choice: -choice.child.cover)
            made = self._chain(nominal, choices)
        else:
            choices.sort(key=lambda choice: choice.number)
            made = self._bisection(nominal, choices)
        return replace(made, gain=split.gain)

    def _chain(self, nominal: _Nominal, choices: Sequence[_Choice]) -> BinaryNode:
        """Test one category after the other, then the rest."""
        if not choices:
            return self._rest(nominal)
        first, others = choices[0], choices[1:]
        return nominal.test(
            Test.EQUALS,
            first.number,
            _cover(choices, nominal.missing_child),
            self._later(lambda: self._node(first.child)),
            self._later(lambda: self._chain(nominal, others)),
            missing=nominal.takes_missing(first),
        )

    def _bisection(self, nominal: _Nominal, choices: Sequence[_Choice]) -> BinaryNode:
        """Halve the categories until one is left, which may still not be the row's.

        Missing values with a branch of their own take the branch of the lower half.
        """
        if len(choices) == 1:
            return self._chain(nominal, choices)
        middle = len(choices) // 2
        low, high = choices[:middle], choices[middle:]
        without_missing = replace(nominal, missing_child=None)
        return nominal.test(
            Test.AT_MOST,
            low[-1].number,
            _cover(choices, nominal.missing_child),
            self._later(lambda: self._bisection(nominal, low)),
            self._later(lambda: self._bisection(without_missing, high)),
            missing=not any(map(nominal.takes_missing, high)),
        )

    def _rest(self, nominal: _Nominal) -> BinaryNode:
        """Make the nodes for unseen categories, and for missing values if these have a branch."""
        unseen = BinaryNode(nominal.values, 0.0)
        missing_child = nominal.missing_child
        if missing_child is None:
            return unseen
        # True of every number, so that only missing values take the other branch.
        return nominal.test(
            Test.AT_MOST,
            float_info.max,
            missing_child.cover,
            self._later(lambda: unseen),
            self._later(lambda: self._node(missing_child)),
            missing=False,
        )


def _cover(choices: Sequence[_Choice], missing_child: Node | None) -> float:
    of_missing = 0.0 if missing_child is None else missing_child.cover
    return sum(choice.child.cover for choice in choices) + of_missing
