import numpy as np
import pandas as pd
import polars as pl
import pytest

from sgtrees.targets import check_target, read_targets


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
        (np.ones((2, 2)), "1d array"),
    ],
)
def test_wrong_targets_are_refused(y, message):
    with pytest.raises(ValueError, match=message):
        read_targets(y)


@pytest.mark.parametrize("y", [None, "1", [1], np.nan, np.inf])
def test_a_wrong_target_of_an_event_is_refused(y):
    with pytest.raises((TypeError, ValueError), match=r"^y "):
        check_target(y)
