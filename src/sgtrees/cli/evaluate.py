"""``sgtrees evaluate``: how good a tree is on files, before or after it was trained."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from sgtrees.cli.configuration import config_option
from sgtrees.cli.exit_codes import INTERRUPTED
from sgtrees.cli.failures import WrongData, told
from sgtrees.cli.hints import hints
from sgtrees.cli.model_files import load_model
from sgtrees.cli.modelling import choose_model
from sgtrees.cli.options import (
    files_argument,
    joined,
    model_options,
    order_options,
    output_options,
    several,
    stream_options,
    target_option,
)
from sgtrees.cli.outcome import as_json, print_ending, print_skipped
from sgtrees.cli.reading import in_order, read_stream
from sgtrees.cli.session import TREE, Ending, baseline_name, learn
from sgtrees.cli.writing import writable
from sgtrees.evaluation import Prequential, Task, baseline_for
from sgtrees.evaluation.metrics import METRICS
from sgtrees.evaluation.tasks import task_of
from sgtrees.report import Observations, Page, write_report
from sgtrees.streams import Stream, StreamError


@click.command()
@files_argument
@target_option
@click.option(
    "--model",
    "-m",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="PATH",
    help="A saved model, to be tested as it is. Without it a new one is tested and trained.",
)
@several("--metrics", help=f"Which figures: {', '.join(METRICS)}.")
@click.option(
    "--window", type=click.IntRange(min=1), metavar="ROWS", help="Rows of a sliding window."
)
@click.option(
    "--every", type=click.IntRange(min=1), metavar="ROWS", help="Rows between two points."
)
@click.option(
    "--fading",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    help="Factor by which a row counts less with each row after it.",
)
@click.option(
    "--delay",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="ROWS",
    help="Further rows that are predicted before a row's label comes.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=writable,
    metavar="PATH",
    help="Where to write a page (HTML) that shows what came out.",
)
@click.option(
    "--png",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=writable,
    metavar="PATH",
    help="Where to draw the learning curve.",
)
@order_options
@stream_options
@model_options
@output_options
@config_option
def evaluate(
    files: Sequence[str],
    target: str | None,
    path: Path | None,
    report: Path | None,
    png: Path | None,
    **options: Any,
) -> None:
    """Tell how good a tree is: every row is predicted first, and learned then.

    With --model a saved model is tested on the files, and learns nothing.

    \b
    Examples:
      sgtrees evaluate flights.csv --target delay --loss absolute_error
      sgtrees evaluate elec2.arff --target class --window 1000 --every 1000 --png curve.png
      sgtrees evaluate test.parquet --model m.sgt --json
    """  # noqa: D301 - \b is click's own mark of lines to leave as they are
    log = Console(stderr=True, highlight=False, quiet=options["quiet"])
    with told():
        trial = _Trial(files, target, path, options, log)
        ending = trial.run()
        written = _write(trial, ending, files, report, png)
        skipped = trial.source.skipped
        if options["as_json"]:
            click.echo(as_json(ending, skipped, task=trial.task.value, **written))
        else:
            print_ending(ending, Console(highlight=False), **written)
        print_skipped(skipped, log)
        _stop(ending, log)


class _Trial:
    """What is evaluated, and on what."""

    def __init__(
        self,
        files: Sequence[str],
        target: str | None,
        path: Path | None,
        options: Mapping[str, Any],
        log: Console,
    ) -> None:
        self.options = options
        self.log = log
        saved = None if path is None else load_model(path)
        target = target or (saved.notes.get("target") if saved else None)
        if target is None:
            raise click.UsageError("Missing option '--target' / '-t'.")
        self.source = read_stream(files, target, options, kinds=saved.kinds if saved else None)
        first, stream = self.source.peek()
        if first is None:
            raise StreamError("there are no rows")
        self.is_test = saved is not None
        if saved is not None:
            self.estimator: Any = saved.estimator
            self.task = task_of(saved.estimator) or Task.REGRESSION
        else:
            choice = choose_model(stream, first, options)
            self.estimator, self.task = choice.estimator, choice.task
            for words in [choice.reason, *hints(first)]:
                if words:
                    log.print(words, soft_wrap=True, markup=False)
        self.stream: Stream = in_order(stream, options).prefetch()

    def run(self) -> Ending:
        models = {TREE: self.estimator}
        if not self.is_test:
            models[baseline_name(self.task)] = baseline_for(self.task)
        options = self.options
        try:
            evaluation = Prequential(
                self.stream,
                models,
                metrics=joined(options["metrics"]) or None,
                window=options["window"],
                every=options["every"],
                fading=options["fading"],
                delay=options["delay"],
                learns=not self.is_test,
            )
        except ValueError as error:
            raise click.UsageError(str(error)) from error
        self.observations = Observations(self.task, TREE)
        evaluation.callbacks.append(self.observations)
        return learn(evaluation, self.log, quiet=options["quiet"])


def _write(
    trial: _Trial, ending: Ending, files: Sequence[str], report: Path | None, png: Path | None
) -> dict[str, Path | None]:
    written: dict[str, Path | None] = {"report": None, "picture": None}
    if not ending.evaluation.points:
        return written
    if report is not None:
        page = Page(
            evaluation=ending.evaluation,
            estimator=trial.estimator,
            target=trial.source.target.name if trial.source.target else "",
            sources=list(files),
            seconds=ending.seconds,
            skipped=trial.source.skipped.rows,
            observations=trial.observations,
            command=" ".join(["sgtrees", *sys.argv[1:]]),
        )
        written["report"] = write_report(page, report)
    if png is not None:
        try:
            ending.evaluation.plot(path=png)
            written["picture"] = png
        except ImportError:
            trial.log.print("No picture: pip install 'sgtrees[plot]'", markup=False, soft_wrap=True)
    return written


def _stop(ending: Ending, log: Console) -> None:
    """End with the right code where something stopped the evaluation."""
    error = ending.error
    if error is None:
        return
    if isinstance(error, KeyboardInterrupt):
        log.print(f"Stopped after {ending.rows:,} rows.")
        raise click.exceptions.Exit(INTERRUPTED)
    if isinstance(error, OSError):
        raise click.ClickException(error.strerror or str(error)) from error
    raise WrongData(f"{error}\nThe figures are of the {ending.rows:,} rows before.") from error
