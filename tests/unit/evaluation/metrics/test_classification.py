"""Metrics of classification against scikit-learn."""

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from sgtrees.evaluation import metrics
from sgtrees.evaluation.predictions import PredictedRows
from tests.unit.evaluation.random_predictions import classified

SKLEARN_LABELS = {
    "error": lambda y, p, w: 1.0 - sklearn_metrics.accuracy_score(y, p, sample_weight=w),
    "accuracy": lambda y, p, w: sklearn_metrics.accuracy_score(y, p, sample_weight=w),
    "kappa": lambda y, p, w: sklearn_metrics.cohen_kappa_score(y, p, sample_weight=w),
    "balanced_accuracy": lambda y, p, w: sklearn_metrics.balanced_accuracy_score(
        y, p, sample_weight=w
    ),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SKLEARN_LABELS)
def test_figures_of_labels_are_those_of_scikit_learn(name, weighted):
    rows = classified(weighted=weighted)
    expected = SKLEARN_LABELS[name](rows.y, rows.predicted, rows.weights)
    assert metrics.METRICS[name]().score(rows) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("weighted", [False, True])
def test_figures_of_probabilities_are_those_of_scikit_learn(weighted):
    rows = classified(weighted=weighted)
    expected = sklearn_metrics.log_loss(rows.y, rows.probabilities, sample_weight=rows.weights)
    assert metrics.LogLoss().score(rows) == pytest.approx(expected, rel=1e-12)
    two = classified(n_classes=2, weighted=weighted)
    # Scores that tie, too.
    tied = PredictedRows(two.y, two.predicted, two.weights, None, np.round(two.probabilities, 1))
    for case in (two, tied):
        expected = sklearn_metrics.roc_auc_score(
            case.y, case.probabilities[:, 1], sample_weight=case.weights
        )
        assert metrics.Auc().score(case) == pytest.approx(expected, rel=1e-12)
    areas = [
        sklearn_metrics.roc_auc_score(
            rows.y == k, rows.probabilities[:, k], sample_weight=rows.weights
        )
        for k in range(3)
    ]
    assert metrics.Auc().score(rows) == pytest.approx(np.mean(areas), rel=1e-12)


def test_the_log_loss_of_what_was_held_impossible_is_large_and_finite():
    certain = np.array([[1.0, 0.0], [1.0, 0.0]])
    rows = PredictedRows(np.array([0, 1]), np.zeros(2, int), np.ones(2), None, certain)
    assert metrics.LogLoss().score(rows) == pytest.approx(-np.log(1e-15) / 2)


def test_temporal_kappa_compares_with_the_last_label():
    y, predicted = np.array([0, 0, 1, 1, 0]), np.array([0, 1, 1, 1, 0])
    previous = np.array([-1, 0, 0, 1, 1], dtype=np.int32)
    rows = PredictedRows(y, predicted, np.ones(5), previous)
    # Right 4 of 5; the last label is right 2 of 5.
    assert metrics.KappaTemporal().score(rows) == pytest.approx((0.8 - 0.4) / (1.0 - 0.4))
    always = PredictedRows(np.zeros(3, int), np.zeros(3, int), np.ones(3), np.zeros(3, np.int32))
    assert metrics.KappaTemporal().score(always) == 0.0
