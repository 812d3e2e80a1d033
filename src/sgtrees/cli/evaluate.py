"""``sgtrees evaluate``: the metrics of a model on files."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from sgtrees.cli.console import make_console
from sgtrees.cli.console_log import show_log
from sgtrees.cli.errors import report_errors
from sgtrees.cli.evaluation_run import (
    RunResult,
    models_with_baselines,
    raise_error,
    run_evaluation,
)
from sgtrees.cli.input_stream import CommandInput, ordered
from sgtrees.cli.methods import method_of
from sgtrees.cli.model_choice import ModelChoice, choose_model
from sgtrees.cli.model_files import load_model
from sgtrees.cli.option_types import (
    count_option,
    flatten,
    input_path,
    names_option,
    output_path,
)
from sgtrees.cli.options import files_and_target, learning_options, single_tree_option
from sgtrees.cli.paths import check_different_files
from sgtrees.cli.summary import print_skipped, print_summary, summary_json, write_page
from sgtrees.evaluation import Prequential
from sgtrees.evaluation.metrics import METRICS
from sgtrees.extras import install_command
from sgtrees.report import Observations


@click.command()
@files_and_target
@input_path(
    "--model",
    "-m",
    "path",
    help="A saved model to test; it learns nothing. By default a new model is trained and tested.",
)
@names_option("--metrics", help=f"The metrics: {', '.join(METRICS)}.")
@count_option(
    "--window", metavar="ROWS", help="Number of rows in the sliding window of each point."
)
@count_option("--every", metavar="ROWS", help="Rows between two points of the learning curve.")
@click.option(
    "--fading",
    type=click.FloatRange(0.0, 1.0, min_open=True, max_open=True),
    help="Fading factor: also compute metrics in which older rows count less.",
)
@count_option(
    "--delay",
    least=0,
    default=0,
    metavar="ROWS",
    help="Number of rows that are predicted before a row's label becomes known.",
)
@output_path("--report", help="The report page (HTML) to write.")
@single_tree_option
@output_path("--png", help="The learning curve (PNG) to write.")
@learning_options
def evaluate(
    files: Sequence[str],
    target: str | None,
    path: Path | None,
    report: Path | None,
    png: Path | None,
    **options: Any,
) -> None:
    """Evaluate a model: every row is predicted first, then learned.

    With --model a saved model is tested on the files, and learns nothing.

    \b
    Examples:
      sgtrees evaluate flights.csv --target delay --loss absolute_error
      sgtrees evaluate elec2.arff --target class --window 1000 --every 1000 --png curve.png
      sgtrees evaluate test.parquet --model m.sgt --json
    """  # noqa: D301 - \b is click's mark of preformatted lines
    log = make_console(stderr=True, quiet=options["quiet"])
    check_different_files(files, path, report=report, png=png)
    with report_errors(), show_log(log):
        saved = None if path is None else load_model(path)
        choice = choose_model(CommandInput(files, target, options, log), saved)
        observations = Observations(choice.task, method_of(choice.estimator))
        collected = None if report is None else observations
        result = _run(choice, collected, options, log, learns=saved is None)
        written = {
            "report": write_page(report, choice, result, observations, files),
            "picture": _draw(result, png, log),
        }
        skipped = choice.source.skipped
        if options["as_json"]:
            click.echo(summary_json(result, skipped, task=choice.task.value, **written))
        elif not options["quiet"]:
            print_summary(result, make_console(), **written)
        print_skipped(skipped, log)
        if result.error is not None:
            kept = f"The metrics are those of the {result.rows:,} rows before."
            raise_error(result.error, kept, log)


def _run(
    choice: ModelChoice,
    observations: Observations | None,
    options: Mapping[str, Any],
    log: Console,
    *,
    learns: bool,
) -> RunResult:
    has_beside = observations is not None and options["with_single_tree"]
    beside = choice.single_tree if has_beside else None
    try:
        evaluation = Prequential(
            ordered(choice.stream, options).prefetch(),
            models_with_baselines(choice.estimator, choice.task, beside),
            metrics=flatten(options["metrics"]) or None,
            window=options["window"],
            every=options["every"],
            fading=options["fading"],
            delay=options["delay"],
            learns=learns,
        )
    except ValueError as error:
        raise click.UsageError(str(error)) from error
    if observations is not None:
        evaluation.callbacks.append(observations)
    return run_evaluation(evaluation, log, quiet=options["quiet"])


def _draw(result: RunResult, path: Path | None, log: Console) -> Path | None:
    if path is None or not result.evaluation.points:
        return None
    try:
        result.evaluation.plot(path=path)
    except ImportError:
        log.print(f"No picture: {install_command('plot')}", soft_wrap=True)
        return None
    return path
