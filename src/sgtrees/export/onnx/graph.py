"""An ONNX graph that is written node by node."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

ML_DOMAIN = "ai.onnx.ml"
# Of the names of nodes and constants.
PREFIX = "sgtrees/"


class GraphWriter:
    """A graph that is being written.

    Examples
    --------
    >>> graph = GraphWriter()
    >>> x = graph.input("x", TensorProto.DOUBLE, 1)
    >>> graph.add("Exp", x, output="y")
    'y'
    >>> graph.output("y", TensorProto.DOUBLE, 1)
    >>> [node.op_type for node in graph.finish("example").node]
    ['Exp']
    """

    def __init__(self) -> None:
        self._nodes: list[NodeProto] = []
        self._inputs: list[ValueInfoProto] = []
        self._outputs: list[ValueInfoProto] = []
        self._constants: list[TensorProto] = []

    def add(
        self,
        operator: str,
        *inputs: str,
        output: str | None = None,
        domain: str = "",
        **attributes: Any,
    ) -> str:
        """Add a node with one output; return the output's name."""
        name = self._name(operator) if output is None else output
        self._nodes.append(helper.make_node(operator, inputs, [name], domain=domain, **attributes))
        return name

    def constant(self, values: NDArray[Any] | Sequence[Any]) -> str:
        """Add a constant; return its name."""
        name = self._name("Constant")
        self._constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def input(self, name: str, kind: int, width: int) -> str:
        """Add an input of so many columns; return its name."""
        self._inputs.append(helper.make_tensor_value_info(name, kind, ["rows", width]))
        return name

    def output(self, name: str, kind: int, *shape: int) -> None:
        """Make the output of a node one of the graph; ``shape`` is that of a row."""
        self._outputs.append(helper.make_tensor_value_info(name, kind, ["rows", *shape]))

    def finish(self, name: str) -> GraphProto:
        """Return the graph."""
        return helper.make_graph(self._nodes, name, self._inputs, self._outputs, self._constants)

    def _name(self, what: str) -> str:
        # Inputs have the names of features; the prefix keeps these apart from them.
        return f"{PREFIX}{what}/{len(self._nodes) + len(self._constants)}"


def tensor(name: str, kind: int, values: Sequence[Any]) -> TensorProto:
    """Return a tensor of one dimension."""
    return helper.make_tensor(name, kind, [len(values)], values)
