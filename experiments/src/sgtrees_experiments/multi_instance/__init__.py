"""Multi-instance learners of other authors, for comparison, written from their papers."""

from sgtrees_experiments.multi_instance.miti import MITIClassifier
from sgtrees_experiments.multi_instance.qddi import QDDIClassifier

__all__ = ["MITIClassifier", "QDDIClassifier"]
