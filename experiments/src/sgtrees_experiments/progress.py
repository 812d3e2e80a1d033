"""How far ``sgtrees reproduce`` is."""

import contextlib

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sgtrees_experiments.execution.runner import Event, Failed, Finished, Reading
from sgtrees_experiments.learners.learners import LEARNERS
from sgtrees_experiments.learners.runs import BagRun
from sgtrees_experiments.reproduction import Reproduction


def follow_downloads(reproduction: Reproduction, log: Console) -> None:
    """Download, and say what."""
    for name in reproduction.download():
        log.print(f"downloading {name} ...")


def follow(reproduction: Reproduction, log: Console) -> None:
    """Run what is missing, with a bar where somebody watches, with a line for each run else.

    Parameters
    ----------
    reproduction : Reproduction
        What to run.
    log : Console
        Where to show it.
    """
    total = reproduction.missing
    if total == 0:
        return
    progress = Progress(
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TextColumn("runs"),
        TimeRemainingColumn(compact=True),
        TextColumn("left"),
        TextColumn("[cyan]{task.fields[last]}"),
        console=log,
        disable=not log.is_terminal,
        expand=True,
        transient=True,
    )
    done = 0
    # Closed at once where this is interrupted, so that no process outlives it.
    with progress, contextlib.closing(reproduction.run()) as events:
        task = progress.add_task("", total=total, last="")
        for event in events:
            done += _runs(event)
            progress.update(task, completed=done, last=_in_words(event))
            if not log.is_terminal:
                log.print(f"{done} of {total}: {_in_words(event)}", soft_wrap=True, markup=False)


def _runs(event: Event) -> int:
    if isinstance(event, Finished):
        return 1
    return event.runs if isinstance(event, Failed) else 0


def _in_words(event: Event) -> str:
    if isinstance(event, Reading):
        return f"reading {event.name}"
    if isinstance(event, Failed):
        return f"{event.what}: {event.reason}"
    key, run = event.key, event.run
    learner = LEARNERS[key.learner].title
    if isinstance(run, BagRun):
        mean = 100.0 * sum(run.accuracies) / len(run.accuracies)
        return f"{key.data}, {learner}, folds {key.seed}: {mean:.1f} %, {run.seconds:.1f} s"
    return f"{key.data}, {learner}, shuffle {key.seed}: {run.loss:.4g}, {run.seconds:.1f} s"
