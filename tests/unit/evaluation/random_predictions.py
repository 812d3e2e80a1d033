"""Random predictions beside random targets, for the tests of metrics."""

import numpy as np

from sgtrees.evaluation.metrics import Task
from sgtrees.evaluation.predictions import PredictedRows


def classified(n_rows=400, n_classes=3, seed=0, weighted=False):
    random = np.random.default_rng(seed)
    y = random.integers(n_classes, size=n_rows)
    probabilities = random.dirichlet(np.ones(n_classes), n_rows)
    # Better than chance, or most figures would be 0.
    probabilities[np.arange(n_rows), y] += 0.3
    probabilities /= probabilities.sum(axis=1, keepdims=True)
    weights = random.random(n_rows) if weighted else np.ones(n_rows)
    previous = np.concatenate([[-1], y[:-1]]).astype(np.int32)
    return PredictedRows(y, probabilities.argmax(axis=1), weights, previous, probabilities)


def measured(n_rows=400, seed=0, weighted=False, positive=False):
    random = np.random.default_rng(seed)
    y = random.gamma(2.0, size=n_rows) if positive else random.normal(size=n_rows)
    predicted = np.abs(y + 0.3 * random.normal(size=n_rows)) + 0.1 if positive else (
        y + random.normal(size=n_rows))  # fmt: skip
    weights = random.random(n_rows) if weighted else np.ones(n_rows)
    return PredictedRows(y, predicted, weights, None, None, predicted - 1.0, predicted + 1.0)


def rows_for(metric):
    return classified() if metric.task is Task.CLASSIFICATION else measured()
