"""Figures that tell how good predictions are.

All but the area under the curve are made of sums over rows. So the same metric serves for all rows
so far, for a window of them, and for rows that fade away, each exactly.
"""

from sgtrees.evaluation.metrics.base import Metric, Task
from sgtrees.evaluation.metrics.classification import (
    Accuracy,
    Auc,
    BalancedAccuracy,
    Error,
    Kappa,
    KappaTemporal,
    LogLoss,
)
from sgtrees.evaluation.metrics.named import METRICS, read_metrics
from sgtrees.evaluation.metrics.regression import (
    R2,
    Coverage,
    Deviance,
    MeanAbsoluteError,
    Pinball,
    RootMeanSquaredError,
    Width,
)

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
    "Metric",
    "Pinball",
    "RootMeanSquaredError",
    "Task",
    "Width",
    "read_metrics",
]
