"""A tree that no data would grow, but a model file may hold."""

import pytest

from sgtrees.inspection import FeatureView, Node, TreeView
from sgtrees.inspection.node_view import Branch, Split
from sgtrees.inspection.tree_view import ValueKind

DEPTH = 100_000


@pytest.fixture(scope="session")
def very_deep_tree():
    """Every right child of a split is a split again."""
    size = FeatureView(0, "size")
    nodes = []
    for depth in range(DEPTH):
        branch = Branch(is_left=False, category=None, takes_missing=False) if depth else None
        number, parent = 2 * depth, 2 * depth - 2 if depth else None
        split = Split(size, float(depth), number + 1, 1.0)
        children = (number + 2, number + 1)
        nodes.append(
            Node(number, parent, children, depth, (0.0,), float(DEPTH - depth), branch, split)
        )
        left = Branch(is_left=True, category=None, takes_missing=True)
        nodes.append(Node(number + 1, number, (), depth + 1, (1.0,), 1.0, left, None))
    last = Branch(is_left=False, category=None, takes_missing=False)
    nodes.append(Node(2 * DEPTH, 2 * DEPTH - 2, (), DEPTH, (2.0,), 1.0, last, None))
    return TreeView(tuple(nodes), (size,), ValueKind.NUMBER)
