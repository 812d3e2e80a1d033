import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from sgtrees.targets.numbers import check_target, read_targets
from sgtrees.targets.outputs import Outputs


@pytest.mark.parametrize(
    "y",
    [
        [1, 2],
        np.array([1, 2], np.float32),
        pd.Series([1, 2]),
        pl.Series([1, 2]),
        np.array([1, 2], object),
    ],
)
def test_targets_become_float64(y):
    targets = read_targets(y)
    assert targets.dtype == np.float64
    assert targets.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan], "Input y contains NaN in row 1"),
        ([-np.inf, 1.0], "Input y contains infinity in row 0"),
        (["a", "b"], "targets are numbers"),
        (np.array(["a", 1], object), "y must hold numbers only"),
        (np.ones((2, 2, 2)), "dim 3"),
        (np.array([[1.0, 2.0], [3.0, np.nan]]), "Input y contains NaN in row 1, column 1"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": [np.inf, 0.0]}), "infinity in row 0, column 'b'"),
        (pd.DataFrame({"a": [1.0, 2.0], "b": ["x", "y"]}), "column 'b' of y holds strings"),
        ([[1.0, 2.0], [3.0]], "as many values in every row"),
        ([[1.0, "x"], [3.0, 4.0]], "numbers are needed"),
        (np.array([[1.0, 2.0], [3.0, "x"]], object), "holds 'x' in row 1, column 1"),
        (np.ones((2, 0)), "no columns"),
    ],
)
def test_wrong_targets_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        read_targets(y)


def test_sparse_targets_are_refused():
    with pytest.raises(TypeError, match="y is sparse"):
        read_targets(sparse.csr_array(np.ones((2, 2))))


@pytest.mark.parametrize(
    "y",
    [
        [[1, 2], [3, 4]],
        np.array([[1, 2], [3, 4]], np.float32),
        np.asfortranarray([[1, 2], [3, 4]]),
        np.array([[1, 2], [3, 4]], object),
        pd.DataFrame({0: [1, 3], 1: [2, 4]}),
        pd.DataFrame({"a": [1, 3], "b": [2.0, 4.0]}),
        pl.DataFrame({"a": [1, 3], "b": [2, 4]}),
    ],
)
def test_several_targets_become_a_contiguous_block_of_float64(y):
    columns = read_targets(y)
    assert columns.values.dtype == np.float64
    assert columns.values.flags.c_contiguous
    assert columns.values.tolist() == [[1, 2], [3, 4]]
    named = not isinstance(y, list | np.ndarray) and "a" in y.columns
    assert columns.outputs == Outputs(2, ("a", "b") if named else None)


@pytest.mark.parametrize("y", [None, "1", [1], np.nan, np.inf])
def test_a_wrong_target_of_an_event_is_refused(y):
    with pytest.raises((TypeError, ValueError), match=r"^y "):
        check_target(y)
