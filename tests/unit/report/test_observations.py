import numpy as np
import pytest

from sgtrees.evaluation import Task
from sgtrees.evaluation.predictions import PredictedRows
from sgtrees.report.observations import Observations


def test_calibration_counts_how_often_each_confidence_was_right():
    random = np.random.default_rng(0)
    sure = random.uniform(0.5, 1.0, 40_000)
    right = random.random(40_000) < sure**2
    y = np.where(right, 1, 0)
    seen = Observations(Task.CLASSIFICATION, "tree")
    for rows in np.array_split(np.arange(40_000), 7):
        p = np.column_stack([1.0 - sure[rows], sure[rows]])
        seen("tree", PredictedRows(y[rows], np.ones(len(rows), int), np.ones(len(rows)), None, p))
        seen("another", PredictedRows(y[rows], y[rows], np.ones(len(rows)), None, p))
    found = seen.as_dict()
    assert sum(part["share"] for part in found["reliability"]) == pytest.approx(1.0)
    assert len(found["reliability"]) == 5
    for part in found["reliability"]:
        assert part["accuracy"] == pytest.approx(part["confidence"] ** 2, abs=0.03)
    assert found["confusion"] == [[0.0, float((y == 0).sum())], [0.0, float((y == 1).sum())]]


def test_the_sample_of_predictions_is_uniform_and_bounded():
    seen = Observations(Task.REGRESSION, "tree")
    y = np.arange(100_000.0)
    for part in np.array_split(y, 33):
        seen("tree", PredictedRows(part, part + 1.0, np.ones(len(part))))
    pairs = np.array(seen.as_dict()["residuals"])
    assert len(pairs) == 1500
    np.testing.assert_array_equal(pairs[:, 0], pairs[:, 1] + 1.0)
    assert len(np.unique(pairs[:, 1])) == 1500
    counts = np.bincount((pairs[:, 1] // 10_000).astype(int), minlength=10)
    # Expected 150 each; six standard deviations are 70.
    assert counts.min() > 80
    assert counts.max() < 220
