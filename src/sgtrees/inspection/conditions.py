"""Splits and rules as text."""

import math
from collections.abc import Sequence

from sgtrees.data.columns import Value
from sgtrees.inspection.characters import shown
from sgtrees.inspection.node_view import Node, Split
from sgtrees.inspection.tree_view import TreeView

# The rule of a root, which all rows reach.
ALWAYS = "always"


def rule_text(tree: TreeView, node: Node) -> str:
    """Write which rows reach a node, with one condition for each feature on the path.

    Parameters
    ----------
    tree, node : TreeView, Node
        The tree, and a node of it.

    Returns
    -------
    str
        Like "16 < hour <= 20 and carrier is Ember"; "always" for the root.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.inspection import view_trees
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 200, [10.0, 10.0, 20.0, 20.0] * 200
    >>> (tree,) = view_trees(SGTRegressor(warm_up=50, epochs=1).fit(X, y), feature_names=["size"])
    >>> left, right = tree.root.children
    >>> rule_text(tree, tree.root), rule_text(tree, tree.nodes[right])
    ('always', 'size > 2.031')
    """
    steps: dict[str, list[tuple[Split, Node]]] = {}
    for parent, child in tree.path(node):
        assert parent.split is not None
        steps.setdefault(parent.split.feature.name, []).append((parent.split, child))
    return " and ".join(path_condition(*of_feature) for of_feature in steps.items()) or ALWAYS


def condition(tree: TreeView, node: Node) -> str:
    """Write the condition of the branch that leads to a node; nothing for the root."""
    if node.parent is None:
        return ""
    split = tree.nodes[node.parent].split
    assert split is not None
    return path_condition(split.feature.name, [(split, node)])


def path_condition(
    name: str, steps: Sequence[tuple[Split, Node]], *, with_missing: bool = True
) -> str:
    """Write the condition on one feature that the steps of a path make together.

    Parameters
    ----------
    name : str
        The feature's name.
    steps : sequence of (Split, Node)
        The splits of that feature on the path, each with the child that the path takes.
    with_missing : bool, default=True
        Whether to write that missing values take the path too.

    Returns
    -------
    str
        Like "16 < hour <= 20", "size <= 2 (or missing)" or "carrier is Ember".
    """
    name = shown(name)
    low, high, missing = -math.inf, math.inf, True
    for split, child in steps:
        branch = child.branch
        assert branch is not None
        missing = missing and branch.takes_missing
        if split.threshold is None:
            return f"{name} is {branch_name(child)}"
        if branch.is_left:
            high = min(high, split.threshold)
        else:
            low = max(low, split.threshold)
    return _interval(name, low, high) + (" (or missing)" if missing and with_missing else "")


def _interval(name: str, low: float, high: float) -> str:
    if high == math.inf:
        return f"{name} > {format_number(low)}"
    if low == -math.inf:
        return f"{name} <= {format_number(high)}"
    return f"{format_number(low)} < {name} <= {format_number(high)}"


def split_test(tree: TreeView, split: Split) -> str:
    """Write the test of a split, like "size > 2 (missing: no)" or "which colour"."""
    name = shown(split.feature.name)
    if split.threshold is None:
        return f"which {name}"
    missing = branch_name(tree.nodes[split.default_child])
    return f"{name} > {format_number(split.threshold)} (missing: {missing})"


def branch_name(child: Node) -> str:
    """Return the result of the test that leads to a node: "no", "yes", a category or "missing"."""
    branch = child.branch
    assert branch is not None
    if branch.is_left is None:
        return "missing" if branch.category is None else _category(branch.category)
    return "no" if branch.is_left else "yes"


def _category(value: Value) -> str:
    return format_number(value) if type(value) is float else shown(value)


def format_number(value: float) -> str:
    """Write a number with four significant digits, or as an integer if it is a long one.

    Examples
    --------
    >>> [format_number(value) for value in (512.34567, 0.5, 123456.7, 1.25e-7)]
    ['512.3', '0.5', '123457', '1.25e-07']
    """
    return f"{value:.0f}" if 1e4 <= abs(value) < 1e15 else f"{value:.4g}"
