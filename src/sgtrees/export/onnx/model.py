"""The graph of a model; this module needs onnx."""

from importlib.metadata import version

from onnx import ModelProto, checker, helper

from sgtrees.export.onnx.graph import ML_DOMAIN, GraphWriter
from sgtrees.export.onnx.inputs import Inputs
from sgtrees.export.onnx.outputs import add_outputs
from sgtrees.export.onnx.trees import add_trees
from sgtrees.export.strings import check_strings
from sgtrees.export.view import prediction_sentence
from sgtrees.inspection import ModelView

# The first version with TreeEnsemble, a standard version of its time, and that of the file format.
_ML_OPSET, _OPSET, _IR_VERSION = 5, 18, 10


def make_model(view: ModelView, inputs: Inputs) -> ModelProto:
    """Write a model as a graph, and check it.

    Parameters
    ----------
    view : ModelView
        The model, which has trees.
    inputs : Inputs
        The form of the rows.

    Returns
    -------
    onnx.ModelProto
        The graph.
    """
    check_strings(view, "ONNX", names=True)
    graph = GraphWriter()
    block = inputs.add_to(graph, view)
    add_outputs(graph, view, add_trees(graph, view, block))
    model = helper.make_model(
        graph.finish(view.estimator),
        producer_name="sgtrees",
        producer_version=version("sgtrees"),
        doc_string=f"{view.estimator} of {view.n_leaves} leaves, after {view.n_rows} rows. "
        + prediction_sentence(view),
        opset_imports=[
            helper.make_opsetid("", _OPSET),
            helper.make_opsetid(ML_DOMAIN, _ML_OPSET),
        ],
        ir_version=_IR_VERSION,
    )
    checker.check_model(model)
    return model
