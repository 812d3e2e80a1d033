"""Laws of exports: whatever a model has learned, it predicts the same elsewhere."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from sgtrees import SGTClassifier
from tests.conformance.exports.comparison import assert_equal
from tests.conformance.exports.rows import edge_rows
from tests.property.models import learned
from tests.property.strategies import Stream, quick, streams, thorough


def as_frame(stream: Stream) -> pd.DataFrame:
    block = stream.block()
    frame = block if isinstance(block, pd.DataFrame) else pd.DataFrame(block)
    return frame.set_axis([f"f{i}" for i in range(frame.shape[1])], axis=1)


def check(stream: Stream, runtimes: list[str]) -> None:
    model = learned(stream)
    if not model.__sklearn_is_fitted__():
        return
    model._model.core.end_warm_up()
    if isinstance(model, SGTClassifier) and len(model.classes_) < 2:
        return
    # Without lambda scores run away, and treelite has 32 bits for its softmax.
    core = model._model.core
    if max(np.abs(core.tree(k)["value"]).max() for k in range(core.n_trees)) > 1e4:
        return
    frame = as_frame(stream)
    rows = pd.concat([frame[:200], edge_rows(model, frame, 300)], ignore_index=True)
    rows = rows.astype(frame.dtypes)
    with TemporaryDirectory() as folder:
        for runtime in runtimes:
            assert_equal(runtime, model, rows, Path(folder))


@quick(12)
@given(stream=streams())
def test_a_model_predicts_the_same_elsewhere(stream: Stream) -> None:
    check(stream, ["onnx", "treelite", "python", "json"])


@pytest.mark.long
@thorough(300)
@given(stream=streams())
def test_many_models_predict_the_same_elsewhere(stream: Stream) -> None:
    check(stream, ["onnx", "treelite", "python", "json", "c"])


def test_the_rows_are_include_thresholds_and_their_neighbours() -> None:
    frame = pd.DataFrame({"f0": np.arange(500.0) % 5})
    from sgtrees import SGTRegressor  # noqa: PLC0415

    model = SGTRegressor(warm_up=50, epochs=1).fit(frame, frame["f0"] > 2)
    threshold = model._model.core.tree(0)["threshold"][0]
    values = set(edge_rows(model, frame)["f0"])
    assert {threshold, np.nextafter(threshold, 9), np.nextafter(threshold, -9)} <= values
