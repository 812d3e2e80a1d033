"""``sgtrees predict``: predictions of a saved model."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa

from sgtrees.cli.configuration import config_option
from sgtrees.cli.console import make_console
from sgtrees.cli.console_log import show_log
from sgtrees.cli.errors import report_errors
from sgtrees.cli.input_stream import open_files, ordered
from sgtrees.cli.model_files import SavedModel, load_model
from sgtrees.cli.option_types import flatten, input_path, names_option, output_path
from sgtrees.cli.options import files_argument, quiet_option, stream_options
from sgtrees.cli.paths import check_different_files
from sgtrees.cli.progress import ProgressDisplay
from sgtrees.cli.summary import print_skipped
from sgtrees.cli.table_writer import TABLE_FORMATS, TableWriter
from sgtrees.evaluation import Task
from sgtrees.evaluation.tasks import task_of
from sgtrees.streams import Block, Stream


@click.command()
@files_argument
@input_path("--model", "-m", "path", required=True, help="The saved model.")
@output_path(
    "--output",
    "-o",
    default="-",
    may_be_stream=True,
    help="The file to write: .csv, .tsv, .ndjson (also .gz), .parquet or .arrow; - is standard "
    "output.",
)
@click.option(
    "--output-format",
    type=click.Choice(TABLE_FORMATS),
    help="The format to write; by default from the extension, or else CSV.",
)
@names_option("--keep", help="Columns of the input to write too, such as an identifier.")
@click.option("--proba", is_flag=True, help="Write the probability of each label too.")
@stream_options
@quiet_option
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

    Writes a line for each row, in their order: the columns of --keep, then "prediction". Columns
    that the model does not know are ignored, and those that it does not use need not be there.

    \b
    Examples:
      sgtrees predict new.csv --model m.sgt > predictions.csv
      sgtrees predict new.parquet --model m.sgt --keep id --proba --output out.parquet
      tail -f log.ndjson | sgtrees predict - --format ndjson --model m.sgt --output-format ndjson
    """  # noqa: D301 - \b is click's mark of preformatted lines
    log = make_console(stderr=True, quiet=options["quiet"])
    check_different_files(files, path, output=output)
    with report_errors(), show_log(log):
        saved = load_model(path)
        if proba and task_of(saved.estimator) is not Task.CLASSIFICATION:
            raise click.UsageError("--proba is for classification, and this model predicts numbers")
        kept = flatten(options["keep"])
        stream = _open(saved, files, kept, options)
        quiet = options["quiet"] or str(output) == "-"
        display = ProgressDisplay.of_stream(log, stream, quiet=quiet)
        with TableWriter(output, output_format) as writer, display.shown():
            rows = 0
            for block in ordered(stream, options | {"shuffle": None}):
                table = _predictions(saved, block, kept, proba=proba)
                writer.write(_with_integers(table, kept) if writer.is_text else table)
                rows += len(block)
                display.update(rows)
        print_skipped(stream.skipped, log)


def _open(saved: SavedModel, files: Sequence[str], kept: list[str], options: Any) -> Stream:
    columns = dict(saved.columns)
    columns |= {"keep": kept, "may_lack": saved.unused}
    return open_files(files, None, options | {"weight": None}, columns=columns, needs_target=False)


def _predictions(saved: SavedModel, block: Block, kept: list[str], *, proba: bool) -> pa.Table:
    columns: dict[str, Any] = {name: block.X[name] for name in kept}
    known = set(saved.columns["only"])
    X = block.X.select([name for name in block.X.column_names if name in known])
    columns["prediction"] = saved.estimator.predict_many(X)
    if proba:
        probabilities: np.ndarray[Any, Any] = saved.estimator.predict_proba_many(X)
        for label, column in zip(saved.estimator.classes_, probabilities.T, strict=True):
            columns[f"p({label})"] = np.ascontiguousarray(column)
    return pa.table(columns)


def _with_integers(table: pa.Table, kept: list[str]) -> pa.Table:
    """Return kept columns of whole numbers as integers, which are written without an exponent."""
    for name in kept:
        column = table[name]
        if pa.types.is_floating(column.type):
            with contextlib.suppress(pa.ArrowInvalid):
                place = table.schema.get_field_index(name)
                table = table.set_column(place, name, column.cast(pa.int64()))
    return table
