"""Every runtime against the library on real data: a few thousand rows always, or all of them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from tests.conformance.exports.comparison import assert_equal
from tests.conformance.exports.models import Case
from tests.conformance.exports.rows import edge_rows
from tests.conformance.exports.runtimes import RUNTIMES
from tests.oracle.real_data import folder

DATA = ["covtype", "kdd99_10pct", "gmsc", "airline_nyc_2013"]


@cache
def learned(name: str, n_rows: int | None) -> Case:
    """A model that has learned half of the first rows, shuffled, and all of these rows."""
    pytest.importorskip("pyarrow", reason="pyarrow reads the real data")
    path = folder() / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"{name}.parquet is not in ../shared/data, nor where SGTREES_DATA says")
    frame = pd.read_parquet(path).sample(frac=1.0, random_state=0)[:n_rows]
    target = frame.pop("target")
    target = target.astype(str) if target.dtype == "category" else target
    nominal = [name for name in frame if is_nominal(frame[name])]
    for column in frame.select_dtypes(include=["category", "string"]):
        frame[column] = frame[column].astype(object)
    for column in frame.select_dtypes(include="integer"):
        frame[column] = frame[column].astype(np.float64)
    estimator = SGTRegressor if name.startswith("airline") else SGTClassifier
    # A few wild values of gmsc leave all others in one of 64 bins of equal width.
    model = estimator(
        categorical_features=nominal,
        binning="quantile" if name == "gmsc" else "uniform",
        grace_period=50,
        delta=1e-3,
        gamma=0.1,
    )
    half = len(frame) // 2
    return Case(model.partial_fit(frame[:half], target[:half]), frame)


def is_nominal(column: pd.Series) -> bool:
    if pd.api.types.is_integer_dtype(column):
        return bool(column.isin([0, 1]).all())
    return not pd.api.types.is_numeric_dtype(column)


@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", DATA)
def test_some_rows_of_real_data_are_predicted_alike(name, runtime, tmp_path):
    case = learned(name, 20_000)
    assert case.model.n_leaves_ > 10
    assert_equal(runtime, case.model, case.frame[8_500:11_500], tmp_path)
    assert_equal(runtime, case.model, edge_rows(case.model, case.frame, 1000), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("runtime", RUNTIMES)
@pytest.mark.parametrize("name", DATA)
def test_all_rows_of_real_data_are_predicted_alike(name, runtime, tmp_path):
    case = learned(name, None)
    assert_equal(runtime, case.model, case.frame, tmp_path)
    assert_equal(runtime, case.model, edge_rows(case.model, case.frame, 20_000), tmp_path)
