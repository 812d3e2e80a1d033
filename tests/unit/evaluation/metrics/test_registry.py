"""Metrics by their names."""

import pytest
from river import metrics as river_metrics

from sgtrees.evaluation import metrics
from sgtrees.evaluation.metrics import Task, get_metrics
from tests.unit.evaluation.random_predictions import classified, measured

RIVER = {
    "accuracy": river_metrics.Accuracy,
    "kappa": river_metrics.CohenKappa,
    "balanced_accuracy": river_metrics.BalancedAccuracy,
    "log_loss": river_metrics.CrossEntropy,
    "mae": river_metrics.MAE,
    "rmse": river_metrics.RMSE,
    "r2": river_metrics.R2,
}


@pytest.mark.parametrize("name", RIVER)
def test_metrics_are_those_of_river(name):
    metric, theirs = metrics.METRICS[name](), RIVER[name]()
    rows = classified() if metric.task is Task.CLASSIFICATION else measured()
    for row in range(len(rows)):
        predicted = rows.predicted[row].item()
        if name == "log_loss":
            predicted = dict(enumerate(rows.probabilities[row]))
        theirs.update(rows.y[row].item(), predicted)
    assert metric.score(rows) == pytest.approx(theirs.get(), rel=1e-9)


def test_metrics_say_which_direction_is_better_and_what_they_need():
    kinds = metrics.METRICS.values()
    better = {kind.name for kind in kinds if kind.greater_is_better}
    assert better == {"accuracy", "auc", "balanced_accuracy", "kappa", "kappa_temporal", "r2"}
    assert {kind.name for kind in kinds if kind.needs_probabilities} == {"auc", "log_loss"}
    assert {kind.name for kind in kinds if kind.is_windowed} == {"auc"}


def test_metrics_of_another_task_and_unknown_ones_are_refused_with_a_list():
    with pytest.raises(ValueError, match=r"'mae' is for regression.*there are error, accuracy"):
        get_metrics(["mae"], Task.CLASSIFICATION)
    with pytest.raises(ValueError, match="'errror' is unknown; there are error"):
        get_metrics(["errror"], Task.CLASSIFICATION)
    with pytest.raises(ValueError, match="twice"):
        get_metrics(["mae", metrics.MeanAbsoluteError()], Task.REGRESSION)
    with pytest.raises(ValueError, match="empty"):
        get_metrics([], Task.REGRESSION)
