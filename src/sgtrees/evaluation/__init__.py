"""How well a model does on a stream: every row is predicted first, and learned then."""

from sgtrees.evaluation.learning_curve import CurvePoint, LearningCurve, window_ends
from sgtrees.evaluation.majority import MajorityClass

__all__ = ["CurvePoint", "LearningCurve", "MajorityClass", "window_ends"]
