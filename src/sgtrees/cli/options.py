"""The options that commands share: input files, order of rows, model, and output."""

from typing import Any

import click

from sgtrees.cli.configuration import config_option
from sgtrees.cli.methods import METHODS, TREE
from sgtrees.cli.option_types import (
    Decorator,
    NumberList,
    OptionType,
    count_option,
    input_path,
    names_option,
)
from sgtrees.losses.built_in import BY_NAME
from sgtrees.parameters.parameter import Parameter
from sgtrees.parameters.table.rows import PARAMETERS
from sgtrees.streams.brokers.messages import PAYLOAD_FORMATS
from sgtrees.streams.files.csv_options import MISSING_VALUES
from sgtrees.streams.files.sources import FORMATS


class NumberOrWord(OptionType):
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


_STREAM: list[Decorator] = [
    names_option("--nominal", help="Columns to read as nominal; also patterns like 'soil_*'."),
    names_option("--numeric", help="Columns to read as numeric."),
    names_option("--time", help="Columns to read as dates and times."),
    names_option("--drop", help="Columns to ignore; a name with a comma in double quotes."),
    click.option("--weight", metavar="NAME", help="The column with the rows' weights."),
    click.option(
        "--format",
        "file_format",
        type=click.Choice(list(dict.fromkeys([*FORMATS, *PAYLOAD_FORMATS]))),
        help="The format of files, by default from their extensions; or of messages.",
    ),
    click.option("--delimiter", metavar="CHAR", help="The character between values in CSV."),
    click.option("--no-header", is_flag=True, help="CSV without a header: columns are x0, x1, ..."),
    names_option(
        "--missing",
        help=f"Missing values in CSV [default: {' '.join(MISSING_VALUES[1:])} and empty].",
    ),
    click.option("--encoding", default="utf-8", show_default=True, help="Encoding of text files."),
    click.option(
        "--decimal",
        default=".",
        show_default=True,
        metavar="CHAR",
        help="The character before decimals in CSV.",
    ),
    click.option(
        "--thousands",
        default="",
        metavar="CHAR",
        help="The character between groups of three digits in CSV. [default: none]",
    ),
    click.option(
        "--time-format",
        metavar="FORMAT",
        help="How --time columns are written in CSV, like %d.%m.%Y. [default: ISO 8601]",
    ),
    click.option(
        "--on-error",
        type=click.Choice(["raise", "skip"]),
        default="raise",
        show_default=True,
        help="Invalid rows: stop, or skip them and list them.",
    ),
    count_option("--limit", metavar="ROWS", help="Read at most this many rows."),
    click.option(
        "--start",
        type=click.Choice(["earliest", "latest"]),
        default="earliest",
        show_default=True,
        help="Of a topic or stream: the first message.",
    ),
    click.option(
        "--idle",
        type=click.FloatRange(min=0.0, min_open=True),
        metavar="SECONDS",
        help="Of a topic or stream: end when no message has come for so long. [default: never]",
    ),
    input_path(
        "--schema",
        help="Of a topic or stream: the columns and their types, as an Avro schema (.avsc).",
    ),
    click.option(
        "--broker-option",
        "broker_options",
        multiple=True,
        metavar="NAME=VALUE",
        help="An option of librdkafka or redis-py, like sasl.username=ann; secrets are better in "
        "the file of --config.",
    ),
]

_SEED = 0
_ORDER: list[Decorator] = [
    count_option("--shuffle", metavar="ROWS", help="Shuffle rows in a buffer of this size."),
    count_option("--seed", least=0, default=_SEED, help="Seed of the shuffle, and of ensembles."),
]
seed_option = count_option("--seed", least=0, default=_SEED, help="Seed of ensembles.")

MODEL_PARAMETERS: list[Parameter] = [row for row in PARAMETERS.values() if row.flag]
"""The parameters that are options of the command."""

# Options whose defaults are not those of the estimators: (default, what the help adds).
_DEFAULTS: dict[str, tuple[Any, str]] = {
    # So that files of any size fit.
    "max_memory": ("80MB", "[default: 80MB; unlimited: no limit]"),
    "round_rows": (None, "[default: 1; auto with --dask]"),
    "multiclass": (None, "[default: committee; auto with --method forest]"),
    "delta": (None, "[default: 0.05; 0.3 with --method forest]"),
}
OWN_DEFAULTS: dict[str, Any] = {
    name: default for name, (default, _) in _DEFAULTS.items() if default is not None
} | {"random_state": _SEED}
"""Parameters that a command sets by itself, other than an estimator would."""


def _model_option(row: Parameter) -> Decorator:
    shown = "" if row.default is None else f"[default: {row.default}]"
    default, note = _DEFAULTS.get(row.name, (None, shown))
    return click.option(
        row.flag,
        row.name,
        type=_click_type(row),
        metavar=row.metavar,
        default=default,
        help=f"{row.help} {note}".strip().replace("``", ""),
    )


def _click_type(row: Parameter) -> Any:
    if row.is_sequence:
        return NumberList()
    if str in row.members:
        return str
    if row.words:
        return click.Choice(row.words) if row.number is None else NumberOrWord(row.words)
    return row.number


_MODEL: list[Decorator] = [
    click.option(
        "--method",
        type=click.Choice(list(METHODS)),
        default=TREE,
        show_default=True,
        help="The model: a tree (or a committee of them), boosted trees, or a forest.",
    ),
    click.option(
        "--task",
        type=click.Choice(["auto", "classification", "regression"]),
        default="auto",
        show_default=True,
        help="The task; auto: from the loss, or else from the target's values.",
    ),
    click.option(
        "--loss",
        metavar="NAME[:VALUE]",
        help=f"The loss: {', '.join(BY_NAME)}. Some take a number: quantile:0.9, tweedie:1.5. "
        "[default: squared_error or log_loss, by the task]",
    ),
    click.option(
        "--class-weight",
        metavar="WEIGHTS",
        help="Weights of classes: 'balanced', or LABEL=WEIGHT,... [default: all 1]",
    ),
    click.option("--paper", is_flag=True, help="Use the paper's settings instead of the defaults."),
    *(_model_option(row) for row in MODEL_PARAMETERS),
]

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
quiet_option = click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors.")


single_tree_option = click.option(
    "--single-tree/--no-single-tree",
    "with_single_tree",
    default=True,
    show_default=True,
    help="With --report and a new ensemble: also learn a single tree of the same options, for its "
    "curve beside the ensemble's. It takes the time and the memory of one tree more.",
)


def _all(decorators: list[Decorator]) -> Decorator:
    def add(command: Any) -> Any:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return add


files_argument = click.argument("files", nargs=-1, required=True, metavar="FILES...")
stream_options = _all(_STREAM)
files_and_target = _all(
    [
        files_argument,
        click.option(
            "--target",
            "-t",
            metavar="NAME",
            help="The column to predict: its name, or a position like -1.",
        ),
    ]
)
model_options = _all(_MODEL)
learning_options = _all([*_ORDER, *_STREAM, *_MODEL, json_option, quiet_option, config_option])
