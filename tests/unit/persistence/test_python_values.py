"""Python's values as JSON: what comes back is what was given."""

import json
import math
import types

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sgtrees.persistence import ModelFileError
from sgtrees.persistence.python_values import from_json, to_json

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
keys = st.booleans() | st.integers() | st.text() | st.tuples(st.text(), st.integers())
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(keys, inner, max_size=4)
    ),
)


def again(value):
    return from_json(json.loads(json.dumps(to_json(value, "it"), allow_nan=False)), "it")


@given(values)
def test_values_come_back_as_they_were(value):
    assert repr(again(value)) == repr(value)


@pytest.mark.parametrize(
    "array",
    [
        np.array([[1.5, math.nan], [-0.0, math.inf]]),
        np.array([], dtype=np.int8),
        np.arange(6, dtype=np.uint16).reshape(1, 2, 3),
        np.array([True, False]),
        np.array(["a", "longer"]),
        np.array(["a", 1, None, (2, 3)], dtype=object),
        np.array([0.1], dtype=np.float32),
    ],
    ids=repr,
)
def test_arrays_come_back_as_they_were(array):
    found = again(array)
    assert found.dtype == array.dtype
    np.testing.assert_array_equal(found, array)


def test_scalars_of_numpy_and_columns_of_frames_become_plain():
    assert again([np.int8(3), np.float32(0.5), np.str_("a"), np.bool_(True)]) == [3, 0.5, "a", True]
    assert again(pd.Index(["a", "b"])).tolist() == ["a", "b"]
    assert again(pd.Series([1, 2])).tolist() == [1, 2]
    assert again(types.MappingProxyType({"a": range(2, 9, 3)})) == {"a": range(2, 9, 3)}


def test_a_random_state_goes_on_where_it_was():
    random = np.random.RandomState(1)
    random.normal(size=3)
    assert again(random).normal(size=700).tolist() == random.normal(size=700).tolist()


@pytest.mark.parametrize("value", [len, {1, 2}, b"bytes", 1j, np.array([1j])], ids=str)
def test_what_cannot_be_saved_is_named(value):
    with pytest.raises(TypeError, match=r"parameter 'loss' holds .*cannot be saved"):
        to_json([value], "parameter 'loss'")


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"what": 1},
        {"tuple": 1},
        {"tuple": [1], "more": 2},
        {"float": "1"},
        {"float": []},
        {"range": [1, 2, 0]},
        {"range": "abc"},
        {"range": 5},
        {"dict": [[1]]},
        {"dict": [[[1], 2]]},
        {"array": [1]},
        {"array": [1, 2], "dtype": "<f8", "shape": [3]},
        {"array": [1, 2], "dtype": "<f8", "shape": ["a"]},
        {"array": [1, 2], "dtype": "V8", "shape": [2]},
        {"array": ["a"], "dtype": "<f8", "shape": [1]},
        {"array": [[1], [2]], "dtype": "<f8", "shape": [2]},
        {"array": [300], "dtype": "|u1", "shape": [1]},
        {"array": [1.5], "dtype": "<i8", "shape": [1]},
        {"mt19937": [1], "at": [0, 0, 0.0]},
        {"mt19937": [1] * 624, "at": [625, 0, 0.0]},
        {"mt19937": [1] * 624, "at": [-1, 0, 0.0]},
        {"mt19937": [1] * 624, "at": [1, 2, 0.0]},
        {"mt19937": [1] * 624, "at": [1, 0, "a"]},
        {"mt19937": [-1] * 624, "at": [1, 0, 0.0]},
        {"mt19937": [1] * 623 + [2**32], "at": [1, 0, 0.0]},
        [{"what": 1}],
        float("inf"),
    ],
    ids=str,
)
def test_what_to_json_never_returns_is_refused(value):
    with pytest.raises(ModelFileError, match=r"^it"):
        from_json(value, "it")


@pytest.mark.parametrize(
    "value",
    [np.array("2024-01-01", dtype="datetime64[D]"), np.array([1j]), np.array(None)],
    ids=repr,
)
def test_arrays_of_other_types_or_without_a_dimension_are_refused(value):
    with pytest.raises(TypeError, match="it holds a value of the type ndarray, which cannot"):
        to_json(value, "it")
