import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from sgtrees.targets.indicators import read_indicators, read_label_set
from sgtrees.targets.outputs import Outputs

KNOWN = Outputs(3, ("news", "sport", "music"))


@pytest.mark.parametrize(
    "y",
    [
        [[1, 0], [0, 1]],
        [[True, False], [False, True]],
        np.eye(2, dtype=np.int8),
        sparse.csr_matrix(np.eye(2)),
        pd.DataFrame({"a": [True, False], "b": [0, 1]}),
    ],
)
def test_an_indicator_is_read_as_zeros_and_ones(y):
    columns = read_indicators(y)
    assert columns.values.dtype == np.float64
    assert columns.values.tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("bad", [2, -1, 0.5, np.nan, np.inf])
def test_other_numbers_are_named_by_row_and_column(bad):
    y = pd.DataFrame({"a": [0.0, 1.0], "b": [1.0, bad]})
    with pytest.raises(ValueError, match=rf"holds {float(bad)} in row 1, column 'b'"):
        read_indicators(y)


def test_numbers_of_columns_are_no_names():
    assert read_indicators([[1, 0]], [0, 1]).outputs == Outputs(2)
    assert read_indicators([[1, 0]], [1, 0]).outputs == Outputs(2, (1, 0))
    assert read_label_set({0: True, 1: False}, None)[1] == Outputs(2)


@pytest.mark.parametrize(
    "y",
    [
        {"music", "news"},
        frozenset({"music", "news"}),
        ["music", "news"],
        ("news", "music"),
        {"news": True, "sport": False, "music": True},
        {"music": 1, "sport": 0, "news": np.True_},
    ],
)
def test_all_forms_of_an_events_labels_say_the_same(y):
    values, outputs = read_label_set(y, KNOWN)
    assert values.tolist() == [[1, 0, 1]]
    assert outputs == KNOWN


def test_an_event_may_have_no_label():
    assert read_label_set(set(), KNOWN)[0].tolist() == [[0, 0, 0]]
    with pytest.raises(ValueError, match="no columns"):
        read_label_set({}, None)
