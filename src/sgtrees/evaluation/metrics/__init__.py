"""Metrics: how good predictions are.

All but the area under the curve are functions of sums over rows. So the same metric can be computed
for all rows, for a window of them, and for rows with fading weights, each exactly.

>>> import numpy as np
>>> from sgtrees.evaluation.predictions import PredictedRows
>>> rows = PredictedRows(np.array([1.0, 2.0]), np.array([1.5, 4.0]), np.ones(2))
>>> {metric.name: metric.score(rows) for metric in (MeanAbsoluteError(), Pinball(alpha=0.5))}
{'mae': 1.25, 'pinball': 0.625}
"""

from sgtrees.evaluation.metrics.base import MeanMetric, Metric
from sgtrees.evaluation.metrics.classification import (
    Accuracy,
    Auc,
    BalancedAccuracy,
    Error,
    Kappa,
    KappaTemporal,
    LogLoss,
)
from sgtrees.evaluation.metrics.registry import METRICS, get_metrics, metric_title
from sgtrees.evaluation.metrics.regression import (
    R2,
    Coverage,
    Deviance,
    MeanAbsoluteError,
    Pinball,
    RootMeanSquaredError,
    Width,
)
from sgtrees.evaluation.tasks import Task

__all__ = [
    "METRICS",
    "R2",
    "Accuracy",
    "Auc",
    "BalancedAccuracy",
    "Coverage",
    "Deviance",
    "Error",
    "Kappa",
    "KappaTemporal",
    "LogLoss",
    "MeanAbsoluteError",
    "MeanMetric",
    "Metric",
    "Pinball",
    "RootMeanSquaredError",
    "Task",
    "Width",
    "get_metrics",
    "metric_title",
]
