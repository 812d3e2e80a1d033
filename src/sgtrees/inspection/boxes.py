"""The boxes of a picture: those of the parts with the most rows, so that it can be read."""

import heapq
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sgtrees.inspection.characters import shown
from sgtrees.inspection.colours import Palette
from sgtrees.inspection.conditions import ALWAYS, condition, rule_text
from sgtrees.inspection.node_view import Node
from sgtrees.inspection.predictions import (
    PROBABILITIES,
    Floats,
    format_prediction,
    format_share,
    mean_predictions,
)
from sgtrees.inspection.tree_view import TreeView, ValueKind


@dataclass(eq=False)
class Box:
    """A box of a picture: a node, or several small branches together.

    Attributes
    ----------
    lines : list of str
        The text in it: the condition, the prediction, the share of rows.
    feature : str
        The feature of the condition; empty for the root.
    details : str
        The text of the tooltip.
    fill, ink : str
        The colours of the box and of its text.
    share : float
        The share of all rows that reach the node.
    is_leaf : bool
        Whether the node is a leaf of the tree.
    children : list of Box
        The boxes below it.
    """

    lines: list[str]
    feature: str
    details: str
    fill: str
    ink: str
    share: float
    is_leaf: bool
    children: list["Box"] = field(default_factory=list)


def choose_boxes(
    tree: TreeView,
    *,
    max_depth: int | None = None,
    max_boxes: int | None = None,
    max_branches: int | None = None,
    label: Hashable = None,
) -> Box:
    """Choose the nodes of a tree that are drawn, and make their boxes.

    Splits are drawn in the order of the rows that reach them, until there are enough boxes. The
    branches of a nominal split with the fewest rows share a box.

    Parameters
    ----------
    tree : TreeView
        The tree.
    max_depth : int, optional
        The depth of the deepest boxes.
    max_boxes : int, optional
        The approximate number of boxes.
    max_branches : int, optional
        The most boxes below a split.
    label : str, bool, int or other name, optional
        The label or target of interest: the tree's own by default, or all if it has several.

    Returns
    -------
    Box
        The root's box.
    """
    return _BoxMaker(tree, max_branches, label).make(max_depth, max_boxes)


class _BoxMaker:
    def __init__(self, tree: TreeView, max_branches: int | None, label: Hashable) -> None:
        self._tree = tree
        self._max_branches = max_branches
        self._label = tree.label if label is None else label
        self._means = mean_predictions(tree, label)
        self._leaves = tree.leaf_counts()
        self._palette = Palette.of(tree, self._means)

    def make(self, max_depth: int | None, max_boxes: int | None) -> Box:
        root = self._box(self._tree.root)
        n_boxes = 1
        # The number keeps the order if shares are equal, and nodes from being compared.
        waiting = [(-1.0, 0, self._tree.root, root)]
        while waiting:
            _, _, node, box = heapq.heappop(waiting)
            if node.is_leaf or (max_depth is not None and node.depth >= max_depth):
                continue
            shown, others = self._branches(node)
            if max_boxes is not None and n_boxes + len(shown) + bool(others) > max_boxes:
                continue
            for child in shown:
                of_child = self._box(child)
                box.children.append(of_child)
                heapq.heappush(waiting, (-of_child.share, child.number, child, of_child))
            if others:
                box.children.append(self._shared_box(node, others))
            n_boxes += len(box.children)
            # The number of leaves, the last line, is only for boxes with nothing drawn below them.
            box.lines.pop()
        return root

    def _branches(self, node: Node) -> tuple[Sequence[Node], Sequence[Node]]:
        """Return the children to show, and those that share a box."""
        children = [self._tree.nodes[child] for child in node.children]
        if node.split is not None and node.split.threshold is None:
            children.sort(key=lambda child: child.cover, reverse=True)
        most = self._max_branches
        if most is None or len(children) <= most:
            return children, ()
        return children[: most - 1], children[most - 1 :]

    def _box(self, node: Node) -> Box:
        mean, share = self._means[node.number], self._tree.share(node)
        lines = [condition(self._tree, node) or "all rows", self._prediction(mean)]
        lines.append(_rows(share))
        below = self._leaves[node.number]
        if not node.is_leaf:
            lines.append(f"+ {below} leaves")
        rule = rule_text(self._tree, node)
        where = "all rows" if rule == ALWAYS else rule
        kind = "a leaf" if node.is_leaf else f"a split with {below} leaves below it"
        details = f"{where}\n{self._prediction(mean)}, {_rows(share)}\nnode {node.number}, {kind}"
        fill, ink = self._palette.colours(mean)
        return Box(lines, self._split_feature(node), details, fill, ink, share, node.is_leaf)

    def _split_feature(self, node: Node) -> str:
        split = None if node.parent is None else self._tree.nodes[node.parent].split
        return "" if split is None else shown(split.feature.name)

    def _shared_box(self, node: Node, others: Sequence[Node]) -> Box:
        assert node.split is not None
        cover = sum(child.cover for child in others)
        weighted = sum(
            (child.cover * self._means[child.number] for child in others),
            np.zeros(self._means.shape[1]),
        )
        mean = weighted / cover if cover > 0.0 else self._means[node.number]
        share = sum(self._tree.share(child) for child in others)
        feature = shown(node.split.feature.name)
        below = sum(self._leaves[child.number] for child in others)
        details = "\n".join(condition(self._tree, child) for child in others)
        lines = [f"{feature}: {len(others)} others", self._prediction(mean), _rows(share)]
        lines.append(f"+ {below} leaves")
        return Box(lines, feature, details, *self._palette.colours(mean), share, is_leaf=False)

    def _prediction(self, mean: Floats) -> str:
        value = format_prediction(self._tree, mean)
        kind = self._tree.value_kind
        if len(mean) > 1:
            return value
        if kind in PROBABILITIES:
            return f"{shown(self._label)}: {value}"
        is_number = kind in (ValueKind.NUMBER, ValueKind.NUMBERS)
        return f"predicts {value}" if is_number else f"score {value}"


def _rows(share: float) -> str:
    return f"{format_share(share)} of rows"
