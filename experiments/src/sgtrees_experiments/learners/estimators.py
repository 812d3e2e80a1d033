"""Our estimators, as a learner's settings ask for them."""

from collections.abc import Mapping
from typing import Any

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees_experiments.datasets import Task


def stream_estimator(task: Task, settings: Mapping[str, Any], **more: Any) -> Any:
    """Return our estimator for a task.

    Examples
    --------
    >>> stream_estimator(Task.REGRESSION, {"loss": "absolute_error"})
    SGTRegressor(loss='absolute_error')
    """
    estimator = SGTClassifier if task is Task.CLASSIFICATION else SGTRegressor
    return estimator(**settings, **more)
