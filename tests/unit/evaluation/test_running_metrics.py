"""Metrics over all rows, over a window, and with fading weights."""

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from sgtrees.evaluation import metrics
from sgtrees.evaluation.predictions import PredictedRows
from sgtrees.evaluation.running_metrics import RunningMetrics
from tests.unit.evaluation.random_predictions import classified, rows_for

ALL = [*(name for name in metrics.METRICS if name not in ("auc", "deviance"))]


@pytest.mark.parametrize("sizes", [[400], [1] * 400, [7, 250, 143]])
@pytest.mark.parametrize("name", ALL)
def test_blocks_of_any_size_give_the_same_figures(name, sizes):
    metric = metrics.METRICS[name]()
    rows = rows_for(metric)
    running = RunningMetrics([metric], window=50, fading=0.99)
    start = 0
    for size in sizes:
        running.add(rows.slice(start, start + size))
        start += size
    assert running.total()[name] == pytest.approx(metric.score(rows), rel=1e-9)
    assert running.window_rows == 50
    assert running.close_window()[name] == pytest.approx(
        metric.score(rows.slice(350, 400)), rel=1e-9
    )
    fading = 0.99 ** np.arange(399, -1, -1)
    expected = metric.value(metric.sums(rows, fading))
    assert running.faded()[name] == pytest.approx(expected, rel=1e-9)


def test_a_window_without_a_size_begins_anew_when_it_is_closed():
    rows = classified()
    running = RunningMetrics([metrics.Error()], window=None, fading=None)
    for start, stop in ((0, 100), (100, 130)):
        running.add(rows.slice(start, stop))
        expected = metrics.Error().score(rows.slice(start, stop))
        assert running.close_window()["error"] == expected
    assert running.window_rows == 0
    assert np.isnan(running.close_window()["error"])
    assert running.faded() is None


def test_classes_that_come_late_are_counted_with_the_others():
    early = PredictedRows(np.array([0, 0]), np.array([0, 0]), np.ones(2), None, np.ones((2, 1)))
    late = PredictedRows(
        np.array([2, 1]), np.array([2, 0]), np.ones(2), None, np.full((2, 3), 1 / 3)
    )
    running = RunningMetrics(
        [metrics.Kappa(), metrics.LogLoss(), metrics.Auc()], window=4, fading=0.5
    )
    running.add(early)
    running.add(late)
    assert running.total()["kappa"] == pytest.approx(
        sklearn_metrics.cohen_kappa_score([0, 0, 2, 1], [0, 0, 2, 0])
    )
    assert running.total()["log_loss"] == pytest.approx(np.log(3.0) / 2.0)
    assert np.isnan(running.total()["auc"])
    assert 0.0 < running.close_window()["auc"] < 1.0
