"""A served model learns rows the same however they come, and dates and weights too."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.serve.errors import RequestError
from sgtrees.serve.rows import Rows, read_rows
from sgtrees.serve.served_model import ServedModel
from tests.unit.serve.running import begin, events_of, same


def test_events_blocks_and_tables_give_the_same_model():
    events = events_of(range(600))
    one_by_one, in_blocks, as_tables = begin(), begin(), begin()
    for event in events:
        one_by_one.learn(Rows([event]))
    for first in range(0, 600, 100):
        part = events[first : first + 100]
        in_blocks.learn(read_rows(json.dumps(part).encode(), "json"))
        as_tables.learn(Rows(pa.Table.from_pylist(part)))
    assert same(in_blocks, as_tables)
    features = Rows([{k: v for k, v in event.items() if k != "kind"} for event in events])
    expected = one_by_one.predict(features)
    assert in_blocks.predict(features) == expected
    # The label and unknown columns are passed over.
    assert in_blocks.predict(Rows([{**event, "new": 1} for event in events])) == expected
    assert in_blocks.predict(Rows([{"new": 1}, {"new": 2}]))[0] in "ab"


def test_requests_that_are_learned_by_one_call_are_learned_one_after_the_other():
    requests = [Rows([event]) for event in events_of(range(300))]
    requests[7] = Rows([{"size": 1.0}])
    requests[50] = Rows([{"size": "large", "kind": "a"}])
    requests[60] = Rows(events_of(range(3)))
    together, alone = begin(), begin()
    results = together.learn_each(requests)
    for number, rows in enumerate(requests):
        if number in (7, 50):
            with pytest.raises(RequestError) as refused:
                alone.learn(rows)
            assert results[number].message == str(refused.value)
        else:
            learned, expected = results[number], alone.learn(rows)
            assert list(learned.predicted) == list(expected.predicted)
            assert list(learned.targets) == list(expected.targets)
    assert same(together, alone)
    assert together.rows == alone.rows == 300


def test_weights_are_those_of_their_column():
    model = ServedModel(SGTRegressor(), "y", weight="w")
    model.learn(Rows([{"x": 1.0, "y": 2.0, "w": 0.0}, {"x": 1.0, "y": 4.0, "w": 3.0}]))
    model.learn(Rows([{"x": 1.0, "y": 6.0, "w": 0}]))
    assert model.predict(Rows([{"x": 1.0}])) == [4.0]
    assert list(model.estimator.feature_names_in_) == ["x"]


def test_dates_in_json_are_those_of_the_model():
    at = pd.date_range("2024-01-01", periods=200, freq="h")
    frame = pd.DataFrame({"at": at, "x": np.arange(200.0)})
    estimator = SGTRegressor().partial_fit(frame, np.arange(200.0))
    model = ServedModel(estimator, "y")
    rows = [{"at": str(time), "x": float(n)} for n, time in enumerate(at[:5])]
    np.testing.assert_array_equal(model.predict(Rows(rows)), estimator.predict(frame[:5]))
    assert model.predict(Rows(rows[:1])) == model.predict(Rows(rows))[:1]
    model.learn(Rows([rows[0] | {"y": 1.0}]))
    assert model.rows == 201
    with pytest.raises(RequestError, match="isoformat"):
        model.predict(Rows([{"at": "yesterday"}]))


def test_a_regressor_has_no_probabilities_and_a_new_model_no_labels():
    with pytest.raises(RequestError, match="predicts numbers"):
        ServedModel(SGTRegressor(), "y").predict_proba(Rows([{}]))
    new = ServedModel(SGTClassifier(), "y")
    assert new.predict(Rows([{"a": 1}, {"a": 2}])) == [None, None]
    assert new.predict_proba(Rows([{"a": 1}])) == [{}]
