"""What linear leaves read of a row, and their weights, for a graph."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sgtrees.export.onnx.graph import GraphWriter
from sgtrees.inspection import TreeView
from sgtrees.inspection.node_view import MOST_DEVIATIONS, LinearInput


def add_linear_inputs(graph: GraphWriter, inputs: Sequence[LinearInput], block: str) -> str:
    """Add the standardised features of a block of rows: (rows, inputs)."""
    numbers = graph.constant([used.feature.number for used in inputs])
    values = graph.add("Gather", block, numbers, axis=1)
    from_mean = graph.add("Sub", values, graph.constant([[used.mean for used in inputs]]))
    z = graph.add("Div", from_mean, graph.constant([[used.deviation for used in inputs]]))
    known = graph.add("Where", graph.add("IsNaN", z), graph.constant(np.array(0.0)), z)
    least, most = (graph.constant(np.array(sign * MOST_DEVIATIONS)) for sign in (-1.0, 1.0))
    return graph.add("Clip", known, least, most)


def with_weights_as_values(tree: TreeView) -> TreeView:
    """Return a tree with constant leaves, in whose values the weights follow the values."""
    return replace(
        tree,
        nodes=tuple(
            replace(node, values=(*node.values, *(w for row in node.weights for w in row)))
            for node in tree.nodes
        ),
        inputs=(),
    )
