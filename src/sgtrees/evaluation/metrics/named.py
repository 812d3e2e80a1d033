"""Metrics by their names."""

from collections.abc import Callable, Sequence

from sgtrees.evaluation.metrics.base import Metric, Task
from sgtrees.evaluation.metrics.classification import (
    Accuracy,
    Auc,
    BalancedAccuracy,
    Error,
    Kappa,
    KappaTemporal,
    LogLoss,
)
from sgtrees.evaluation.metrics.regression import (
    R2,
    Coverage,
    Deviance,
    MeanAbsoluteError,
    Pinball,
    RootMeanSquaredError,
    Width,
)

METRICS: dict[str, Callable[[], Metric]] = {
    metric.name: metric
    for metric in (
        Error,
        Accuracy,
        Kappa,
        KappaTemporal,
        BalancedAccuracy,
        LogLoss,
        Auc,
        MeanAbsoluteError,
        RootMeanSquaredError,
        R2,
        Deviance,
        Pinball,
        Coverage,
        Width,
    )
}

_DEFAULTS = {
    Task.CLASSIFICATION: ("error", "kappa", "kappa_temporal", "log_loss"),
    Task.REGRESSION: ("mae", "rmse", "r2"),
}


def read_metrics(metrics: Sequence[str | Metric] | None, task: Task) -> list[Metric]:
    """Return metrics by their names, or those that a task has by default.

    Examples
    --------
    >>> [metric.name for metric in read_metrics(None, Task.REGRESSION)]
    ['mae', 'rmse', 'r2']
    >>> read_metrics(["mae"], Task.CLASSIFICATION)
    Traceback (most recent call last):
    ValueError: the metric 'mae' is for regression, but this is classification; there are error, \
accuracy, kappa, kappa_temporal, balanced_accuracy, log_loss, auc
    """
    given: Sequence[str | Metric] = _DEFAULTS[task] if metrics is None else metrics
    if not given:
        raise ValueError("metrics is empty; name one at least")
    found = [_read(metric, task) for metric in given]
    names = [metric.name for metric in found]
    if len(set(names)) < len(names):
        raise ValueError(f"metrics names one twice: {names}")
    return found


def _read(metric: str | Metric, task: Task) -> Metric:
    fitting = [name for name, made in METRICS.items() if _task_of(made) is task]
    if isinstance(metric, str):
        if metric not in METRICS:
            raise ValueError(f"the metric {metric!r} is not known; there are {', '.join(fitting)}")
        metric = METRICS[metric]()
    if metric.task is not task:
        raise ValueError(
            f"the metric {metric.name!r} is for {metric.task.value}, but this is {task.value}; "
            f"there are {', '.join(fitting)}"
        )
    return metric


def _task_of(metric: Callable[[], Metric]) -> Task:
    return metric().task
