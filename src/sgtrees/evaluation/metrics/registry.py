"""Metrics by their names."""

from collections.abc import Sequence
from typing import Any

from sgtrees.evaluation.metrics.base import Metric
from sgtrees.evaluation.metrics.classification import CLASSIFICATION_METRICS
from sgtrees.evaluation.metrics.regression import REGRESSION_METRICS, Pinball
from sgtrees.evaluation.model_loss import quantile_of
from sgtrees.evaluation.tasks import Task

METRICS: dict[str, type[Metric]] = {
    metric.name: metric for metric in (*CLASSIFICATION_METRICS, *REGRESSION_METRICS)
}

_DEFAULTS = {
    Task.CLASSIFICATION: ("error", "kappa", "kappa_temporal", "log_loss"),
    Task.REGRESSION: ("mae", "rmse", "r2"),
}
# Titles that are not the name without underscores.
_TITLES = {
    "kappa_temporal": "temporal kappa",
    "auc": "area under the curve",
    "mae": "mean absolute error",
    "rmse": "root mean squared error",
    "pinball": "pinball loss",
    "r2": "R\u00b2",
}


def metric_title(name: str) -> str:
    """Return the title of a metric.

    Examples
    --------
    >>> metric_title("mae"), metric_title("log_loss")
    ('mean absolute error', 'log loss')
    """
    return _TITLES.get(name, name.replace("_", " "))


def get_metrics(
    metrics: Sequence[str | Metric] | None, task: Task, loss: Any = None
) -> list[Metric]:
    """Return metrics by their names, or the default ones of a task and a loss.

    Examples
    --------
    >>> [metric.name for metric in get_metrics(None, Task.REGRESSION, "quantile")]
    ['pinball', 'mae', 'rmse', 'r2']
    >>> [metric.name for metric in get_metrics(None, Task.REGRESSION)]
    ['mae', 'rmse', 'r2']
    >>> get_metrics(["mae"], Task.CLASSIFICATION)
    Traceback (most recent call last):
    ValueError: the metric 'mae' is for regression, but this is classification; there are error, \
accuracy, kappa, kappa_temporal, balanced_accuracy, log_loss, auc
    """
    given: Sequence[str | Metric] = _defaults(task, loss) if metrics is None else metrics
    if not given:
        raise ValueError("metrics is empty; name at least one")
    found = [_metric(metric, task) for metric in given]
    names = [metric.name for metric in found]
    if len(set(names)) < len(names):
        raise ValueError(f"metrics names one twice: {names}")
    return found


def _defaults(task: Task, loss: Any) -> Sequence[str | Metric]:
    alpha = quantile_of(loss) if task is Task.REGRESSION else None
    return _DEFAULTS[task] if alpha is None else (Pinball(alpha), *_DEFAULTS[task])


def _metric(metric: str | Metric, task: Task) -> Metric:
    available = ", ".join(name for name, kind in METRICS.items() if kind.task is task)
    if isinstance(metric, str):
        if metric not in METRICS:
            raise ValueError(f"the metric {metric!r} is unknown; there are {available}")
        metric = METRICS[metric]()
    if metric.task is not task:
        raise ValueError(
            f"the metric {metric.name!r} is for {metric.task.value}, but this is {task.value}; "
            f"there are {available}"
        )
    return metric
