"""The outputs of a graph, computed from raw scores."""

import numpy as np
from onnx import TensorProto

from sgtrees.export.onnx.graph import GraphWriter
from sgtrees.inspection import ModelView, TargetType
from sgtrees.losses.links import EXP, HIGHEST_LOG_MEAN, IDENTITY, LOGISTIC, TWICE_LOGISTIC, Link

# The names of all outputs that a graph may have.
OUTPUTS = ("label", "labels", "prediction", "probabilities", "probability", "raw")
_LABELS = {str: TensorProto.STRING, bool: TensorProto.BOOL, int: TensorProto.INT64}


def add_outputs(graph: GraphWriter, view: ModelView, raw: str) -> None:
    """Add the link and all outputs; see `to_onnx`."""
    if view.is_softmax:
        _add_label(graph, view, raw)
        _add_probabilities(graph, view, graph.add("Softmax", raw, axis=1))
        graph.add("Identity", raw, output="raw")
        graph.output("raw", TensorProto.DOUBLE, view.n_outputs)
        return
    prediction = _add_link(graph, view.link, raw)
    if view.targets is not None:
        _add_targets(graph, view, raw, prediction)
        return
    if prediction is not None and view.target_type is TargetType.CLASSES:
        pair = [graph.add("Sub", graph.constant([[1.0]]), prediction), prediction]
        order = sorted(range(2), key=lambda number: view.labels[number])
        probabilities = graph.add("Concat", *(pair[number] for number in order), axis=1)
        _add_label(graph, view, probabilities)
        _add_probabilities(graph, view, probabilities)
    elif prediction is not None:
        _add_column(
            graph,
            "probability" if view.target_type is TargetType.BAGS else "prediction",
            prediction,
        )
    _add_column(graph, "raw", raw)


def _add_targets(graph: GraphWriter, view: ModelView, raw: str, prediction: str | None) -> None:
    """Add the outputs if y has columns: a prediction for each."""
    columns = {"raw": raw}
    if prediction is not None and view.target_type is TargetType.LABELS:
        columns["probabilities"] = prediction
        is_likely = graph.add("Greater", prediction, graph.constant([[0.5]]))
        graph.add("Cast", is_likely, output="labels", to=TensorProto.INT64)
        graph.output("labels", TensorProto.INT64, view.n_outputs)
    elif prediction is not None:
        columns["prediction"] = prediction
    for name, column in sorted(columns.items()):
        graph.add("Identity", column, output=name)
        graph.output(name, TensorProto.DOUBLE, view.n_outputs)


def _add_column(graph: GraphWriter, name: str, column: str) -> None:
    graph.add("Squeeze", column, graph.constant([1]), output=name)
    graph.output(name, TensorProto.DOUBLE)


def _add_link(graph: GraphWriter, link: Link, raw: str) -> str | None:
    """Add the link; None for a function of the user's own."""
    if link == IDENTITY:
        return raw
    if link == EXP:
        return graph.add("Exp", graph.add("Min", raw, graph.constant([[HIGHEST_LOG_MEAN]])))
    if link == TWICE_LOGISTIC:
        return _add_logistic(graph, graph.add("Mul", raw, graph.constant([[2.0]])))
    return _add_logistic(graph, raw) if link == LOGISTIC else None


def _add_logistic(graph: GraphWriter, raw: str) -> str:
    """As the estimator computes it: the argument of exp is never positive."""
    small = graph.add("Exp", graph.add("Neg", graph.add("Abs", raw)))
    one = graph.constant([[1.0]])
    is_positive = graph.add("GreaterOrEqual", raw, graph.constant([[0.0]]))
    above = graph.add("Where", is_positive, one, small)
    return graph.add("Div", above, graph.add("Add", one, small))


def _add_label(graph: GraphWriter, view: ModelView, scores: str) -> None:
    """Add the label of the highest score; of equal ones the first, as in the estimator."""
    seen = sorted(view.labels)
    labels = np.array(seen, dtype=object if type(seen[0]) is str else None)
    best = graph.add("ArgMax", scores, axis=1, keepdims=0)
    graph.add("Gather", graph.constant(labels), best, output="label")
    graph.output("label", _LABELS[type(seen[0])])


def _add_probabilities(graph: GraphWriter, view: ModelView, probabilities: str) -> None:
    """Add the probabilities, with zeros for labels that were declared and have not been seen."""
    if len(view.labels) < len(view.classes):
        seen = sorted(view.labels)
        first = graph.add("Slice", probabilities, *map(graph.constant, ([0], [1], [1])))
        zero = graph.add("Sub", first, first)
        padded = graph.add("Concat", probabilities, zero, axis=1)
        columns = [
            seen.index(label) if label in view.labels else len(seen) for label in view.classes
        ]
        graph.add("Gather", padded, graph.constant(columns), output="probabilities", axis=1)
    else:
        graph.add("Identity", probabilities, output="probabilities")
    graph.output("probabilities", TensorProto.DOUBLE, len(view.classes))
