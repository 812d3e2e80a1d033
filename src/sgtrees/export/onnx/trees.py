"""Trees as TreeEnsemble operators."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from onnx import TensorProto

from sgtrees.export.binary import BinaryNode, Test, binary_tree
from sgtrees.export.onnx.graph import ML_DOMAIN, GraphWriter, tensor
from sgtrees.export.onnx.linear import add_linear_inputs, with_weights_as_values
from sgtrees.inspection import ModelView, TreeView

# Values of nodes_modes, aggregate_function and post_transform.
_MODES = {Test.AT_MOST: 0, Test.EQUALS: 4}
_SUM, _NO_TRANSFORM = 1, 0


def add_trees(graph: GraphWriter, view: ModelView, block: str) -> str:
    """Add all trees; return the raw scores, those of labels in the order of ``classes_``."""
    order = sorted(range(view.n_outputs), key=lambda output: _rank(view, output))
    columns = {output: column for column, output in enumerate(order)}
    ensemble = _Ensemble(len(order))
    vectors = []
    inputs = add_linear_inputs(graph, view.trees[0].inputs, block) if view.is_linear else ""
    for tree in view.trees:
        of_tree = [columns[output] for output in tree.outputs]
        if tree.inputs:
            vectors.append(_add_linear(graph, block, inputs, tree, of_tree, len(order)))
            continue
        nodes = binary_tree(tree)
        if len(of_tree) == 1:
            ensemble.add(nodes, *of_tree)
        else:
            vectors.append(_add_vectors(graph, block, nodes, of_tree, len(order)))
    terms = [ensemble.add_to(graph, block)] if ensemble.roots else []
    terms += vectors
    if any(view.start):
        terms.append(graph.constant([[view.start[output] for output in order]]))
    raw, *others = terms
    for term in others:
        raw = graph.add("Add", raw, term)
    return raw


def _rank(view: ModelView, output: int) -> int:
    return view.classes.index(view.labels[output]) if view.is_softmax else output


def _add_vectors(
    graph: GraphWriter,
    block: str,
    nodes: Sequence[BinaryNode],
    columns: Sequence[int],
    n_columns: int,
) -> str:
    """Add a tree with several outputs, which finds a leaf's number, and a table of leaf values.

    A leaf of the operator has only one value.
    """
    leaves = [node for node in nodes if node.test is None]
    table = [[0.0] * n_columns for _ in leaves]
    for row, leaf in zip(table, leaves, strict=True):
        for column, value in zip(columns, leaf.values, strict=True):
            row[column] = value
    return graph.add("Gather", graph.constant(table), _add_leaf_number(graph, block, nodes))


def _add_leaf_number(graph: GraphWriter, block: str, nodes: Sequence[BinaryNode]) -> str:
    """Add a tree that gives the number of a row's leaf, of the leaves in the order of nodes."""
    numbers = iter(range(len(nodes)))
    numbered = [
        replace(node, values=(float(next(numbers)),)) if node.test is None else node
        for node in nodes
    ]
    ensemble = _Ensemble(1)
    ensemble.add(numbered, 0)
    number = graph.add("Cast", ensemble.add_to(graph, block), to=TensorProto.INT64)
    return graph.add("Squeeze", number, graph.constant([1]))


def _add_linear(
    graph: GraphWriter,
    block: str,
    inputs: str,
    tree: TreeView,
    columns: Sequence[int],
    n_columns: int,
) -> str:
    """Add a tree with linear leaves: a row's leaf gives a value and weights for each output."""
    nodes = binary_tree(with_weights_as_values(tree))
    n_values = len(columns)
    table = np.array([node.values for node in nodes if node.test is None])
    number = _add_leaf_number(graph, block, nodes)
    values = graph.add("Gather", graph.constant(table[:, :n_values]), number)
    weights = graph.add(
        "Gather", graph.constant(table[:, n_values:].reshape(len(table), n_values, -1)), number
    )
    terms = graph.add("Mul", weights, graph.add("Unsqueeze", inputs, graph.constant([1])))
    linear = graph.add("ReduceSum", terms, graph.constant([2]), keepdims=0)
    scores = graph.add("Add", values, linear)
    to_columns = np.zeros((n_values, n_columns))
    to_columns[range(n_values), columns] = 1.0
    return graph.add("MatMul", scores, graph.constant(to_columns))


class _Split(NamedTuple):
    """The entries of an inner node in the operator's attributes."""

    feature: int
    number: float
    mode: int
    yes: int
    no: int
    yes_is_leaf: int
    no_is_leaf: int
    missing: int


class _Ensemble:
    """Trees with one output each, for one operator."""

    def __init__(self, n_columns: int) -> None:
        self._n_columns = n_columns
        self.roots: list[int] = []
        self._splits: list[_Split] = []
        self._leaves: list[tuple[int, float]] = []

    def add(self, nodes: Sequence[BinaryNode], column: int) -> None:
        """Add a tree whose values are added to a column of the raw scores."""
        if nodes[0].test is None:
            # The operator needs a test; here both results lead to the same value.
            root = BinaryNode(nodes[0].values, nodes[0].cover, Test.AT_MOST, yes=1, no=2)
            nodes = [root, nodes[0], nodes[0]]
        self.roots.append(len(self._splits))
        places = self._places(nodes)
        for node in nodes:
            if node.test is None:
                self._leaves.append((column, node.values[0]))
                continue
            self._splits.append(
                _Split(
                    node.feature,
                    node.number,
                    _MODES[node.test],
                    places[node.yes],
                    places[node.no],
                    int(nodes[node.yes].test is None),
                    int(nodes[node.no].test is None),
                    int(node.missing),
                )
            )

    def _places(self, nodes: Sequence[BinaryNode]) -> list[int]:
        """Number splits and leaves separately, as the operator does."""
        splits, leaves = len(self._splits), len(self._leaves)
        places = []
        for node in nodes:
            is_leaf = node.test is None
            places.append(leaves if is_leaf else splits)
            leaves, splits = leaves + is_leaf, splits + (not is_leaf)
        return places

    def add_to(self, graph: GraphWriter, block: str) -> str:
        """Add the operator to a graph; return its raw scores."""
        return graph.add("TreeEnsemble", block, domain=ML_DOMAIN, **self._attributes())

    def _attributes(self) -> dict[str, Any]:
        of_splits = dict(zip(_Split._fields, zip(*self._splits, strict=True), strict=True))
        of_leaves, values = zip(*self._leaves, strict=True)
        return {
            "aggregate_function": _SUM,
            "post_transform": _NO_TRANSFORM,
            "n_targets": self._n_columns,
            "tree_roots": self.roots,
            "nodes_featureids": of_splits["feature"],
            "nodes_splits": tensor("nodes_splits", TensorProto.DOUBLE, of_splits["number"]),
            "nodes_modes": tensor("nodes_modes", TensorProto.UINT8, of_splits["mode"]),
            "nodes_truenodeids": of_splits["yes"],
            "nodes_falsenodeids": of_splits["no"],
            "nodes_trueleafs": of_splits["yes_is_leaf"],
            "nodes_falseleafs": of_splits["no_is_leaf"],
            "nodes_missing_value_tracks_true": of_splits["missing"],
            "leaf_targetids": of_leaves,
            "leaf_weights": tensor("leaf_weights", TensorProto.DOUBLE, values),
        }
