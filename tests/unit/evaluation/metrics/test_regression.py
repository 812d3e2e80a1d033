"""Metrics of regression against scikit-learn."""

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from sgtrees.evaluation import metrics
from sgtrees.evaluation.predictions import PredictedRows
from tests.unit.evaluation.random_predictions import measured

SKLEARN_NUMBERS = {
    "mae": lambda y, p, w: sklearn_metrics.mean_absolute_error(y, p, sample_weight=w),
    "rmse": lambda y, p, w: sklearn_metrics.root_mean_squared_error(y, p, sample_weight=w),
    "r2": lambda y, p, w: sklearn_metrics.r2_score(y, p, sample_weight=w),
    "pinball": lambda y, p, w: sklearn_metrics.mean_pinball_loss(y, p, sample_weight=w),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SKLEARN_NUMBERS)
def test_regression_metrics_are_those_of_scikit_learn(name, weighted):
    rows = measured(weighted=weighted)
    expected = SKLEARN_NUMBERS[name](rows.y, rows.predicted, rows.weights)
    assert metrics.METRICS[name]().score(rows) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize("power", [0.0, 1.0, 1.5, 2.0, 3.0])
def test_deviances_are_those_of_scikit_learn(power):
    rows = measured(positive=True, weighted=True)
    expected = sklearn_metrics.mean_tweedie_deviance(
        rows.y, rows.predicted, power=power, sample_weight=rows.weights
    )
    assert metrics.Deviance(power).score(rows) == pytest.approx(expected, rel=1e-10)


def test_counts_of_zero_have_a_deviance():
    rows = PredictedRows(np.array([0.0, 2.0]), np.array([1.0, 2.0]), np.ones(2))
    assert metrics.Deviance(1.0).score(rows) == pytest.approx(1.0)


def test_far_targets_do_not_lose_their_variance():
    rows = measured()
    far = PredictedRows(rows.y + 1e9, rows.predicted + 1e9, rows.weights)
    assert metrics.R2().score(far) == pytest.approx(metrics.R2().score(rows), rel=1e-6)


def test_intervals_cover_what_lies_between_their_ends_and_on_them():
    rows = PredictedRows(
        np.array([0.0, 1.0, 2.0, 3.0]), np.zeros(4), np.ones(4), None, None,
        np.array([0.0, 0.0, 0.0, 4.0]), np.array([0.0, 2.0, 1.0, 5.0]))  # fmt: skip
    assert metrics.Coverage().score(rows) == 0.5
    assert metrics.Width().score(rows) == pytest.approx((0 + 2 + 1 + 1) / 4)


@pytest.mark.parametrize("make", [lambda: metrics.Deviance(0.5), lambda: metrics.Pinball(1.0)])
def test_parameters_out_of_range_are_refused(make):
    with pytest.raises(ValueError, match="must be"):
        make()
