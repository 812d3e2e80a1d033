import datetime as dt
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.data.few_rows import encode_few_rows


def mixed(n_rows):
    random = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "size": random.integers(0, 9, n_rows).astype(np.int8),
            "price": random.random(n_rows).astype(np.float32),
            "colour": pd.Categorical(random.choice(["red", "blue"], n_rows)),
            "shape": random.choice(["round", "square"], n_rows),
            "is_new": random.random(n_rows) < 0.5,
        }
    )


@pytest.fixture(scope="module")
def model():
    X = mixed(2000)
    y = (X["price"] > 0.5) ^ (X["colour"] == "red") ^ X["is_new"]
    return SGTClassifier().partial_fit(X, y)


def as_polars(X):
    return pl.from_pandas(X)


def as_objects(X):
    return X.astype(object)


@pytest.mark.parametrize("library", [pd.DataFrame, as_polars, as_objects])
def test_few_rows_are_predicted_as_many_are(model, library):
    X = mixed(500)
    X.loc[3, "price"] = np.nan
    X.loc[5, "shape"] = None
    many = model.predict_proba(X)
    assert encode_few_rows(library(X[:500]), model.model_.schema) is None
    for first in (0, 3, 5):
        rows = X[first : first + 4]
        assert encode_few_rows(library(rows), model.model_.schema) is not None
        np.testing.assert_array_equal(model.predict_proba(library(rows)), many[first : first + 4])


def test_rows_with_something_new_are_read_as_any_other(model):
    schema = model.model_.schema
    row = mixed(1)
    for other in (
        row.assign(shape="oval"),
        row.assign(price=np.inf),
        row.assign(is_new=1),
        row.rename(columns={"size": "length"}),
        row.astype({"is_new": "boolean"}).assign(is_new=pd.NA),
    ):
        assert encode_few_rows(other, schema) is None
    assert len(model.predict(row.assign(shape="oval"))) == 1
    with pytest.raises(TypeError, match="column 'is_new' held booleans so far"):
        model.predict(row.assign(is_new=1))
    with pytest.raises(TypeError, match="column 'price' holds dates or times, and was numeric"):
        model.predict(row.assign(price=dt.datetime(2020, 1, 1)))


def test_a_frame_of_dates_alone_is_no_frame_of_numbers():
    X = pd.DataFrame({"a": np.arange(300.0), "b": np.arange(300.0)})
    model = SGTRegressor().partial_fit(X, X["a"])
    dates = pd.DataFrame({"a": [pd.Timestamp("2020")], "b": [pd.Timestamp("2021")]})
    with pytest.raises(TypeError, match="dates or times"):
        model.predict(dates)
    durations = dates - pd.Timestamp("2019")
    seconds = durations.apply(lambda column: column.dt.total_seconds())
    assert model.predict(durations) == model.predict(seconds)


def test_a_row_costs_no_call_for_each_column():
    X = pd.DataFrame({f"c{i}": pd.Categorical(["a", "b"] * 150) for i in range(200)})
    model = SGTClassifier().partial_fit(X, [0, 1] * 150)
    row = X[:1]

    def seconds(rows):
        began = time.process_time()
        for _ in range(3):
            model.predict(rows)
        return time.process_time() - began

    assert seconds(row) < 0.2 * seconds(X[:17])
