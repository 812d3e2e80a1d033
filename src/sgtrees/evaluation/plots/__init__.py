"""Evaluations as figures of matplotlib (extra ``plot``)."""

from sgtrees.evaluation.plots.calibration import plot_calibration
from sgtrees.evaluation.plots.drift import plot_drift
from sgtrees.evaluation.plots.learning_curve import plot_learning_curve

__all__ = ["plot_calibration", "plot_drift", "plot_learning_curve"]
