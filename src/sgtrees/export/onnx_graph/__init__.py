"""The graph that `to_onnx` makes; imports onnx."""

from importlib.metadata import version

from onnx import ModelProto, checker, helper

from sgtrees.export.links import says_link
from sgtrees.export.onnx_graph.inputs import Inputs
from sgtrees.export.onnx_graph.outputs import add_outputs
from sgtrees.export.onnx_graph.trees import add_trees
from sgtrees.export.onnx_graph.writer import ML_DOMAIN, GraphWriter
from sgtrees.inspection import ModelView

__all__ = ["Inputs", "make_model"]

# The first version with TreeEnsemble, a standard version of its time, and that of the file format.
_ML_OPSET, _OPSET, _IR_VERSION = 5, 18, 10


def make_model(view: ModelView, inputs: Inputs) -> ModelProto:
    """Write a model as a graph, and check it.

    Parameters
    ----------
    view : ModelView
        The model, which has trees.
    inputs : Inputs
        How rows are given.

    Returns
    -------
    onnx.ModelProto
        The graph.
    """
    graph = GraphWriter()
    block = inputs.add_to(graph, view)
    add_outputs(graph, view, add_trees(graph, view, block))
    model = helper.make_model(
        graph.finish(view.estimator),
        producer_name="sgtrees",
        producer_version=version("sgtrees"),
        doc_string=f"{view.estimator} of {view.n_leaves} leaves, after {view.n_rows} rows. "
        + says_link(view),
        opset_imports=[
            helper.make_opsetid("", _OPSET),
            helper.make_opsetid(ML_DOMAIN, _ML_OPSET),
        ],
        ir_version=_IR_VERSION,
    )
    checker.check_model(model)
    return model
