"""Whole trees as indented text, similar to scikit-learn's ``export_text``."""

from collections.abc import Iterator

from sgtrees.inspection.conditions import condition
from sgtrees.inspection.extraction import Estimator, as_trees
from sgtrees.inspection.model_view import ModelView
from sgtrees.inspection.node_view import Node
from sgtrees.inspection.predictions import (
    format_prediction,
    format_share,
    linear_text,
    mean_predictions,
    tree_title,
)
from sgtrees.inspection.tree_view import TreeView

# Deeper nodes are not indented further.
_DEEPEST_BARS = 100


def to_text(
    model: Estimator | ModelView | TreeView,
    *,
    max_depth: int | None = None,
    show_share: bool = True,
) -> str:
    """Write a model's trees as indented text.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier, ModelView or TreeView
        The model or tree.
    max_depth : int, optional
        Deeper subtrees are written as their number of leaves and their mean prediction.
    show_share : bool, default=True
        Whether to write the share of all rows that reach each leaf.

    Lines of nodes at a depth of more than 100 are not indented further, and begin with the depth.

    Returns
    -------
    str
        The text; a title above each tree if there are several.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X = [[size, colour] for size in (1.0, 2.0, 3.0, 4.0) for colour in ("red", "blue")] * 200
    >>> y = [(10.0 if size < 2.5 else 20.0) + (colour == "red") for size, colour in X]
    >>> model = SGTRegressor(warm_up=50, epochs=5, random_state=0).fit(X, y)
    >>> print(to_text(model, max_depth=1))
    |--- x0 <= 2.031 (or missing): 2 leaves, mean 10.5 (50 % of rows)
    |--- x0 > 2.031: 2 leaves, mean 20.5 (50 % of rows)
    """
    trees = as_trees(model)
    texts = ["\n".join(_lines(tree, max_depth, show_share)) for tree in trees]
    if len(trees) > 1:
        texts = [f"{tree_title(tree)}:\n{text}" for tree, text in zip(trees, texts, strict=True)]
    return "\n\n".join(texts) or "no tree yet"


def _lines(tree: TreeView, max_depth: int | None, show_share: bool) -> Iterator[str]:
    means = mean_predictions(tree)
    n_leaves = tree.leaf_counts()

    def written(node: Node) -> str:
        value = format_prediction(tree, means[node.number])
        if tree.inputs:
            value = linear_text(tree, node)
        if not node.is_leaf and tree.inputs:
            value = f"{n_leaves[node.number]} leaves"
        elif not node.is_leaf:
            value = f"{n_leaves[node.number]} leaves, mean {value}"
        share = f" ({format_share(tree.share(node))} of rows)" if show_share else ""
        return f"{value}{share}"

    if tree.root.is_leaf or max_depth == 0:
        yield f"|--- {written(tree.root)}"
        return
    waiting = list(reversed(tree.root.children))
    while waiting:
        node = tree.nodes[waiting.pop()]
        line = f"{_indentation(node.depth)}|--- {condition(tree, node)}"
        if node.is_leaf or (max_depth is not None and node.depth >= max_depth):
            yield f"{line}: {written(node)}"
        else:
            yield line
            waiting.extend(reversed(node.children))


def _indentation(depth: int) -> str:
    # A text of all bars of a very deep tree would be of the square of its depth.
    if depth <= _DEEPEST_BARS:
        return "|   " * (depth - 1)
    return "|   " * (_DEEPEST_BARS - 1) + f"({depth}) "
