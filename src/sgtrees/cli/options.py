"""The options that commands share: how rows are read, and what a model is like."""

from collections.abc import Callable
from typing import Any

import click

from sgtrees.losses.built_in import BY_NAME
from sgtrees.parameters.parameter import Parameter
from sgtrees.parameters.table import PARAMETERS
from sgtrees.streams.files.csv_options import MISSING_VALUES
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


class NumberOrWord(click.ParamType[Any]):
    """A number, or one of some words."""

    name = "number"

    def __init__(self, words: tuple[str, ...]) -> None:
        self._words = words

    def convert(self, value: Any, param: Any, ctx: Any) -> int | str:
        """Read it."""
        if value in self._words:
            return str(value)
        if not str(value).isdigit():
            words = " nor ".join(map(repr, self._words))
            self.fail(f"{value!r} is neither a number nor {words}", param, ctx)
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
        "--missing",
        help=f"What is missing in CSV [default: {' '.join(MISSING_VALUES[1:])} and nothing].",
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

MODEL_PARAMETERS: list[Parameter] = [row for row in PARAMETERS.values() if row.flag]
"""The parameters that are options of the command."""

# Options whose defaults are not those of the estimators: (default, what the help adds).
_DEFAULTS: dict[str, tuple[Any, str]] = {
    # So that files of any size fit.
    "max_memory": ("80MB", "[default: 80MB; unlimited for no bound]"),
    "round_rows": (None, "[default: 1; with --dask auto]"),
}


def _model_option(row: Parameter) -> Decorator:
    default, note = _DEFAULTS.get(row.name, (None, ""))
    return click.option(
        row.flag,
        row.name,
        type=_click_type(row),
        metavar=row.metavar,
        default=default,
        help=f"{row.help} {note}".strip().replace("``", ""),
    )


def _click_type(row: Parameter) -> Any:
    if str in row.members:
        return str
    if row.words:
        return click.Choice(row.words) if row.number is None else NumberOrWord(row.words)
    return row.number


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
    click.option("--paper", is_flag=True, help="The paper's settings, in place of the defaults."),
    *(_model_option(row) for row in MODEL_PARAMETERS),
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
