"""``sgtrees train``: from files to a model, with an honest error and a report."""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from sgtrees.checkpoint import Checkpoints
from sgtrees.cli.configuration import config_option
from sgtrees.cli.exit_codes import INTERRUPTED
from sgtrees.cli.failures import WrongData, told
from sgtrees.cli.hints import hints
from sgtrees.cli.model_files import Saved, load_model, save_model
from sgtrees.cli.modelling import Choice, choose_model
from sgtrees.cli.options import (
    files_argument,
    model_options,
    order_options,
    output_options,
    stream_options,
    target_option,
)
from sgtrees.cli.outcome import as_json, print_ending, print_skipped
from sgtrees.cli.reading import in_order, read_stream
from sgtrees.cli.session import TREE, Ending, baseline_name, learn
from sgtrees.cli.train_on_dask import train_on_dask
from sgtrees.cli.writing import writable
from sgtrees.evaluation import Prequential, Task, baseline_for
from sgtrees.evaluation.tasks import task_of
from sgtrees.report import Observations, Page, write_report
from sgtrees.streams import Stream, StreamError

_SECONDS_BETWEEN_CHECKPOINTS = 60.0


@click.command()
@files_argument
@target_option
@click.option(
    "--model",
    "-m",
    "path",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=writable,
    metavar="PATH",
    help="Where to save the model.",
)
@click.option(
    "--report",
    type=click.Path(dir_okay=False, path_type=Path),
    callback=writable,
    metavar="PATH",
    help="Where to write a page (HTML) that shows what was learned.",
)
@click.option("--resume", is_flag=True, help="Go on where the model, or the last checkpoint, was.")
@click.option("--update", is_flag=True, help="Let the model learn these files after all others.")
@click.option("--overwrite", is_flag=True, help="Replace a model that is there.")
@click.option(
    "--checkpoint",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Save a checkpoint there every minute, from which --resume goes on after a crash.",
)
@click.option(
    "--dask",
    "cluster",
    metavar="ADDRESS",
    help="Learn on a Dask cluster: its scheduler, like tcp://host:8786; or: local.",
)
@order_options
@stream_options
@model_options
@output_options
@config_option
def train(
    files: Sequence[str],
    target: str | None,
    path: Path | None,
    report: Path | None,
    **options: Any,
) -> None:
    """Learn files in one pass, and save the model.

    Every row is predicted first, and learned then: the error that is told is one of rows not seen
    before. Files may be CSV, TSV, NDJSON, ARFF (also packed), Parquet or Arrow, a folder, a
    pattern, or - for standard input. Memory does not depend on their size.

    Ctrl-C saves what was learned, and --resume goes on from there.

    \b
    Examples:
      sgtrees train flights.csv --target delay --loss absolute_error --model m.sgt --report r.html
      zcat logs/*.csv.gz | sgtrees train - --target label --drop id,date --model m.sgt
      sgtrees train flights.csv --target delay --model m.sgt --resume
      sgtrees train --config run.toml
      sgtrees train 'flights/*.parquet' --target delay --model m.sgt --dask tcp://scheduler:8786
    """  # noqa: D301 - \b is click's own mark of lines to leave as they are
    log = Console(stderr=True, highlight=False, quiet=options["quiet"])
    if path is None and report is None:
        raise click.UsageError("nothing would be kept: say --model or --report (or both)")
    if options["cluster"] is not None:
        with told():
            train_on_dask(files, target, path, {"report": report, **options}, log)
        return
    with told():
        training = _Training(files, target, path, options, log, reports=report is not None)
        ending = training.run()
        _finish(files, training, ending, report, options)


class _Training:
    """What is trained, on what, and where it is kept."""

    def __init__(
        self,
        files: Sequence[str],
        target: str | None,
        path: Path | None,
        options: Mapping[str, Any],
        log: Console,
        *,
        reports: bool,
    ) -> None:
        self.path = path
        self.reports = reports
        self.options = options
        self.log = log
        self.checkpoints = (
            None
            if options["checkpoint"] is None
            else Checkpoints(options["checkpoint"], every_seconds=_SECONDS_BETWEEN_CHECKPOINTS)
        )
        self.saved = self._saved()
        self.notes: dict[str, Any] = dict(self.saved.notes) if self.saved else {}
        target = target or self.notes.get("target")
        if target is None:
            raise click.UsageError("Missing option '--target' / '-t'.")
        stream = self._open(files, target)
        assert stream.target is not None
        self.notes["target"] = stream.target.name
        self.source = stream
        self.choice, self.stream = self._choose(stream)
        skipped = self.saved.rows if self.saved is not None and options["resume"] else 0
        self.before = skipped or 0
        ordered = in_order(self.stream, options)
        self.stream = (ordered.skip(self.before) if self.before else ordered).prefetch()

    def _saved(self) -> Saved | None:
        """Return the model to go on with, if there is one."""
        options, path = self.options, self.path
        if options["resume"] and options["update"]:
            raise click.UsageError("--resume and --update exclude one another")
        if self.checkpoints is not None:
            try:
                last = self.checkpoints.begin(resume=options["resume"])
            except FileExistsError as error:
                raise click.UsageError(f"{error} (--resume)") from error
            if last is not None:
                self.log.print(
                    f"Going on from {last.path}, after {last.rows:,} rows.", soft_wrap=True
                )
                notes = last.progress if isinstance(last.progress, dict) else {}
                return Saved(last.estimator, last.rows, notes)
        exists = path is not None and path.exists()
        if not exists:
            if options["update"]:
                raise click.UsageError(f"there is no model {path} to update")
            return None
        assert path is not None
        if options["overwrite"]:
            return None
        if not (options["resume"] or options["update"]):
            raise click.UsageError(
                f"{path} exists: --resume goes on where it stopped in these files, --update learns "
                "these files after those before, --overwrite begins anew"
            )
        saved = load_model(path)
        if options["resume"] and saved.rows is None:
            raise click.UsageError(f"{path} does not tell where it stopped; --update learns on")
        where = f"after {saved.rows:,} rows" if options["resume"] else "with further rows"
        self.log.print(f"Going on with {path}, {where}.", soft_wrap=True)
        return saved

    def _open(self, files: Sequence[str], target: str) -> Stream:
        kinds = None if self.saved is None else self.saved.kinds
        return read_stream(files, target, self.options, kinds=kinds)

    def _choose(self, stream: Stream) -> tuple[Choice, Stream]:
        first, stream = stream.peek()
        if first is None:
            raise StreamError("there are no rows")
        if self.saved is not None:
            task = task_of(self.saved.estimator) or Task.REGRESSION
            return Choice(self.saved.estimator, task, ""), stream
        choice = choose_model(stream, first, self.options)
        for words in [choice.reason, *hints(first)]:
            if words:
                self.log.print(words, soft_wrap=True, markup=False)
        return choice, stream

    def run(self) -> Ending:
        model = self.choice.estimator
        models = {TREE: model, baseline_name(self.choice.task): baseline_for(self.choice.task)}
        evaluation = Prequential(self.stream, models)
        self.observations = Observations(self.choice.task, TREE)
        if self.reports:
            evaluation.callbacks.append(self.observations)

        def checkpoint(rows: int) -> None:
            if self.checkpoints is not None:
                self.checkpoints.after(model, self.before + rows, self.notes)

        return learn(evaluation, self.log, quiet=self.options["quiet"], after=checkpoint)

    def save(self, rows: int) -> Path | None:
        if self.path is None or rows + self.before == 0:
            return None
        model = self.choice.estimator
        if self.checkpoints is not None:
            self.checkpoints.save(model, self.before + rows, self.notes)
        return save_model(model, self.path, self.before + rows, self.notes)


def _finish(
    files: Sequence[str],
    training: _Training,
    ending: Ending,
    report: Path | None,
    options: Mapping[str, Any],
) -> None:
    saved = training.save(ending.rows)
    skipped = training.source.skipped
    written = None
    if report is not None and ending.evaluation.points:
        page = Page(
            evaluation=ending.evaluation,
            estimator=training.choice.estimator,
            target=training.notes["target"],
            sources=list(files),
            seconds=ending.seconds,
            skipped=skipped.rows,
            observations=training.observations,
            command=" ".join(["sgtrees", *sys.argv[1:]]),
        )
        written = write_report(page, report)
    if options["as_json"]:
        more = {"first_row": training.before, "model": saved, "report": written}
        click.echo(as_json(ending, skipped, task=training.choice.task.value, **more))
    else:
        print_ending(ending, Console(highlight=False), model=saved, report=written)
    print_skipped(skipped, training.log)
    _stop(training, ending, saved)


def _stop(training: _Training, ending: Ending, saved: Path | None) -> None:
    """End with the right code where something stopped the training."""
    error = ending.error
    if error is None:
        return
    learned = f"{training.before + ending.rows:,} rows"
    if ending.rows == 0:
        kept = "Nothing was learned."
    elif saved is None:
        kept = f"{learned} were learned; no model was asked for."
    else:
        kept = f"What was learned from {learned} is in {saved}; --resume goes on from there."
    if isinstance(error, KeyboardInterrupt):
        training.log.print(f"Stopped. {kept}", soft_wrap=True)
        raise click.exceptions.Exit(INTERRUPTED)
    if isinstance(error, OSError):
        raise click.ClickException(f"{error.strerror or error}. {kept}") from error
    raise WrongData(f"{error}\n{kept}") from error
