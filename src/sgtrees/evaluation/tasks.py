"""Classification or regression: what models predict."""

import sys
from collections.abc import Mapping
from enum import Enum
from typing import Any

from sklearn.base import is_classifier, is_regressor

from sgtrees.streams import Stream


class Task(Enum):
    """What is predicted.

    Examples
    --------
    >>> Task("regression") is Task.REGRESSION
    True
    """

    CLASSIFICATION = "classification"
    REGRESSION = "regression"


def task_of(model: Any) -> Task | None:
    """Return the task of a model of this library, of scikit-learn or of river; None if unknown.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> task_of(SGTRegressor())
    <Task.REGRESSION: 'regression'>
    """
    own = getattr(model, "task", None)
    if isinstance(own, Task):
        return own
    river = sys.modules.get("river")
    if river is not None and isinstance(model, river.base.Estimator):
        final = _final_step(model)
        if isinstance(final, river.base.Classifier):
            return Task.CLASSIFICATION
        return Task.REGRESSION if isinstance(final, river.base.Regressor) else None
    if hasattr(model, "__sklearn_tags__"):
        if is_classifier(model):
            return Task.CLASSIFICATION
        return Task.REGRESSION if is_regressor(model) else None
    return None


def _final_step(model: Any) -> Any:
    """Return the predictor of a river model: a pipeline's last step, or the wrapped model."""
    while True:
        steps = getattr(model, "steps", None)
        inner = [*steps.values()][-1] if steps else getattr(model, "_wrapped_model", None)
        if inner is None or inner is model:
            return model
        model = inner


def common_task(models: Mapping[str, Any], stream: Stream) -> Task:
    """Return the task of all models, or the one that the target column suggests."""
    if stream.target is None:
        raise ValueError("the stream has no target; name the column to predict")
    tasks = {name: task_of(model) for name, model in models.items()}
    known = {task for task in tasks.values() if task is not None}
    if len(known) > 1:
        raise ValueError(
            "models must all be classifiers or all be regressors, got "
            + ", ".join(f"{name}: {task.value}" for name, task in tasks.items() if task)
        )
    if known == {Task.REGRESSION} and stream.target.nominal:
        raise ValueError(f"regression needs numbers, and {stream.target.name!r} holds text")
    if known:
        return known.pop()
    return Task.CLASSIFICATION if stream.target.nominal else Task.REGRESSION
