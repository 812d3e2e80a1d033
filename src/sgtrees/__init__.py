"""Stochastic gradient trees: incremental decision trees for any differentiable loss."""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sgtrees import losses
    from sgtrees.estimators.boosting import SGTBoostingClassifier, SGTBoostingRegressor
    from sgtrees.estimators.classifier import SGTClassifier
    from sgtrees.estimators.forest import SGTForestClassifier, SGTForestRegressor
    from sgtrees.estimators.multi_instance import (
        SGTBoostingMultiInstanceClassifier,
        SGTMultiInstanceClassifier,
    )
    from sgtrees.estimators.regressor import SGTRegressor
    from sgtrees.loading import load
    from sgtrees.version import VERSION as __version__  # noqa: N811 - as it is called

__all__ = [
    "SGTBoostingClassifier",
    "SGTBoostingMultiInstanceClassifier",
    "SGTBoostingRegressor",
    "SGTClassifier",
    "SGTForestClassifier",
    "SGTForestRegressor",
    "SGTMultiInstanceClassifier",
    "SGTRegressor",
    "__version__",
    "load",
    "losses",
]

# Imported on first use: scikit-learn takes a second to import, and a shell that completes a
# command's options should not wait for it.
_MODULES = {
    "SGTBoostingClassifier": "sgtrees.estimators.boosting",
    "SGTBoostingMultiInstanceClassifier": "sgtrees.estimators.multi_instance",
    "SGTBoostingRegressor": "sgtrees.estimators.boosting",
    "SGTClassifier": "sgtrees.estimators.classifier",
    "SGTForestClassifier": "sgtrees.estimators.forest",
    "SGTForestRegressor": "sgtrees.estimators.forest",
    "SGTMultiInstanceClassifier": "sgtrees.estimators.multi_instance",
    "SGTRegressor": "sgtrees.estimators.regressor",
    "load": "sgtrees.loading",
}


def __getattr__(name: str) -> Any:
    if name == "losses":
        return importlib.import_module("sgtrees.losses")
    if name == "__version__":
        # Looking for the package's metadata takes longer than all else here.
        return importlib.import_module("sgtrees.version").VERSION
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value = getattr(importlib.import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
