"""Stochastic gradient trees: incremental decision trees for any differentiable loss."""

from sgtrees import losses
from sgtrees.classifier import SGTClassifier
from sgtrees.loading import load
from sgtrees.multi_instance import SGTMultiInstanceClassifier
from sgtrees.regressor import SGTRegressor
from sgtrees.version import VERSION

__version__ = VERSION

__all__ = [
    "SGTClassifier",
    "SGTMultiInstanceClassifier",
    "SGTRegressor",
    "__version__",
    "load",
    "losses",
]
