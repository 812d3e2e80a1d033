"""Models with linear leaves: every runtime that takes them against the library."""

from functools import cache

import pandas as pd
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from tests.conformance.exports.comparison import assert_equal
from tests.conformance.exports.models import LINEAR_MODELS, Case
from tests.conformance.exports.rows import edge_rows
from tests.oracle.real_data import folder

# The library adds the linear term to a leaf's value before its offset, exports after it. ONNX
# runtimes add up the terms in an order of their own.
DIGITS = {"python": 1e-14, "c": 1e-14, "onnx": 1e-12}


@cache
def case(name: str) -> Case:
    return LINEAR_MODELS[name]()


@pytest.mark.parametrize("runtime", DIGITS)
@pytest.mark.parametrize("name", LINEAR_MODELS)
def test_predictions_equal_those_of_the_library(name, runtime, tmp_path):
    model, frame = case(name).model, case(name).frame
    assert_equal(runtime, model, edge_rows(model, frame), tmp_path, DIGITS[runtime])


@cache
def learned(name: str) -> Case:
    pytest.importorskip("pyarrow", reason="pyarrow reads the real data")
    path = folder() / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"{name}.parquet is not in ../shared/data, nor where SGTREES_DATA says")
    frame = pd.read_parquet(path).sample(frac=1.0, random_state=0)[:20_000]
    target = frame.pop("target")
    for column in frame.select_dtypes(include=["category", "string"]):
        frame[column] = frame[column].astype(object)
    for column in frame.select_dtypes(include="number"):
        frame[column] = frame[column].astype(float)
    estimator = SGTRegressor if name.startswith("airline") else SGTClassifier
    model = estimator(leaf_model="linear", grace_period=50, delta=1e-3, gamma=0.1)
    return Case(model.partial_fit(frame[:10_000], target[:10_000]), frame)


@pytest.mark.parametrize("runtime", DIGITS)
@pytest.mark.parametrize("name", ["covtype", "gmsc", "airline_nyc_2013"])
def test_real_data_are_predicted_alike(name, runtime, tmp_path):
    model, frame = learned(name).model, learned(name).frame
    assert model.n_leaves_ > 1
    assert_equal(runtime, model, frame[9_000:11_000], tmp_path, DIGITS[runtime])
    assert_equal(runtime, model, edge_rows(model, frame, 500), tmp_path, DIGITS[runtime])
