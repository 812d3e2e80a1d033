"""``sgtrees train``: a model from files, with its prequential error and a report."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sgtrees.checkpoint import Checkpoints
from sgtrees.cli.broker_run import BrokerRun, start_of, without_position
from sgtrees.cli.console import counted, make_console
from sgtrees.cli.console_log import show_log
from sgtrees.cli.dask_training import train_on_dask
from sgtrees.cli.errors import collect_failures, report_errors
from sgtrees.cli.evaluation_run import (
    DeferredInterrupts,
    RunResult,
    models_with_baselines,
    raise_error,
    run_evaluation,
    run_passes,
)
from sgtrees.cli.input_stream import CommandInput, ordered
from sgtrees.cli.methods import method_of
from sgtrees.cli.model_choice import choose_model
from sgtrees.cli.model_files import SavedModel, load_model, save_model
from sgtrees.cli.option_types import count_option, output_path
from sgtrees.cli.options import files_and_target, learning_options, single_tree_option
from sgtrees.cli.paths import check_different_files
from sgtrees.cli.summary import print_skipped, print_summary, summary_json, write_page
from sgtrees.evaluation import Prequential
from sgtrees.persistence import ModelFileError
from sgtrees.report import Observations
from sgtrees.streams import Block, StreamError


@click.command()
@files_and_target
@output_path("--model", "-m", "path", help="The model file to write.")
@output_path("--report", help="The report page (HTML) to write.")
@single_tree_option
@click.option(
    "--resume",
    is_flag=True,
    help="Continue a stopped training of the same files, from its model or last checkpoint.",
)
@click.option("--update", is_flag=True, help="Continue the training of the model with these files.")
@click.option("--overwrite", is_flag=True, help="Replace an existing model.")
@click.option(
    "--checkpoint",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Save checkpoints there, from which --resume continues after a crash.",
)
@click.option(
    "--checkpoint-seconds",
    type=click.FloatRange(min=0.0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="The time between two checkpoints.",
)
@click.option(
    "--predictions",
    metavar="ADDRESS",
    help="A topic or stream for the prediction of each row, made before the row was learned.",
)
@count_option(
    "--epochs",
    default=1,
    metavar="N",
    help="Number of passes over the files. The printed error is that of the first.",
)
@click.option(
    "--dask",
    "cluster",
    metavar="ADDRESS",
    help="Train on a Dask cluster: the address of its scheduler, like tcp://host:8786, or local.",
)
@learning_options
def train(
    files: Sequence[str],
    target: str | None,
    path: Path | None,
    report: Path | None,
    **options: Any,
) -> None:
    """Train a model on files, or on a topic or stream of a broker, in one pass, and save it.

    Every row is predicted first, then learned: the printed error is that of unseen rows. Files may
    be CSV, TSV, NDJSON, ARFF (also compressed), Parquet or Arrow, a folder, a pattern, or - for
    standard input. Memory does not depend on their size.

    Ctrl-C and SIGTERM save the model, and --resume continues from there. Messages of Kafka and
    Redis are learned until then: the model file has the offsets.

    \b
    Examples:
      sgtrees train flights.csv --target delay --loss absolute_error --model m.sgt --report r.html
      zcat logs/*.csv.gz | sgtrees train - --target label --drop id,date --model m.sgt
      sgtrees train flights.csv --target delay --model m.sgt --resume
      sgtrees train --config run.toml
      sgtrees train redis://localhost/flights --target delay --model m.sgt --checkpoint c --resume
      sgtrees train 'flights/*.parquet' --target delay --model m.sgt --dask tcp://scheduler:8786
    """  # noqa: D301 - \b is click's mark of preformatted lines
    log = make_console(stderr=True, quiet=options["quiet"])
    if path is None and report is None:
        raise click.UsageError("nothing would be saved: give --model or --report (or both)")
    check_different_files(files, model=path, report=report)
    with report_errors(), show_log(log):
        if options["cluster"] is not None:
            given = CommandInput(files, target, {"report": report, **options}, log)
            train_on_dask(given, path)
            return
        training = _Training(CommandInput(files, target, options, log), path)
        # What stops the command after the last row is noticed when all is saved.
        with DeferredInterrupts() as interrupts, interrupts.held() as late:
            result = training.run(with_observations=report is not None)
            # What cannot be written costs nothing else; the model comes first.
            model = page = None
            failures: list[str] = []
            with collect_failures(failures):
                model = training.save_model(result.rows)
            with collect_failures(failures):
                training.save_checkpoint(result.rows)
            with collect_failures(failures):
                page = write_page(report, training.choice, result, training.observations, files)
            training.print(result, model=model, report=page)
        error = result.error or next(iter(late), None)
        if error is not None:
            kept = training.kept(result, model)
            raise_error(error, " ".join([kept, *failures]), log)
        if failures:
            raise click.ClickException("; ".join(failures))


class _Training:
    """A model, its stream, and the files in which it is kept."""

    def __init__(self, given: CommandInput, path: Path | None) -> None:
        self.path = path
        self.options = given.options
        self._check_epochs(given)
        self.log = given.log
        folder = self.options["checkpoint"]
        self.checkpoints = (
            None
            if folder is None
            else Checkpoints(folder, every_seconds=self.options["checkpoint_seconds"])
        )
        self.has_lost_a_checkpoint = False
        saved = self._saved()
        start = start_of(given.files, self.options, None if saved is None else saved.notes)
        given = replace(given, options={**self.options, "start": start})
        self.choice = choose_model(given, saved)
        before = dict(saved.notes) if saved is not None else {}
        self.notes = without_position(before) | {"target": self.choice.target}
        name = method_of(self.choice.estimator)
        self.broker = BrokerRun(self.choice.source, name, self.options, before)
        self.observations = Observations(self.choice.task, name)
        self.first_row = (saved.rows or 0) if saved is not None and self.options["resume"] else 0

    def _check_epochs(self, given: CommandInput) -> None:
        if self.options["epochs"] == 1:
            return
        if "-" in given.files:
            raise click.UsageError("--epochs needs files: standard input can be read only once")
        for name in ("resume", "checkpoint"):
            if self.options[name]:
                raise click.UsageError(f"--{name} is for a single pass: leave --epochs out")

    def _saved(self) -> SavedModel | None:
        """Return the model to continue with, if there is one."""
        options, path = self.options, self.path
        if options["resume"] and options["update"]:
            raise click.UsageError("--resume and --update cannot be combined")
        from_checkpoint = self._from_checkpoint()
        if from_checkpoint is not None:
            return from_checkpoint
        if path is None or not path.exists():
            if options["update"]:
                raise click.UsageError(f"there is no model {path} to update")
            return None
        if options["overwrite"]:
            return None
        if not (options["resume"] or options["update"]):
            raise click.UsageError(
                f"{path} exists: --resume continues where it stopped in these files, --update "
                "learns these files in addition, --overwrite starts from scratch"
            )
        saved = load_model(path)
        if options["resume"] and saved.rows is None:
            raise click.UsageError(
                f"{path} does not contain where it stopped; --update continues with these files"
            )
        where = f"after {saved.rows:,} rows" if options["resume"] else "with further rows"
        self.log.print(f"Continuing with {path}, {where}.", soft_wrap=True)
        return saved

    def _from_checkpoint(self) -> SavedModel | None:
        if self.checkpoints is None:
            return None
        try:
            last = self.checkpoints.begin(resume=self.options["resume"])
        except FileExistsError as error:
            raise click.UsageError(f"{error} (--resume)") from error
        if last is None:
            return None
        self.log.print(f"Continuing from {last.path}, after {last.rows:,} rows.", soft_wrap=True)
        notes = last.progress if isinstance(last.progress, dict) else {}
        return SavedModel(last.estimator, last.rows, notes)

    def run(self, *, with_observations: bool) -> RunResult:
        model = self.choice.estimator
        stream = ordered(self.choice.stream, self.options)
        if self.first_row and not self.broker.has_positions:
            stream = stream.skip(self.first_row)
        has_beside = with_observations and self.options["with_single_tree"]
        beside = self.choice.single_tree if has_beside else None
        models = models_with_baselines(model, self.choice.task, beside)
        evaluation = Prequential(stream.prefetch(), models)
        if with_observations:
            evaluation.callbacks.append(self.observations)

        evaluation.callbacks.append(self.broker.keep)
        self.broker.labels_of = lambda: evaluation.labels
        evaluation.after_parts.append(self._after)
        quiet = self.options["quiet"]
        result = run_evaluation(evaluation, self.log, quiet=quiet, lag=lambda: self.broker.lag)
        result = self._flushed(result)
        return result if result.error is not None else self._repeat(result)

    def _flushed(self, result: RunResult) -> RunResult:
        """Wait for predictions on their way; those that do not arrive are saved with the model."""
        try:
            self.broker.flush()
        except StreamError as error:
            return replace(result, error=result.error or error)
        return result

    def _after(self, rows: int, block: Block) -> None:
        """Save a checkpoint after a block if one is due."""
        self.broker.after(block)
        rows += self.first_row
        if self.checkpoints is None or not self.checkpoints.is_due(rows):
            return
        self.broker.flush()
        try:
            self.checkpoints.after(self.choice.estimator, rows, self._notes())
        except (OSError, ModelFileError) as error:
            self._report_lost_checkpoint(error)

    def _notes(self) -> dict[str, Any]:
        return self.notes | self.broker.notes

    def _repeat(self, result: RunResult) -> RunResult:
        """Learn the rows again, in further passes."""
        began = time.perf_counter()
        error = run_passes(
            self.choice.estimator,
            lambda number: ordered(self.choice.source, _of_pass(self.options, number)),
            self.options["epochs"] - 1,
        )
        seconds = result.seconds + time.perf_counter() - began
        return replace(result, seconds=seconds, error=error)

    def _report_lost_checkpoint(self, error: OSError | ModelFileError) -> None:
        """Say once that checkpoints cannot be written: the model may well be."""
        if not self.has_lost_a_checkpoint:
            self.has_lost_a_checkpoint = True
            reason = getattr(error, "strerror", None) or error
            self.log.print(f"No checkpoint: {reason}. The training goes on.", soft_wrap=True)

    def save_model(self, rows: int) -> Path | None:
        if self.path is None or rows + self.first_row == 0:
            return None
        return save_model(self.choice.estimator, self.path, self.first_row + rows, self._notes())

    def save_checkpoint(self, rows: int) -> None:
        if self.checkpoints is not None and rows + self.first_row > 0:
            self.checkpoints.save(self.choice.estimator, self.first_row + rows, self._notes())

    def print(self, result: RunResult, **written: Path | None) -> None:
        skipped = self.choice.source.skipped
        if self.options["as_json"]:
            more = {"task": self.choice.task.value, "first_row": self.first_row, **written}
            more |= {} if self.broker.lag is None else {"lag": self.broker.lag}
            click.echo(summary_json(result, skipped, **more))
        elif not self.options["quiet"]:
            print_summary(result, make_console(), **written)
        print_skipped(skipped, self.log)

    def kept(self, result: RunResult, model: Path | None) -> str:
        """Return a sentence about what is kept of a training that was stopped."""
        rows = counted(self.first_row + result.rows, "row")
        if result.rows == 0:
            return "Nothing was learned."
        if model is None and self.path is not None:
            return f"Learned: {rows}."
        if model is None:
            return f"Learned: {rows}; no model was saved, as --model is not given."
        if self.options["epochs"] > 1:
            return (
                f"The model is in {model}; its first pass learned {rows}. --resume is for "
                "a single pass: --update learns files in addition, --overwrite starts anew."
            )
        return f"The model after {rows} is in {model}; --resume continues from there."


def _of_pass(options: Mapping[str, Any], number: int) -> dict[str, Any]:
    """Return the options of a further pass, which shuffles in another order."""
    return {**options, "seed": options["seed"] + number}
