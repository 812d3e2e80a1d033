"""The options that commands share: how rows are read, and what a model is like."""

from collections.abc import Callable
from typing import Any

import click

from sgtrees.losses.built_in import BY_NAME
from sgtrees.streams.files.settings import MISSING
from sgtrees.streams.files.sources import FORMATS

Decorator = Callable[[Any], Any]


class Names(click.ParamType[Any]):
    """Names with commas between them."""

    name = "names"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[str]:  # noqa: ARG002 - click's own
        """Split at commas."""
        if isinstance(value, list | tuple):
            return [str(name) for name in value]
        return [name.strip() for name in str(value).split(",") if name.strip()]


NAMES = Names()


class RoundRows(click.ParamType[Any]):
    """A number of rows, or "auto"."""

    name = "rows"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | str:
        """Read it."""
        if value == "auto":
            return "auto"
        if not str(value).isdigit():
            self.fail(f"{value!r} is neither a number of rows nor 'auto'", param, ctx)
        return int(value)


def joined(names: Any) -> list[str]:
    """Return the names of an option that may be given several times, each with several names."""
    return [name for several in names or () for name in several]


def several(*flags: str, help: str) -> Decorator:  # noqa: A002 - click's word
    """Make an option of names that may be given several times."""
    return click.option(*flags, type=NAMES, multiple=True, metavar="NAMES", help=help)


_STREAM: list[Decorator] = [
    several("--nominal", help="Columns that are nominal (patterns like 'soil_*' too)."),
    several("--numeric", help="Columns that are numeric."),
    several("--drop", help="Columns to leave out."),
    click.option("--weight", metavar="NAME", help="The column of the rows' weights."),
    click.option(
        "--format",
        "file_format",
        type=click.Choice(FORMATS),
        help="The files' format, where their names do not tell.",
    ),
    click.option("--delimiter", metavar="CHAR", help="What stands between values in CSV."),
    click.option("--no-header", is_flag=True, help="CSV without names: they are x0, x1, x2, ..."),
    several(
        "--missing", help=f"What is missing in CSV [default: {' '.join(MISSING[1:])} and nothing]."
    ),
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of CSV."),
    click.option(
        "--on-error",
        type=click.Choice(["raise", "skip"]),
        default="raise",
        show_default=True,
        help="What becomes of rows that cannot be used: the command ends, or they are left out, "
        "counted and listed.",
    ),
    click.option("--limit", type=click.IntRange(min=1), metavar="ROWS", help="Read no more rows."),
]

_ORDER: list[Decorator] = [
    click.option(
        "--shuffle",
        type=click.IntRange(min=1),
        metavar="ROWS",
        help="Mix the rows through a buffer of so many.",
    ),
    click.option(
        "--seed",
        type=click.IntRange(min=0),
        default=0,
        show_default=True,
        help="Seed of the shuffle.",
    ),
]

_MODEL: list[Decorator] = [
    click.option(
        "--task",
        type=click.Choice(["auto", "classification", "regression"]),
        default="auto",
        show_default=True,
        help="What is predicted; auto goes by the loss, or by the target's values.",
    ),
    click.option(
        "--loss",
        metavar="NAME[:VALUE]",
        help=f"The loss: {', '.join(BY_NAME)}. Some take a number: quantile:0.9, tweedie:1.5.",
    ),
    click.option("--multiclass", metavar="HOW", help="How more than two classes are told apart."),
    click.option("--paper", is_flag=True, help="The paper's settings, in place of the defaults."),
    click.option(
        "--leaf-model",
        type=click.Choice(["constant", "linear"]),
        help="What a leaf predicts: a value, or a linear function of the numeric columns.",
    ),
    click.option("--grace-period", type=int, metavar="ROWS", help="Rows of a leaf between looks."),
    click.option("--grace-growth", type=float, help="Or this share of the rows that it has."),
    click.option("--delta", type=float, help="Level of the test."),
    click.option("--kept-rows", type=int, help="Rows that a leaf keeps for its branches."),
    click.option("--reg-lambda", type=float, help="Shrinks steps."),
    click.option("--gamma", type=float, help="Price of a branch."),
    click.option("--bins", "n_bins", type=int, help="Bins of a numeric column."),
    click.option("--binning", type=click.Choice(["uniform", "quantile"]), help="How they are cut."),
    click.option("--warm-up", type=int, metavar="ROWS", help="Rows that set ranges and start."),
    click.option("--max-depth", type=int, help="Depth of the tree."),
    click.option("--max-leaves", type=int, help="Leaves of the tree."),
    click.option(
        "--max-memory",
        metavar="SIZE",
        default="80MB",
        show_default=True,
        help="Memory of the model, so that files of any size fit; or: unlimited.",
    ),
    click.option(
        "--round-rows",
        type=RoundRows(),
        metavar="ROWS",
        help="Rows between changes of the trees, or: auto [default: 1; with --dask auto].",
    ),
    click.option("--threads", "n_threads", type=int, help="Threads; the model is the same."),
]

_OUTPUT: list[Decorator] = [
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
    click.option("--quiet", "-q", is_flag=True, help="No progress and no notes."),
]


def _all(decorators: list[Decorator]) -> Decorator:
    def add(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return add


files_argument = click.argument("files", nargs=-1, required=True, metavar="FILES...")
stream_options = _all(_STREAM)
order_options = _all(_ORDER)
model_options = _all(_MODEL)
output_options = _all(_OUTPUT)
target_option = click.option(
    "--target", "-t", metavar="NAME", help="The column to predict; a place like -1 too."
)
