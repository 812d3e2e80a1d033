"""Predictions of each runtime, and those of the library."""

from __future__ import annotations

import ctypes
import json
import math
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from sgtrees import SGTMultiInstanceClassifier
from sgtrees.data.columns import is_missing
from sgtrees.export import as_numbers, c_header, to_c, to_onnx, to_python, to_treelite
from sgtrees.inspection import ModelView, TargetType, to_json, view_model
from sgtrees.inspection.rows import encoded_rows, explainer_of
from sgtrees.losses.links import LINKS

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Answers:
    """The predictions for some rows.

    ``raw``: (n, n_outputs), those of labels sorted. ``probabilities``: (n, n_classes), sorted.
    None where the runtime does not give them; ``digits`` is the tolerance of probabilities and
    predictions: the exponential functions of different runtimes differ in the last digit.
    """

    raw: Floats | None = None
    labels: list[Any] | None = None
    probabilities: Floats | None = None
    prediction: Floats | None = None
    digits: float = 1e-15


def as_given(model: Any, frame: pd.DataFrame) -> Any:
    """The rows in the form in which the model learned: with column names or without."""
    return frame if model.model_.schema.named else frame.to_numpy()


def of_the_library(model: Any, frame: pd.DataFrame) -> Answers:
    X = as_given(model, frame)
    if isinstance(model, SGTMultiInstanceClassifier):
        raw = np.concatenate(model.instance_scores(X, groups=np.arange(len(frame))))
        return Answers(raw[:, None], prediction=1.0 / (1.0 + np.exp(-raw)))
    view = view_model(model)
    rows = encoded_rows(model, X).tolist() if view.is_linear else None
    raw = raw_scores(view, ends(model, frame), rows)
    if view.target_type in (TargetType.CLASSES, TargetType.LABELS):
        return Answers(raw, model.predict(X).tolist(), model.predict_proba(X))
    return Answers(raw, prediction=model.predict(X))


def ends(model: Any, frame: pd.DataFrame) -> list[list[int]]:
    """The node at which each row ends in each tree that is in use."""
    nodes = explainer_of(model).route(encoded_rows(model, as_given(model, frame)))
    return nodes[:, [tree.number for tree in view_model(model).trees]].tolist()


def raw_scores(
    view: ModelView, ends: list[list[int]], rows: list[list[float]] | None = None
) -> Floats:
    """The sum over the trees, row by row in plain Python; those of labels sorted.

    ``rows`` are encoded; linear leaves need them.
    """
    raw = [
        view.raw(
            [tree.nodes[end] for tree, end in zip(view.trees, of_row, strict=True)],
            None if rows is None else rows[number],
        )
        for number, of_row in enumerate(ends)
    ]
    return np.array(raw)[:, in_order(view)]


def in_order(view: ModelView) -> list[int]:
    """The outputs, those of labels sorted."""
    if not view.is_softmax:
        return list(range(view.n_outputs))
    return [view.labels.index(label) for label in sorted(view.labels)]


# ---- ONNX ---------------------------------------------------------------------------------------


MISSING_WORD = "<missing>"


def onnx_inputs(session: Any, frame: pd.DataFrame) -> dict[str, Any]:
    feed = {}
    for tensor in session.get_inputs():
        dtype = {"tensor(float)": np.float32, "tensor(double)": np.float64}.get(tensor.type)
        if tensor.name == "X":
            feed["X"] = frame.to_numpy(dtype=dtype)
        elif dtype is None:
            words = [MISSING_WORD if is_missing(word) else word for word in frame[tensor.name]]
            feed[tensor.name] = np.array(words, dtype=object)[:, None]
        else:
            feed[tensor.name] = frame[tensor.name].astype(dtype).to_numpy()[:, None]
    return feed


def onnx_session(graph: Any) -> Any:
    runtime = pytest.importorskip("onnxruntime")
    options = runtime.SessionOptions()
    options.intra_op_num_threads = 1
    return runtime.InferenceSession(
        graph.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )


def of_onnx(model: Any, view: ModelView, frame: pd.DataFrame, folder: Path) -> Answers:
    session = onnx_session(to_onnx(view, missing_string=MISSING_WORD))
    names = [tensor.name for tensor in session.get_outputs()]
    outputs = dict(zip(names, session.run(None, onnx_inputs(session, frame)), strict=True))
    labels = outputs.get("label", outputs.get("labels"))
    return Answers(
        outputs["raw"].reshape(len(frame), -1),
        None if labels is None else labels.tolist(),
        outputs.get("probabilities"),
        outputs.get("prediction", outputs.get("probability")),
    )


# ---- treelite -----------------------------------------------------------------------------------


def of_treelite(model: Any, view: ModelView, frame: pd.DataFrame, folder: Path) -> Answers:
    treelite = pytest.importorskip("treelite")
    to_treelite(view).serialize(folder / "model.treelite")
    exported = treelite.Model.deserialize(folder / "model.treelite")
    numbers = as_numbers(model, as_given(model, frame))
    predicted, raw = (
        treelite.gtil.predict(exported, numbers, nthread=1, pred_margin=margin)
        for margin in (False, True)
    )
    if view.targets is not None:
        predicted, raw = predicted[:, :, 0], raw[:, :, 0]
        if view.link not in LINKS:
            return Answers(raw)
        if view.target_type is TargetType.LABELS:
            return Answers(raw, probabilities=predicted, digits=1e-14)
        return Answers(raw, prediction=predicted, digits=1e-14)
    predicted, raw = predicted[:, 0], raw[:, 0]
    is_own = not view.is_softmax and view.link not in LINKS
    if view.target_type is not TargetType.CLASSES:
        return Answers(raw, prediction=None if is_own else predicted[:, 0], digits=1e-14)
    if is_own:
        return Answers(raw if view.labels[1] == view.classes[1] else -raw)
    if raw.shape[1] == 1:
        # In favour of the greater label; the model's score is that of the label seen second.
        probabilities = np.column_stack([1.0 - predicted[:, 0], predicted[:, 0]])
        if view.is_softmax:
            # A difference of the two scores, of which the first label's is 0 in a committee.
            if any(view.start) or any(0 in tree.outputs for tree in view.trees):
                return Answers(probabilities=probabilities, digits=1e-14)
            sign = 1.0 if view.labels[1] == view.classes[1] else -1.0
            raw = np.column_stack([np.zeros(len(raw)), sign * raw[:, 0]])
            raw = raw if sign > 0 else raw[:, ::-1]
        elif view.labels[1] != view.classes[1]:
            raw = -raw
        return Answers(raw, probabilities=probabilities, digits=1e-14)
    places = [view.classes.index(label) for label in sorted(view.labels)]
    # treelite computes its softmax in float32, and beyond its range not at all.
    in_range = np.abs(raw[:, places]).max() < np.finfo(np.float32).max
    return Answers(raw[:, places], probabilities=predicted if in_range else None, digits=1e-6)


# ---- Python -------------------------------------------------------------------------------------


def of_python(model: Any, view: ModelView, frame: pd.DataFrame, folder: Path) -> Answers:
    module: dict[str, Any] = {}
    exec(compile(to_python(view), "exported", "exec"), module)
    named = model.model_.schema.named
    rows = frame.to_dict("records") if named else frame.to_numpy().tolist()
    raw = [module["raw"](row) for row in rows]
    if "TARGETS" in module:
        return _columns_of_python(module, rows, raw)
    if isinstance(raw[0], dict):
        raw = [[scores[label] for label in sorted(scores)] for scores in raw]
    labels = probabilities = prediction = None
    if "predict_proba" in module:
        by_label = [module["predict_proba"](row) for row in rows]
        probabilities = np.array([[p[label] for label in module["CLASSES"]] for p in by_label])
    if "predict" in module:
        labels = [module["predict"](row) for row in rows]
    if not isinstance(raw[0], list):
        raw = [[score] for score in raw]
        if "LABELS" not in module:
            prediction, labels = labels, None
    if isinstance(model, SGTMultiInstanceClassifier):
        prediction = probabilities[:, module["CLASSES"].index(module["LABELS"][1])]
        probabilities = None
    return Answers(
        np.array(raw),
        labels,
        probabilities,
        None if prediction is None else np.array(prediction),
    )


def _columns_of_python(module: dict[str, Any], rows: list[Any], raw: list[Any]) -> Answers:
    assert all(list(scores) == module["TARGETS"] for scores in raw)
    scores = np.array([list(of_row.values()) for of_row in raw])
    if "predict" not in module:
        return Answers(scores)
    predicted = [list(module["predict"](row).values()) for row in rows]
    if "predict_proba" not in module:
        return Answers(scores, prediction=np.array(predicted))
    probabilities = [list(module["predict_proba"](row).values()) for row in rows]
    return Answers(scores, predicted, np.array(probabilities))


# ---- C ------------------------------------------------------------------------------------------


def of_c(model: Any, view: ModelView, frame: pd.DataFrame, folder: Path) -> Answers:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler")
    (folder / "model.h").write_text(c_header(view), encoding="utf-8")
    (folder / "model.c").write_text('#include "model.h"\n' + to_c(view), encoding="utf-8")
    strict = ["-std=c89", "-pedantic-errors", "-Wall", "-Wextra", "-Werror", "-O1"]
    subprocess.run(
        [compiler, *strict, "-shared", "-fPIC", "model.c", "-o", "model.so", "-lm"],
        cwd=folder,
        check=True,
    )
    library = ctypes.CDLL(str(folder / "model.so"))
    X = c_rows(library, view, frame)
    doubles = ctypes.POINTER(ctypes.c_double)
    pointers = [row.ctypes.data_as(doubles) for row in X]
    raw = np.zeros((len(X), view.n_outputs))
    if view.is_softmax or view.targets is not None:
        for pointer, scores in zip(pointers, raw, strict=True):
            library.model_raw(pointer, scores.ctypes.data_as(doubles))
        if view.targets is not None:
            return _columns_of_c(library, view, pointers, raw)
        raw = raw[:, in_order(view)]
    else:
        library.model_raw.restype = ctypes.c_double
        raw[:, 0] = [library.model_raw(pointer) for pointer in pointers]
    if not view.is_softmax and view.link not in LINKS:
        return Answers(raw)
    if view.target_type is TargetType.CLASSES:
        probabilities = np.zeros((len(X), len(view.classes)))
        for pointer, of_row in zip(pointers, probabilities, strict=True):
            library.model_predict_proba(pointer, of_row.ctypes.data_as(doubles))
        names = (ctypes.c_char_p * len(view.classes)).in_dll(library, "model_classes")
        assert [name.decode() for name in names] == list(map(str, view.classes))
        labels = [view.classes[library.model_predict(pointer)] for pointer in pointers]
        return Answers(raw, labels, probabilities)
    function = (
        library.model_probability if view.target_type is TargetType.BAGS else library.model_predict
    )
    function.restype = ctypes.c_double
    return Answers(raw, prediction=np.array([function(pointer) for pointer in pointers]))


def _columns_of_c(library: Any, view: Any, pointers: list[Any], raw: Floats) -> Answers:
    if view.link not in LINKS:
        return Answers(raw)
    is_labels = view.target_type is TargetType.LABELS
    function = library.model_predict_proba if is_labels else library.model_predict
    predictions = np.zeros_like(raw)
    for pointer, of_row in zip(pointers, predictions, strict=True):
        function(pointer, of_row.ctypes.data_as(ctypes.POINTER(ctypes.c_double)))
    if not is_labels:
        return Answers(raw, prediction=predictions)
    names = (ctypes.c_char_p * len(view.classes)).in_dll(library, "model_classes")
    assert [name.decode() for name in names] == list(map(str, view.classes))
    indicators = np.zeros(raw.shape, dtype=np.int32)
    for pointer, of_row in zip(pointers, indicators, strict=True):
        library.model_predict(pointer, of_row.ctypes.data_as(ctypes.POINTER(ctypes.c_int)))
    return Answers(raw, indicators.tolist(), predictions)


def c_rows(library: Any, view: Any, frame: pd.DataFrame) -> Floats:
    """Rows as the C functions take them; strings are looked up in C."""
    columns = []
    for feature, name in zip(view.features, frame.columns, strict=True):
        values = frame[name].tolist()
        if any(isinstance(value, str) for value in values):
            look_up = library.model_category_number
            look_up.restype = ctypes.c_double
            known = {
                value: look_up(feature.number, value.encode())
                for value in {value for value in values if not is_missing(value)}
            }
            columns.append([math.nan if is_missing(value) else known[value] for value in values])
        else:
            columns.append([math.nan if is_missing(value) else float(value) for value in values])
    return np.ascontiguousarray(np.column_stack(columns))


# ---- JSON ---------------------------------------------------------------------------------------


def of_json(model: Any, view: ModelView, frame: pd.DataFrame, folder: Path) -> Answers:
    """Predict as docs/trees-json.md describes it, with nothing else."""
    document = json.loads(to_json(view))
    raw = np.tile(document["start"], (len(frame), 1))
    rows = [
        [None if is_missing(value) else value for value in row]
        for row in frame.astype(object).to_numpy().tolist()
    ]
    for tree in document["trees"]:
        values = np.array([_end(tree["nodes"], row) for row in rows])
        raw[:, tree["outputs"]] += tree["shrinkage"] * values
    if document["link"]["name"] == "softmax":
        labels = document["labels"]
        raw = raw[:, [labels.index(label) for label in sorted(labels)]]
    return Answers(raw)


def _end(nodes: list[Any], row: list[Any]) -> list[float]:
    node = nodes[0]
    while "split" in node:
        split = node["split"]
        value = row[split["feature"]]
        if value is None:
            node = nodes[split["missing"]]
        elif "threshold" in split:
            node = nodes[split["left" if value <= split["threshold"] else "right"]]
        else:
            known = [b["child"] for b in split["branches"] if b["category"] == value]
            if not known:
                break
            node = nodes[known[0]]
    return node["values"]


RUNTIMES: dict[str, Callable[[Any, ModelView, pd.DataFrame, Path], Answers]] = {
    "onnx": of_onnx,
    "treelite": of_treelite,
    "python": of_python,
    "c": of_c,
    "json": of_json,
}
