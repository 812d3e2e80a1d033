"""Which baselines suit a task and a loss."""

from typing import Any

from sgtrees.evaluation.baselines.base import Baseline
from sgtrees.evaluation.baselines.classes import LastLabel, MajorityClass
from sgtrees.evaluation.baselines.numbers import LastValue, MeanSoFar
from sgtrees.evaluation.baselines.quantiles import MedianSoFar, QuantileSoFar
from sgtrees.evaluation.model_loss import loss_name, quantile_of
from sgtrees.evaluation.tasks import Task

# Losses whose best constant is the median, or close to it.
_OF_MEDIANS = ("absolute_error", "huber", "log_cosh")


def baseline_for(task: Task) -> Baseline:
    """Return the plainest baseline of a task: `MajorityClass` or `MeanSoFar`.

    Examples
    --------
    >>> baseline_for(Task.REGRESSION).partial_fit([[0.0], [1.0]], [2.0, 4.0]).predict([[0.5]])
    array([3.])
    """
    return MajorityClass() if task is Task.CLASSIFICATION else MeanSoFar()


def baselines_for(task: Task, loss: Any = None) -> dict[str, Baseline]:
    """Return the baselines that a model should be shown beside, by their names.

    Parameters
    ----------
    task : Task
        What is predicted.
    loss : str or Loss, optional
        The model's loss. Beside the last value there is the best constant so far: the mean; for
        absolute error, Huber's loss and log-cosh the median; for the quantile loss, which is no
        measure of a last value, the quantile alone.

    Returns
    -------
    dict
        New baselines by their names.

    Examples
    --------
    >>> from sgtrees import losses
    >>> list(baselines_for(Task.CLASSIFICATION))
    ['majority class', 'last label']
    >>> list(baselines_for(Task.REGRESSION, "absolute_error"))
    ['median so far', 'last value']
    >>> list(baselines_for(Task.REGRESSION, losses.Quantile(alpha=0.9)))
    ['quantile so far']
    """
    if task is Task.CLASSIFICATION:
        return {"majority class": MajorityClass(), "last label": LastLabel()}
    alpha = quantile_of(loss)
    if alpha is not None:
        return {"quantile so far": QuantileSoFar(alpha)}
    if loss_name(loss) in _OF_MEDIANS:
        return {"median so far": MedianSoFar(), "last value": LastValue()}
    return {"mean so far": MeanSoFar(), "last value": LastValue()}
