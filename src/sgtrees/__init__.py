"""Stochastic gradient trees: incremental decision trees for any differentiable loss."""

from importlib.metadata import PackageNotFoundError, version

from sgtrees import losses
from sgtrees.classifier import SGTClassifier
from sgtrees.multi_instance import SGTMultiInstanceClassifier
from sgtrees.regressor import SGTRegressor

try:
    __version__ = version("sgtrees")
except PackageNotFoundError:
    # The package is used from its sources, without having been installed.
    __version__ = "0+unknown"

__all__ = ["SGTClassifier", "SGTMultiInstanceClassifier", "SGTRegressor", "__version__", "losses"]
