"""From options and the first rows to an estimator."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click
import numpy as np

from sgtrees.cli.options import MODEL_PARAMETERS
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.evaluation import Task
from sgtrees.losses.built_in import BY_NAME
from sgtrees.parameters.constructors import parameters_of
from sgtrees.parameters.settings import check_parameters
from sgtrees.streams import Block, Stream

# Whole numbers with at most so many distinct values in the first block are taken for labels.
_MOST_LABELS = 20

UNLIMITED = "unlimited"


@dataclass(frozen=True)
class Choice:
    """An estimator, its task, and how that was found out.

    Attributes
    ----------
    estimator : SGTClassifier or SGTRegressor
        The estimator.
    task : Task
        What it predicts.
    reason : str
        Why it is that task; nothing where it was said.
    """

    estimator: SGTClassifier | SGTRegressor
    task: Task
    reason: str


def choose_model(stream: Stream, first: Block, options: Mapping[str, Any]) -> Choice:
    """Make the estimator that the options ask for.

    Parameters
    ----------
    stream : Stream
        The rows.
    first : Block
        The first of them; where the options do not tell the task, its targets do.
    options : mapping
        The command's options.
    """
    loss = _loss(options["loss"])
    task, reason = _task(stream, first, options["task"], loss)
    if task is Task.REGRESSION and stream.target is not None and stream.target.nominal:
        raise click.UsageError(f"regression needs numbers, and {stream.target.name!r} holds words")
    kind = SGTClassifier if task is Task.CLASSIFICATION else SGTRegressor
    given = {
        row.name: options[row.name] for row in MODEL_PARAMETERS if options[row.name] is not None
    }
    if given.get("max_memory") == UNLIMITED:
        del given["max_memory"]
    if loss is not None:
        given["loss"] = loss
    given = {name: value for name, value in given.items() if name in parameters_of(kind)}
    estimator = kind.paper(**given) if options["paper"] else kind(**given)
    try:
        check_parameters(estimator.get_params(deep=False))
        if loss is not None:
            loss.core_loss()
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error)) from error
    return Choice(estimator, task, reason)


def _loss(text: str | None) -> Any:
    """Return the loss that a text like "quantile:0.9" names."""
    if text is None:
        return None
    name, _, value = text.partition(":")
    if name not in BY_NAME:
        raise click.BadParameter(
            f"{name!r} is not known; there are {', '.join(BY_NAME)}", param_hint="--loss"
        )
    loss = BY_NAME[name]()
    if value:
        parameters = list(loss.get_params())
        if not parameters:
            raise click.BadParameter(f"{name} takes no number", param_hint="--loss")
        try:
            loss.set_params(**{parameters[0]: float(value)})
        except ValueError as error:
            raise click.BadParameter(f"{value!r} is no number", param_hint="--loss") from error
    return loss


def _task(stream: Stream, first: Block, said: str, loss: Any) -> tuple[Task, str]:
    if said != "auto":
        task = Task(said)
        if loss is not None and loss.is_for_classes is not (task is Task.CLASSIFICATION):
            raise click.UsageError(f"--loss {loss.name} is not for {task.value}")
        return task, ""
    if loss is not None:
        return (Task.CLASSIFICATION if loss.is_for_classes else Task.REGRESSION), ""
    target = stream.target
    assert target is not None
    if target.nominal:
        return Task.CLASSIFICATION, ""
    distinct = np.unique(np.asarray(first.y))
    is_whole = bool((distinct == np.floor(distinct)).all())
    if is_whole and len(distinct) <= _MOST_LABELS:
        return Task.CLASSIFICATION, (
            f"The target {target.name!r} has {len(distinct)} distinct whole numbers: taken for "
            "classes (else say --task regression)."
        )
    return Task.REGRESSION, (
        f"The target {target.name!r} holds numbers: regression (else say --task classification)."
    )
