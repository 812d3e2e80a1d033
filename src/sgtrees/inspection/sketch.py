"""What of a tree is drawn: boxes for the most visited parts, so that a picture stays readable."""

import heapq
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np

from sgtrees.inspection.colours import Palette
from sgtrees.inspection.tree_text import leaves_below, share_in_words
from sgtrees.inspection.view import Node, Output, TreeView
from sgtrees.inspection.words import (
    EVERYTHING,
    Floats,
    condition,
    mean_predictions,
    rule_in_words,
    value_in_words,
)


@dataclass(eq=False)
class Box:
    """A box of a picture: a node, or several small branches together.

    Attributes
    ----------
    lines : list of str
        What is written in it: what leads here, the prediction, the share of rows.
    feature : str
        The feature that the first line begins with; empty for the root.
    details : str
        All that there is to say, for a tooltip.
    fill, ink : str
        The colours of the box and of its text.
    share : float
        The part of all rows that come here.
    is_leaf : bool
        Whether the box stands for a leaf of the tree.
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


def sketch(
    tree: TreeView,
    *,
    max_depth: int | None = None,
    max_boxes: int | None = None,
    max_branches: int | None = None,
    label: Hashable = None,
) -> Box:
    """Choose what of a tree is drawn, and write the boxes.

    Splits are drawn in the order of the rows that come to them, until there are enough boxes. The
    branches of a nominal split to which the fewest rows come share a box.

    Parameters
    ----------
    tree : TreeView
        The tree.
    max_depth : int, optional
        The depth of the deepest boxes.
    max_boxes : int, optional
        About how many boxes there may be.
    max_branches : int, optional
        How many boxes a split may have below it.
    label : str, bool, int or other name, optional
        The label whose probabilities are shown, or the target: the tree's own by default, or all
        where it has several.

    Returns
    -------
    Box
        The root's box.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.inspection import view_trees
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 200, [10.0, 10.0, 20.0, 20.0] * 200
    >>> (tree,) = view_trees(SGTRegressor(warm_up=50, epochs=1).fit(X, y), feature_names=["size"])
    >>> [box.lines[0] for box in sketch(tree).children]
    ['size <= 2.031 (or missing)', 'size > 2.031']
    """
    return _Sketcher(tree, max_branches, label).draw(max_depth, max_boxes)


class _Sketcher:
    def __init__(self, tree: TreeView, max_branches: int | None, label: Hashable) -> None:
        self._tree = tree
        self._max_branches = max_branches
        self._label = tree.label if label is None else label
        self._means = mean_predictions(tree, label)
        self._leaves = leaves_below(tree)
        self._palette = Palette.of(tree, self._means)

    def draw(self, max_depth: int | None, max_boxes: int | None) -> Box:
        root = self._box(self._tree.root)
        n_boxes = 1
        # The number keeps the order where shares are equal, and nodes from being compared.
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
                box.children.append(self._box_of_others(node, others))
            n_boxes += len(box.children)
            # What is drawn below a box need not be counted in it.
            box.lines = [line for line in box.lines if not line.startswith("+ ")]
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
        lines.append(_of_rows(share))
        below = self._leaves[node.number]
        if not node.is_leaf:
            lines.append(f"+ {below} leaves")
        rule = rule_in_words(self._tree, node)
        where = "all rows" if rule == EVERYTHING else rule
        kind = "a leaf" if node.is_leaf else f"a split with {below} leaves below it"
        details = (
            f"{where}\n{self._prediction(mean)}, {_of_rows(share)}\nnode {node.number}, {kind}"
        )
        fill, ink = self._palette.colours(mean)
        return Box(lines, self._asked(node), details, fill, ink, share, node.is_leaf)

    def _asked(self, node: Node) -> str:
        split = None if node.parent is None else self._tree.nodes[node.parent].split
        return "" if split is None else split.feature.name

    def _box_of_others(self, node: Node, others: Sequence[Node]) -> Box:
        assert node.split is not None
        cover = sum(child.cover for child in others)
        weighted = sum(
            (child.cover * self._means[child.number] for child in others),
            np.zeros(self._means.shape[1]),
        )
        mean = weighted / cover if cover > 0.0 else self._means[node.number]
        share = sum(self._tree.share(child) for child in others)
        feature = node.split.feature.name
        below = sum(self._leaves[child.number] for child in others)
        details = "\n".join(condition(self._tree, child) for child in others)
        lines = [f"{feature}: {len(others)} others", self._prediction(mean), _of_rows(share)]
        lines.append(f"+ {below} leaves")
        return Box(lines, feature, details, *self._palette.colours(mean), share, is_leaf=False)

    def _prediction(self, mean: Floats) -> str:
        value = value_in_words(self._tree, mean)
        output = self._tree.output
        if len(mean) > 1:
            return value
        if output in (Output.PROBABILITY, Output.CLASSES, Output.LABELS):
            return f"{self._label}: {value}"
        return f"score {value}" if output is Output.SCORE else f"predicts {value}"


def _of_rows(share: float) -> str:
    return f"{share_in_words(share)} of rows"
