"""What ``sgtrees reproduce`` shows: progress, and the tables in the end."""

import contextlib
import os
from collections.abc import Sequence
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table as RichTable
from rich.text import Text

from sgtrees.cli.console import make_console
from sgtrees_experiments.execution.plan import Plan
from sgtrees_experiments.execution.runner import Event, Failed, Finished, Reading
from sgtrees_experiments.learners.catalogue import LEARNERS
from sgtrees_experiments.learners.runs import BagRun
from sgtrees_experiments.report.data_table import data_table
from sgtrees_experiments.report.document import sections
from sgtrees_experiments.report.tables import Table, cells
from sgtrees_experiments.reproduction import Reproduction


def follow_downloads(reproduction: Reproduction, log: Console) -> None:
    """Download data sets, and print the name of each."""
    for name in reproduction.download():
        log.print(f"downloading {name} ...")


def follow(reproduction: Reproduction, log: Console) -> None:
    """Run what is missing; show a progress bar in a terminal, otherwise a line for each run.

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
        TextColumn("{task.fields[last]}", style="cyan", markup=False),
        console=log,
        disable=not log.is_terminal,
        expand=True,
        transient=True,
    )
    done = 0
    # Closed at once if this is interrupted, so that no process outlives it.
    with progress, contextlib.closing(reproduction.run()) as events:
        task = progress.add_task("", total=total, last="")
        for event in events:
            done += _runs(event)
            progress.update(task, completed=done, last=_in_words(event))
            if not log.is_terminal:
                log.print(f"{done} of {total}: {_in_words(event)}", soft_wrap=True)


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


# Sections that are only in the files.
_FILES_ONLY = ("Data sets", "Why figures differ", "Learners", "The run", "What could not be run")
# The width of lines if the output is no terminal.
_WIDE = 220


def print_report(reproduction: Reproduction, written: Sequence[Path]) -> None:
    """Print the tables, what is absent, and where the files are."""
    console = _console()
    for part in sections(reproduction.summaries, {}):
        if part.title in _FILES_ONLY:
            continue
        console.print(Text(f"\n{part.title}", style="bold"))
        for table in part.tables:
            _print(table, console)
    for known in reproduction.plan.absent:
        console.print(f"absent: {known.name}; {known.obtain}", soft_wrap=True)
    for problem in reproduction.problems:
        console.print(f"not run: {problem}", soft_wrap=True)
    console.print()
    for path in written:
        console.print(f"wrote {path}", soft_wrap=True)


def print_list(plan: Plan) -> None:
    """Print the data sets, with what there is of them, and the learners."""
    console = _console()
    _print(data_table(plan), console)
    rows = [cells([one.name, one.title, one.note]) for one in LEARNERS.values()]
    _print(Table("learners", "Learners", ["name", "title", "what it is"], rows, [], 3), console)


def _console() -> Console:
    console = make_console()
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDE
    return console


def _print(table: Table, console: Console) -> None:
    shown = RichTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for place, word in enumerate(table.heading):
        shown.add_column(word, justify="left" if place < table.words else "right", overflow="fold")
    for row in table.rows:
        shown.add_row(*(Text(cell.text, style=_style(cell.best, cell.aside)) for cell in row))
    if table.caption:
        console.print(Text(table.caption, style="italic"))
    console.print(shown)


def _style(best: bool, aside: bool) -> str:
    return "bold green" if best else "dim" if aside else ""
