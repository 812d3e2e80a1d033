"""``sgtrees predict``: what a saved model says of rows."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa
from rich.console import Console

from sgtrees.cli.configuration import config_option
from sgtrees.cli.failures import told
from sgtrees.cli.model_files import Saved, load_model
from sgtrees.cli.options import files_argument, joined, several, stream_options
from sgtrees.cli.outcome import print_skipped
from sgtrees.cli.progress import Watch
from sgtrees.cli.reading import in_order, read_stream
from sgtrees.cli.table_files import TABLE_FORMATS, TableWriter
from sgtrees.cli.writing import writable
from sgtrees.evaluation import Task
from sgtrees.evaluation.tasks import task_of
from sgtrees.streams import Block, Stream


@click.command()
@files_argument
@click.option(
    "--model",
    "-m",
    "path",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    metavar="PATH",
    help="The saved model.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    callback=writable,
    default="-",
    show_default=True,
    metavar="PATH",
    help="Where to write: .csv, .ndjson, .parquet or .arrow; - is standard output.",
)
@click.option("--output-format", type=click.Choice(TABLE_FORMATS), help="Where names do not tell.")
@several("--keep", help="Columns of the input to write too, an identifier say.")
@click.option("--proba", is_flag=True, help="The probability of each label too.")
@stream_options
@click.option("--quiet", "-q", is_flag=True, help="No progress and no notes.")
@config_option
def predict(
    files: Sequence[str],
    path: Path,
    output: Path,
    output_format: str | None,
    *,
    proba: bool,
    **options: Any,
) -> None:
    """Predict the rows of files with a saved model.

    A line for each row is written, in their order: the column "prediction", after those that --keep
    names. Columns that the model does not know are passed over.

    \b
    Examples:
      sgtrees predict new.csv --model m.sgt > predictions.csv
      sgtrees predict new.parquet --model m.sgt --keep id --proba --output out.parquet
      tail -f log.ndjson | sgtrees predict - --format ndjson --model m.sgt --output-format ndjson
    """  # noqa: D301 - \b is click's own mark of lines to leave as they are
    log = Console(stderr=True, highlight=False, quiet=options["quiet"])
    with told():
        saved = load_model(path)
        if proba and task_of(saved.estimator) is not Task.CLASSIFICATION:
            raise click.UsageError("--proba is for classification, and this model predicts numbers")
        kept = joined(options["keep"])
        stream = _open(saved, files, kept, options)
        watch = Watch(log, stream, quiet=options["quiet"] or str(output) == "-")
        with TableWriter(output, output_format) as writer, watch.shown():
            rows = 0
            for block in in_order(stream, options | {"shuffle": None}):
                writer.write(_predicted(saved, block, kept, proba=proba))
                rows += len(block)
                watch.tell(rows)
        print_skipped(stream.skipped, log)


def _open(saved: Saved, files: Sequence[str], kept: list[str], options: Any) -> Stream:
    kinds = dict(saved.kinds)
    kinds["only"] = [*kinds["only"], *(name for name in kept if name not in kinds["only"])]
    return read_stream(files, None, options | {"weight": None}, kinds=kinds, needs_target=False)


def _predicted(saved: Saved, block: Block, kept: list[str], *, proba: bool) -> pa.Table:
    columns: dict[str, Any] = {name: block.X[name] for name in kept}
    X = block.X.select(saved.features)
    columns["prediction"] = saved.estimator.predict(X)
    if proba:
        probabilities: np.ndarray[Any, Any] = saved.estimator.predict_proba(X)
        for label, column in zip(saved.estimator.classes_, probabilities.T, strict=True):
            columns[f"p({label})"] = np.ascontiguousarray(column)
    return pa.table(columns)
