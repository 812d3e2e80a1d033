"""The estimator of a command: from a file, or from the options and the first rows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sgtrees.cli.class_weights import read_class_weight
from sgtrees.cli.input_stream import CommandInput, open_files
from sgtrees.cli.methods import METHODS, TREE, Kind
from sgtrees.cli.model_files import SavedModel
from sgtrees.cli.number_hints import label_hint, number_hints
from sgtrees.cli.options import MODEL_PARAMETERS
from sgtrees.evaluation import Task
from sgtrees.evaluation.tasks import task_of
from sgtrees.losses.built_in import BY_NAME
from sgtrees.parameters.constructors import parameters_of
from sgtrees.parameters.settings import check_parameters
from sgtrees.streams import Block, Stream, StreamError
from sgtrees.streams.columns import option_text

# Whole numbers with at most this many distinct values in the first block are taken for labels.
_MAX_LABELS = 20
# A text column with this share of distinct values probably identifies rows; a model of it would
# grow with every row.
_MIN_SHARE_OF_DISTINCT = 0.5
_MIN_ROWS = 1000

UNLIMITED = "unlimited"


@dataclass(frozen=True)
class ModelChoice:
    """Files, the column to predict, and a saved or new estimator with its task.

    The first block of ``source`` has been read: ``stream`` is to be read instead. Beside a new
    ensemble there is a single tree of the same options, which has learned nothing either.
    """

    source: Stream
    stream: Stream
    target: str
    estimator: Any
    task: Task
    single_tree: Any = None


def choose_model(given: CommandInput, saved: SavedModel | None) -> ModelChoice:
    """Open files, and return the estimator for them: the saved one, or a new one.

    Parameters
    ----------
    given : CommandInput
        The files and options; the default target is that of the saved model.
    saved : SavedModel or None
        The saved model, if there is one.
    """
    target = given.target or (None if saved is None else saved.notes.get("target"))
    if target is None:
        raise click.UsageError("Missing option '--target' / '-t'.")
    columns = None if saved is None else saved.columns
    source = open_files(given.files, target, given.options, columns=columns)
    assert source.target is not None
    first, stream = source.peek()
    # A topic that a model has learned to its end has no rows for now.
    is_resumed = saved is not None and isinstance(given.options.get("start"), Mapping)
    if first is None and not is_resumed:
        raise StreamError("there are no rows")
    if saved is not None:
        task = task_of(saved.estimator) or Task.REGRESSION
        return ModelChoice(source, stream, source.target.name, saved.estimator, task)
    assert first is not None
    new, task, reason = _new_estimators(source, first, given.options)
    labels = label_hint(source, first) if task is Task.CLASSIFICATION else ""
    for note in [reason, labels, *number_hints(source, first), *_identifier_notes(first)]:
        if note:
            given.log.print(note, soft_wrap=True)
    estimator, *beside = new
    return ModelChoice(source, stream, source.target.name, estimator, task, *beside)


def _new_estimators(
    stream: Stream, first: Block, options: Mapping[str, Any]
) -> tuple[list[Any], Task, str]:
    """Return `new_estimators`, their task, and the reason for that task if it was not given."""
    loss = read_loss(options["loss"])
    task, reason = _task(stream, first, options["task"], loss)
    if task is Task.REGRESSION and stream.target is not None and stream.target.nominal:
        raise click.UsageError(f"regression needs numbers, and {stream.target.name!r} holds text")
    example = np.asarray(first.y)[:1].tolist()[0]
    return new_estimators(task, loss, options, example), task, reason


def new_estimators(task: Task, loss: Any, options: Mapping[str, Any], example: Any) -> list[Any]:
    """Return a new estimator with the parameters of a command's options.

    After an ensemble comes the single tree of the same options.

    Parameters
    ----------
    task : Task
        What it predicts.
    loss : Loss or None
        Its loss, from `read_loss`.
    options : mapping
        The command's options.
    example : object
        A label, which shows of which type those of ``--class-weight`` are.
    """
    kind = METHODS[options["method"]][task]
    _check_method(options, kind)
    given = {
        row.name: options[row.name] for row in MODEL_PARAMETERS if options[row.name] is not None
    }
    if given.get("max_memory") == UNLIMITED:
        del given["max_memory"]
    if loss is not None:
        given["loss"] = loss
    if options["class_weight"] is not None:
        if task is not Task.CLASSIFICATION:
            raise click.UsageError("--class-weight is for classification")
        given["class_weight"] = read_class_weight(options["class_weight"], example)
    if options["method"] == TREE:
        new = [_new_estimator(kind, given, is_of_paper=options["paper"])]
    else:
        seeded = given | {"random_state": options["seed"]}
        new = [_new_estimator(kind, seeded), _new_estimator(METHODS[TREE][task], given)]
    try:
        if loss is not None:
            loss.core_loss()
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error)) from error
    return new


def _new_estimator(kind: Kind, given: Mapping[str, Any], *, is_of_paper: bool = False) -> Any:
    known = {name: value for name, value in given.items() if name in parameters_of(kind)}
    estimator = kind.paper(**known) if is_of_paper else kind(**known)
    try:
        check_parameters(estimator.get_params(deep=False))
    except (ValueError, TypeError) as error:
        raise click.UsageError(str(error)) from error
    return estimator


def _check_method(options: Mapping[str, Any], kind: Kind) -> None:
    """Refuse options that the models of a method do not have, for any task."""
    method, known = options["method"], parameters_of(kind)
    for row in MODEL_PARAMETERS:
        if options[row.name] is None or row.name in known:
            continue
        others = [
            f"--method {other}"
            for other, kinds in METHODS.items()
            if any(row.name in parameters_of(cls) for cls in kinds.values())
        ]
        if f"--method {method}" not in others:
            raise click.UsageError(f"{row.flag} goes with {' or '.join(others)}")
    if options["paper"] and method != TREE:
        raise click.UsageError(f"--paper goes with --method {TREE}: the paper has no ensembles")


def read_loss(text: str | None) -> Any:
    """Return the loss of a text like "quantile:0.9"."""
    if text is None:
        return None
    name, _, value = text.partition(":")
    if name not in BY_NAME:
        raise click.BadParameter(
            f"{name!r} is unknown; there are {', '.join(BY_NAME)}", param_hint="--loss"
        )
    loss = BY_NAME[name]()
    if value:
        parameters = list(loss.get_params())
        if not parameters:
            raise click.BadParameter(f"{name} takes no number", param_hint="--loss")
        try:
            loss.set_params(**{parameters[0]: float(value)})
        except ValueError as error:
            raise click.BadParameter(f"{value!r} is not a number", param_hint="--loss") from error
    return loss


def stated_task(given: str, loss: Any) -> Task | None:
    """Return the task that ``--task`` or the loss says; None if neither does."""
    if given != "auto":
        task = Task(given)
        if loss is not None and loss.is_for_classes is not (task is Task.CLASSIFICATION):
            raise click.UsageError(f"--loss {loss.name} is not for {task.value}")
        return task
    if loss is not None:
        return Task.CLASSIFICATION if loss.is_for_classes else Task.REGRESSION
    return None


def _task(stream: Stream, first: Block, given: str, loss: Any) -> tuple[Task, str]:
    stated = stated_task(given, loss)
    if stated is not None:
        return stated, ""
    target = stream.target
    assert target is not None
    if target.nominal:
        return Task.CLASSIFICATION, ""
    distinct = np.unique(np.asarray(first.y))
    is_whole = bool((distinct == np.floor(distinct)).all())
    if is_whole and len(distinct) <= _MAX_LABELS:
        numbers = "whole number" if len(distinct) == 1 else "distinct whole numbers"
        return Task.CLASSIFICATION, (
            f"The target {target.name!r} has {len(distinct)} {numbers}: "
            "classification (--task regression for regression)."
        )
    return Task.REGRESSION, (
        f"The target {target.name!r} holds numbers: regression "
        "(--task classification for classification)."
    )


def _identifier_notes(first: Block) -> list[str]:
    """Return notes about columns that seem to be identifiers of rows."""
    if len(first) < _MIN_ROWS or not isinstance(first.X, pa.Table):
        return []
    notes = []
    for name in first.X.column_names:
        column = first.X[name]
        if not pa.types.is_dictionary(column.type):
            continue
        codes = column.unify_dictionaries().combine_chunks().indices
        n_distinct = pc.count_distinct(codes).as_py()
        if n_distinct > _MIN_SHARE_OF_DISTINCT * len(first):
            notes.append(
                f"Column {name!r} has {n_distinct:,} different values in the first {len(first):,} "
                f"rows; if it is an identifier, leave it out: --drop {option_text(name)}"
            )
    return notes
