"""A model that learns a stream under the eyes of its user, and is kept whatever happens."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from rich.console import Console

from sgtrees.cli.interrupts import Interrupts
from sgtrees.cli.progress import Watch
from sgtrees.evaluation import Evaluation, Point, Prequential, Task

TREE = "tree"


@dataclass
class Ending:
    """How a session ended.

    Attributes
    ----------
    evaluation : Evaluation
        What was measured.
    rows : int
        How many rows were learned.
    seconds : float
        All the time that it took.
    error : Exception or None
        What stopped it, where it was stopped: `KeyboardInterrupt`, or an error in the data.
    """

    evaluation: Evaluation
    rows: int
    seconds: float
    error: BaseException | None = field(default=None)


def learn(
    evaluation: Prequential,
    console: Console,
    *,
    quiet: bool,
    after: Callable[[int], Any] | None = None,
) -> Ending:
    """Let models learn their stream, show how far they are, and come back in any case.

    Parameters
    ----------
    evaluation : Prequential
        The models, `TREE` among them, and the stream.
    console : Console
        Where to show it.
    quiet : bool
        Whether to show nothing.
    after : callable, optional
        Called at each point with the number of rows that were learned.

    Returns
    -------
    Ending
        How it ended.
    """
    began = time.perf_counter()
    error: BaseException | None = None
    metric = evaluation.metrics[0].name
    watch = Watch(console, evaluation.stream, quiet=quiet)
    with Interrupts() as interrupts, watch.shown():
        evaluation.guard = interrupts.hold
        try:
            for point in evaluation.run():
                watch.at(point, TREE, _words(evaluation, point, metric))
                if after is not None:
                    after(point.rows)
        except (KeyboardInterrupt, ValueError, TypeError, OSError) as caught:
            # What was learned until here is the user's; the command saves it, and says what it was.
            error = caught
    seconds = time.perf_counter() - began
    return Ending(evaluation.result(), evaluation.rows, seconds, error)


def _words(evaluation: Prequential, point: Point, metric: str) -> str:
    value = point.models[TREE].window[metric]
    is_share = evaluation.metrics[0].is_share
    figure = f"{100.0 * value:.1f} %" if is_share else f"{value:.4g}"
    return f"{figure} {metric}" if is_share else f"{metric} {figure}"


def baseline_name(task: Task) -> str:
    """Return what the baseline of a task is called."""
    return "majority class" if task is Task.CLASSIFICATION else "mean so far"
