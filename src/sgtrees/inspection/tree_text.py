"""Whole trees as indented text, in scikit-learn's manner."""

from collections.abc import Iterator, Sequence

from sgtrees.inspection.reading import Estimator, as_view
from sgtrees.inspection.view import ModelView, Node, Output, TreeView
from sgtrees.inspection.words import condition, mean_predictions, value_in_words

_MOST_TERMS = 3


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
        What to write.
    max_depth : int, optional
        What lies deeper is told by the number of its leaves, and their mean prediction.
    show_share : bool, default=True
        Whether to tell what part of all rows comes to each leaf.

    Returns
    -------
    str
        The text; a title above each tree where there are several.

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
    if isinstance(model, TreeView):
        return "\n".join(_lines(model, max_depth, show_share))
    trees = as_view(model).trees
    if not trees:
        return "no tree yet"
    if len(trees) == 1:
        return "\n".join(_lines(trees[0], max_depth, show_share))
    return "\n\n".join(
        "\n".join([f"{title(tree)}:", *_lines(tree, max_depth, show_share)]) for tree in trees
    )


def title(tree: TreeView) -> str:
    """Tell what a tree's predictions are.

    Examples
    --------
    >>> title(TreeView((), (), Output.SCORE, "b", "a"))
    'log odds of b against a'
    """
    if tree.output is Output.SCORE:
        return f"log odds of {tree.label} against {tree.reference}"
    if tree.output is Output.PROBABILITY:
        return f"probability of {tree.label}"
    if tree.output is Output.NUMBERS:
        return f"predictions of {', '.join(map(str, tree.names))}"
    if tree.output is Output.LABELS:
        return "probabilities of all labels"
    if tree.output is Output.CLASSES:
        return "the most probable label"
    return "prediction" if tree.label is None else f"prediction of {tree.label}"


def _lines(tree: TreeView, max_depth: int | None, show_share: bool) -> Iterator[str]:
    means = mean_predictions(tree)
    n_leaves = leaves_below(tree)

    def told(node: Node) -> str:
        value = value_in_words(tree, means[node.number])
        if tree.inputs:
            value = term_in_words(tree, node)
        if not node.is_leaf and tree.inputs:
            value = f"{n_leaves[node.number]} leaves"
        elif not node.is_leaf:
            value = f"{n_leaves[node.number]} leaves, mean {value}"
        share = f" ({share_in_words(tree.share(node))} of rows)" if show_share else ""
        return f"{value}{share}"

    if tree.root.is_leaf or max_depth == 0:
        yield f"|--- {told(tree.root)}"
        return
    waiting = list(reversed(tree.root.children))
    while waiting:
        node = tree.nodes[waiting.pop()]
        line = "|   " * (node.depth - 1) + "|--- " + condition(tree, node)
        if node.is_leaf or (max_depth is not None and node.depth >= max_depth):
            yield f"{line}: {told(node)}"
        else:
            yield line
            waiting.extend(reversed(node.children))


def term_in_words(tree: TreeView, node: Node) -> str:
    """Write the linear function of a leaf: its raw score, the greatest weights first.

    Parameters
    ----------
    tree : TreeView
        The tree, which has linear leaves.
    node : Node
        The leaf.

    Returns
    -------
    str
        Like "score 10.5 +2.1 z(size) -0.3 z(age)": z counts a feature's standard deviations from
        its mean. At most three features are told.
    """
    told = []
    for value, weights in zip(node.values, node.weights, strict=True):
        order = sorted(range(len(weights)), key=lambda j: -abs(weights[j]))
        terms = [f"{weights[j]:+.3g} z({tree.inputs[j].feature.name})" for j in order]
        more = ["..."] if len(terms) > _MOST_TERMS else []
        told.append(" ".join([f"{value:.4g}", *terms[:_MOST_TERMS], *more]))
    return "score " + " / ".join(told)


def leaves_below(tree: TreeView) -> Sequence[int]:
    """Count the leaves at and below each node."""
    counts = [int(node.is_leaf) for node in tree.nodes]
    for node in reversed(tree.nodes):
        if node.parent is not None:
            counts[node.parent] += counts[node.number]
    return counts


def share_in_words(share: float) -> str:
    """Write a share of rows.

    Examples
    --------
    >>> [share_in_words(share) for share in (1.0, 0.123, 0.0123, 0.00001)]
    ['100 %', '12 %', '1.2 %', '< 0.1 %']
    """
    percent = 100.0 * share
    if percent < 0.1:
        return "< 0.1 %"
    return f"{percent:.1f} %" if percent < 9.95 else f"{percent:.0f} %"
