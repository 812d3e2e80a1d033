"""The kinds of models as the command names them: ``--method``."""

from typing import Any, TypeAlias

from sgtrees.estimators.boosting import SGTBoostingClassifier, SGTBoostingRegressor
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.forest import SGTForestClassifier, SGTForestRegressor
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.evaluation import Task

Kind: TypeAlias = type[SGTClassifier] | type[SGTRegressor]

TREE = "tree"
SINGLE_TREE = "single tree"
"""The name of the tree that is shown beside an ensemble."""

METHODS: dict[str, dict[Task, Kind]] = {
    TREE: {Task.CLASSIFICATION: SGTClassifier, Task.REGRESSION: SGTRegressor},
    "boosting": {
        Task.CLASSIFICATION: SGTBoostingClassifier,
        Task.REGRESSION: SGTBoostingRegressor,
    },
    "forest": {Task.CLASSIFICATION: SGTForestClassifier, Task.REGRESSION: SGTForestRegressor},
}
"""The estimators by method and task."""


def method_of(estimator: Any) -> str:
    """Return the method of an estimator; that of single trees for all others.

    Examples
    --------
    >>> method_of(SGTForestRegressor()), method_of(SGTRegressor())
    ('forest', 'tree')
    """
    kind = type(estimator)
    return next((name for name, kinds in METHODS.items() if kind in kinds.values()), TREE)
