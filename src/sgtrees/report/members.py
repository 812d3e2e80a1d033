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
    >>> member_names(SGTForestRegressor(n_estimators=3)), member_names(SGTRegressor())
    (['member 1', 'member 2', 'member 3'], [])
    >>> member_names(SGTRegressor(leaf_model="auto"))
    ['constant leaves', 'linear leaves']
    """
    if is_ensemble(estimator):
        n_members = int(estimator.get_params(deep=False)["n_estimators"])
        return [f"member {m + 1}" for m in range(n_members)] if n_members > 1 else []
    return ["constant leaves", "linear leaves"] if estimator.leaf_model == "auto" else []


def is_ensemble(estimator: SGTClassifier | SGTRegressor) -> bool:
    """Return whether a model is boosted, or a forest."""
    return isinstance(estimator, Ensemble)


def is_boosted(estimator: SGTClassifier | SGTRegressor) -> bool:
    """Return whether its members add up."""
    return isinstance(estimator, Stages)
