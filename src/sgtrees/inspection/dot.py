"""Trees in Graphviz's DOT language."""

from collections.abc import Iterator

from sgtrees.inspection.characters import shown
from sgtrees.inspection.colours import Palette
from sgtrees.inspection.conditions import condition
from sgtrees.inspection.extraction import Estimator, as_trees
from sgtrees.inspection.model_view import ModelView
from sgtrees.inspection.node_view import Node
from sgtrees.inspection.predictions import (
    format_prediction,
    format_share,
    mean_predictions,
    tree_title,
)
from sgtrees.inspection.tree_view import TreeView


def to_dot(model: Estimator | ModelView | TreeView, *, max_depth: int | None = None) -> str:
    """Write a model's trees in Graphviz's DOT language, for ``dot -Tsvg``.

    Parameters
    ----------
    model : SGTClassifier, SGTRegressor, SGTMultiInstanceClassifier, ModelView or TreeView
        The model or tree.
    max_depth : int, optional
        Deeper nodes are left out; the nodes above them have the number of leaves below.

    Returns
    -------
    str
        A graph with a cluster for each tree.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [[1.0], [2.0], [3.0], [4.0]] * 200, [10.0, 10.0, 20.0, 20.0] * 200
    >>> print(to_dot(SGTRegressor(warm_up=50, epochs=1).fit(X, y)))
    digraph sgtrees {
    ...
        "0.0" -> "0.1" [label="x0 <= 2.031 (or missing)", penwidth=...];
        "0.0" -> "0.2" [label="x0 > 2.031", penwidth=...];
    ...
    """
    lines = [
        "digraph sgtrees {",
        '    graph [fontname="Helvetica", ranksep=0.4];',
        '    node [fontname="Helvetica", shape=box, style="rounded,filled", color="#8a8a8a"];',
        '    edge [fontname="Helvetica", color="#8a8a8a", fontsize=11];',
    ]
    for number, tree in enumerate(as_trees(model)):
        lines += [
            f"    subgraph cluster_{number} {{",
            f"        label={_quoted(tree_title(tree))};",
        ]
        lines += ["        peripheries=0;"]
        lines += [f"    {line}" for line in _statements(tree, f"{number}.", max_depth)]
        lines.append("    }")
    return "\n".join([*lines, "}"]) + "\n"


def _statements(tree: TreeView, prefix: str, max_depth: int | None) -> Iterator[str]:
    means = mean_predictions(tree)
    palette = Palette.of(tree, means)
    n_leaves = tree.leaf_counts()
    for node in tree.nodes:
        if max_depth is not None and node.depth > max_depth:
            continue
        is_cut = node.depth == max_depth and not node.is_leaf
        value = format_prediction(tree, means[node.number])
        lines = [value, f"{format_share(tree.share(node))} of rows"]
        if is_cut:
            lines.append(f"{n_leaves[node.number]} leaves below")
        fill, ink = palette.colours(means[node.number])
        yield (
            f'    "{prefix}{node.number}" [label={_quoted(*lines)}, fillcolor="{fill}", '
            f'fontcolor="{ink}"];'
        )
        if node.parent is not None:
            yield _edge(tree, node, prefix)


def _edge(tree: TreeView, node: Node, prefix: str) -> str:
    width = 0.5 + 5.0 * tree.share(node)
    return (
        f'    "{prefix}{node.parent}" -> "{prefix}{node.number}" '
        f"[label={_quoted(condition(tree, node))}, penwidth={width:.2f}];"
    )


def _quoted(*lines: str) -> str:
    # Graphviz reads entities of HTML in labels.
    marks = str.maketrans({"\\": "\\\\", '"': '\\"', "&": "&amp;"})
    escaped = (shown(line).translate(marks) for line in lines)
    return '"' + "\\n".join(escaped) + '"'
