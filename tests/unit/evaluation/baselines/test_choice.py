import pytest

from sgtrees import losses
from sgtrees.evaluation import Task, baselines_for


@pytest.mark.parametrize(
    ("loss", "names"),
    [
        (None, ["mean so far", "last value"]),
        ("squared_error", ["mean so far", "last value"]),
        ("poisson", ["mean so far", "last value"]),
        (lambda y, raw: (raw - y, 1.0), ["mean so far", "last value"]),
        ("absolute_error", ["median so far", "last value"]),
        (losses.Huber(), ["median so far", "last value"]),
        (losses.Quantile(alpha=0.25), ["quantile so far"]),
        ("quantile", ["quantile so far"]),
    ],
)
def test_the_baselines_of_regression_suit_the_loss(loss, names):
    assert list(baselines_for(Task.REGRESSION, loss)) == names


def test_classes_are_compared_with_the_majority_and_the_last_label():
    assert list(baselines_for(Task.CLASSIFICATION, "log_loss")) == ["majority class", "last label"]


def test_each_call_makes_new_ones():
    one, other = (baselines_for(Task.REGRESSION)["last value"] for _ in range(2))
    one.partial_fit(None, [3.0])
    assert other.predict([[0]]).tolist() == [0.0]
