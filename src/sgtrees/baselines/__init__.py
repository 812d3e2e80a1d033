"""Other people's learners of bags, which ours are compared with, written from their papers."""

from sgtrees.baselines.miti import MITIClassifier
from sgtrees.baselines.qddi import QDDIClassifier

__all__ = ["MITIClassifier", "QDDIClassifier"]
