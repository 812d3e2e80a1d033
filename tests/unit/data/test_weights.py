import numpy as np
import pandas as pd
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from sgtrees.data.weights import ClassWeight, check_weight, combine, read_weights
from sgtrees.targets.labels import code_labels


def test_no_weights_are_no_weights():
    assert read_weights(None, 3) is None


@pytest.mark.parametrize(
    "given", [[1, 2, 0], np.array([1, 2, 0], np.float32), pd.Series([1, 2, 0])]
)
def test_weights_become_float64(given):
    weights = read_weights(given, 3)
    assert weights.dtype == np.float64
    assert weights.tolist() == [1, 2, 0]


def test_one_number_is_the_weight_of_every_row():
    assert read_weights(2, 3).tolist() == [2, 2, 2]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1, -1, 1], r"sample_weight\[1\] is -1.0"),
        ([1, 1, np.nan], r"sample_weight\[2\] is nan"),
        ([np.inf, 1, 1], r"sample_weight\[0\] is inf"),
        ([1, 1], "sample_weight has 2 values for 3 rows"),
        ([[1, 1, 1]], "sample_weight must be one-dimensional"),
    ],
)
def test_wrong_weights_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        read_weights(given, 3)


@pytest.mark.parametrize(
    ("w", "error"),
    [
        (-1, ValueError),
        (np.nan, ValueError),
        (np.inf, ValueError),
        ("a", TypeError),
        (None, TypeError),
    ],
)
def test_a_wrong_weight_of_an_event_is_refused(w, error):
    with pytest.raises(error, match=r"^w "):
        check_weight(w)


def test_class_weights_multiply_row_weights():
    weights = combine(np.array([1.0, 2.0]), ClassWeight({"a": 3.0}), code_labels(["a", "b"]))
    assert weights.tolist() == [3, 2]


def test_balanced_weights_are_those_of_scikit_learn():
    y = np.array([3, 1, 1, 7, 1, 3])
    weights = combine(None, ClassWeight("balanced"), code_labels(y))
    np.testing.assert_allclose(weights, compute_sample_weight("balanced", y))


@pytest.mark.parametrize("given", ["equal", 3, [1, 2], {"a": -1.0}, {"a": np.nan}])
def test_wrong_class_weights_are_refused(given):
    with pytest.raises(ValueError, match="class_weight"):
        ClassWeight(given)
