"""Evaluation of models on streams: prequential, holdout and cross-validation.

>>> from sgtrees import SGTClassifier
>>> from sgtrees.evaluation import MajorityClass, prequential
>>> from sgtrees.streams import Sea
>>> result = prequential(Sea().head(10_000), [SGTClassifier(), MajorityClass()])
>>> result.total("error", "SGTClassifier") < result.total("error", "MajorityClass")
True
"""

from sgtrees.evaluation.baselines import (
    Baseline,
    LastLabel,
    LastValue,
    MajorityClass,
    MeanSoFar,
    MedianSoFar,
    QuantileSoFar,
    baseline_for,
    baselines_for,
)
from sgtrees.evaluation.cross_validation import Folds, cross_validate
from sgtrees.evaluation.holdout import holdout
from sgtrees.evaluation.intervals import QuantileInterval
from sgtrees.evaluation.measurements import Measurement, Point
from sgtrees.evaluation.metrics import Metric
from sgtrees.evaluation.plots import plot_calibration, plot_drift, plot_learning_curve
from sgtrees.evaluation.prequential import Prequential, prequential
from sgtrees.evaluation.result import Evaluation
from sgtrees.evaluation.significance import Ranks, TTest, average_ranks, corrected_t_test
from sgtrees.evaluation.tasks import Task
from sgtrees.evaluation.windows import window_ends

__all__ = [
    "Baseline",
    "Evaluation",
    "Folds",
    "LastLabel",
    "LastValue",
    "MajorityClass",
    "MeanSoFar",
    "Measurement",
    "MedianSoFar",
    "Metric",
    "Point",
    "Prequential",
    "QuantileInterval",
    "QuantileSoFar",
    "Ranks",
    "TTest",
    "Task",
    "average_ranks",
    "baseline_for",
    "baselines_for",
    "corrected_t_test",
    "cross_validate",
    "holdout",
    "plot_calibration",
    "plot_drift",
    "plot_learning_curve",
    "prequential",
    "window_ends",
]
