"""Trees as a TreeEnsemble."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from onnx import TensorProto

from sgtrees.export.binary import BinaryNode, Test, binary_tree
from sgtrees.export.onnx_graph.writer import ML_DOMAIN, GraphWriter, tensor
from sgtrees.inspection import ModelView

# Values of nodes_modes, aggregate_function and post_transform.
_MODES = {Test.AT_MOST: 0, Test.EQUALS: 4}
_SUM, _NO_TRANSFORM = 1, 0


def add_trees(graph: GraphWriter, view: ModelView, block: str) -> str:
    """Add all trees; return the raw scores, those of labels in the order of ``classes_``."""
    order = sorted(range(view.n_scores), key=lambda score: _rank(view, score))
    trees = [(binary_tree(tree), tree.targets) for tree in view.trees]
    if len(trees) == 1 and view.n_scores == len(trees[0][1]) > 1:
        ((nodes, targets),) = trees
        return _add_vectors(graph, block, nodes, [targets.index(score) for score in order])
    ensemble = _Ensemble()
    for nodes, (target,) in trees:
        ensemble.add(nodes, order.index(target))
    return ensemble.add_to(graph, block, n_targets=view.n_scores)


def _rank(view: ModelView, score: int) -> int:
    return view.classes.index(view.labels[score]) if view.is_softmax else score


def _add_vectors(
    graph: GraphWriter, block: str, nodes: Sequence[BinaryNode], order: Sequence[int]
) -> str:
    """Add a tree with several outputs: it finds a leaf's number, and that the leaf's values.

    A leaf of the operator has one value only.
    """
    leaves = [node for node in nodes if node.test is None]
    numbers = iter(range(len(leaves)))
    numbered = [
        replace(node, values=(float(next(numbers)),)) if node.test is None else node
        for node in nodes
    ]
    ensemble = _Ensemble()
    ensemble.add(numbered, 0)
    number = graph.add("Cast", ensemble.add_to(graph, block, n_targets=1), to=TensorProto.INT64)
    number = graph.add("Squeeze", number, graph.constant([1]))
    values = [[leaf.values[output] for output in order] for leaf in leaves]
    return graph.add("Gather", graph.constant(values), number)


@dataclass
class _Ensemble:
    """The operator's attributes; each has an entry for a tree, an inner node or a leaf."""

    roots: list[int] = field(default_factory=list)
    features: list[int] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    modes: list[int] = field(default_factory=list)
    yes: list[int] = field(default_factory=list)
    no: list[int] = field(default_factory=list)
    yes_is_leaf: list[int] = field(default_factory=list)
    no_is_leaf: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    targets: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def add(self, nodes: Sequence[BinaryNode], target: int) -> None:
        """Add a tree."""
        if nodes[0].test is None:
            # A tree must ask something; here both answers lead to the same value.
            root = BinaryNode(nodes[0].values, nodes[0].cover, Test.AT_MOST, yes=1, no=2)
            nodes = [root, nodes[0], nodes[0]]
        self.roots.append(len(self.features))
        places = self._places(nodes)
        for node in nodes:
            if node.test is None:
                self.targets.append(target)
                self.values.append(node.values[0])
                continue
            self.features.append(node.feature)
            self.numbers.append(node.number)
            self.modes.append(_MODES[node.test])
            self.yes.append(places[node.yes])
            self.no.append(places[node.no])
            self.yes_is_leaf.append(int(nodes[node.yes].test is None))
            self.no_is_leaf.append(int(nodes[node.no].test is None))
            self.missing.append(int(node.missing))

    def _places(self, nodes: Sequence[BinaryNode]) -> list[int]:
        """Number inner nodes and leaves, each among their like."""
        inner, leaves = len(self.features), len(self.values)
        places = []
        for node in nodes:
            is_leaf = node.test is None
            places.append(leaves if is_leaf else inner)
            leaves, inner = leaves + is_leaf, inner + (not is_leaf)
        return places

    def add_to(self, graph: GraphWriter, block: str, n_targets: int) -> str:
        """Add the operator to a graph; return its scores."""
        return graph.add("TreeEnsemble", block, domain=ML_DOMAIN, **self._attributes(n_targets))

    def _attributes(self, n_targets: int) -> dict[str, Any]:
        return {
            "aggregate_function": _SUM,
            "post_transform": _NO_TRANSFORM,
            "n_targets": n_targets,
            "tree_roots": self.roots,
            "nodes_featureids": self.features,
            "nodes_splits": tensor("nodes_splits", TensorProto.DOUBLE, self.numbers),
            "nodes_modes": tensor("nodes_modes", TensorProto.UINT8, self.modes),
            "nodes_truenodeids": self.yes,
            "nodes_falsenodeids": self.no,
            "nodes_trueleafs": self.yes_is_leaf,
            "nodes_falseleafs": self.no_is_leaf,
            "nodes_missing_value_tracks_true": self.missing,
            "leaf_targetids": self.targets,
            "leaf_weights": tensor("leaf_weights", TensorProto.DOUBLE, self.values),
        }
