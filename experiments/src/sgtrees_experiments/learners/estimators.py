"""Our estimators, as a learner's settings ask for them."""

from collections.abc import Mapping
from typing import Any

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees_experiments.datasets import Task

# A setting that no estimator has: the slip of the paper's programs, made on purpose.
SLIP = "slipped_variance"


class ProgrammedClassifier(SGTClassifier):
    """A classifier that pools variances as the paper's programs do: too large.

    They subtract the mean where its square belongs. For the ablation only.
    """

    def _core_options(self) -> dict[str, Any]:
        return {**super()._core_options(), SLIP: True}


def stream_estimator(task: Task, settings: Mapping[str, Any], **more: Any) -> Any:
    """Return our estimator for a task.

    Examples
    --------
    >>> stream_estimator(Task.REGRESSION, {"loss": "absolute_error"})
    SGTRegressor(loss='absolute_error')
    """
    parameters = dict(settings)
    if parameters.pop(SLIP, False):
        return ProgrammedClassifier(**parameters, **more)
    estimator = SGTClassifier if task is Task.CLASSIFICATION else SGTRegressor
    return estimator(**parameters, **more)
