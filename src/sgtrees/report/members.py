"""The members of an ensemble as the page names them."""

from sgtrees.estimators.boosting import Stages
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.ensemble import Ensemble
from sgtrees.estimators.regressor import SGTRegressor


def member_names(estimator: SGTClassifier | SGTRegressor) -> list[str]:
    """Return what the members of a model are called; nothing if there is one.

    Examples
    --------
    >>> from sgtrees import SGTForestRegressor
    >>> member_names(SGTForestRegressor(n_estimators=3).partial_fit([[1.0]], [2.0]))
    ['member 1', 'member 2', 'member 3']
    >>> member_names(SGTRegressor().partial_fit([[1.0]], [2.0]))
    []
    >>> member_names(SGTRegressor(leaf_model="auto").partial_fit([[1.0]], [2.0]))
    ['constant leaves', 'linear leaves']
    """
    options = estimator.model_.options
    if options["combination"] == "choosing":
        return ["constant leaves", "linear leaves"]
    n_members = int(options["n_estimators"])
    return [f"member {m + 1}" for m in range(n_members)] if n_members > 1 else []


def is_ensemble(estimator: SGTClassifier | SGTRegressor) -> bool:
    """Return whether a model is boosted, or a forest."""
    return isinstance(estimator, Ensemble)


def is_boosted(estimator: SGTClassifier | SGTRegressor) -> bool:
    """Return whether its members add up."""
    return isinstance(estimator, Stages)
