"""Kinds of options: names, numbers and paths."""

import csv
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    OptionType = click.ParamType[Any]
else:  # click before 8.4 has no type of the value there
    OptionType = click.ParamType

Decorator = Callable[[Any], Any]


def split_names(text: str) -> list[str]:
    """Split at commas; a name that has one is in double quotes, as in CSV.

    Examples
    --------
    >>> split_names('size, "length, m",colour')
    ['size', 'length, m', 'colour']
    """
    values = next(csv.reader([text], skipinitialspace=True), [])
    return [value.strip() for value in values if value.strip()]


class NameList(OptionType):
    """Names, separated by commas."""

    name = "names"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[str]:  # noqa: ARG002 - click's own
        """Split at commas."""
        if isinstance(value, list | tuple):
            return [str(name) for name in value]
        return split_names(str(value))


class NumberList(OptionType):
    """Numbers, separated by commas; none for an empty list."""

    name = "numbers"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[float, ...]:
        """Split at commas."""
        if isinstance(value, list | tuple):
            return tuple(value)
        try:
            return tuple(float(part) for part in str(value).split(",") if part.strip() != "none")
        except ValueError:
            self.fail(f"{value!r} is not a list of numbers like 0.1,0.5, or none", param, ctx)


def names_option(*flags: str, help: str) -> Decorator:  # noqa: A002 - click's word
    """Return an option with names, which may be given several times; see `flatten`."""
    return click.option(*flags, type=NameList(), multiple=True, metavar="NAMES", help=help)


def flatten(names: Any) -> list[str]:
    """Return all names of an option that was given several times."""
    return [name for several in names or () for name in several]


def count_option(
    *flags: str,
    help: str,  # noqa: A002 - click's word
    default: int | None = None,
    least: int = 1,
    metavar: str | None = None,
) -> Decorator:
    """Return an option with a whole number."""
    return click.option(
        *flags,
        type=click.IntRange(min=least),
        default=default,
        show_default=default is not None,
        metavar=metavar,
        help=help,
    )


def input_path(*flags: str, help: str, required: bool = False) -> Decorator:  # noqa: A002
    """Return an option with a file that exists."""
    path = click.Path(exists=True, dir_okay=False, path_type=Path)
    return click.option(*flags, type=path, required=required, metavar="PATH", help=help)


def output_path(
    *flags: str,
    help: str,  # noqa: A002 - click's word
    default: str | None = None,
    may_be_stream: bool = False,
) -> Decorator:
    """Return an option with a file to write, which must be writable.

    ``may_be_stream``: whether it may also be a device or a FIFO, which are written as one goes.
    """
    return click.option(
        *flags,
        type=click.Path(dir_okay=False, allow_dash=True, path_type=Path),
        callback=_check_writable if may_be_stream else _check_file,
        default=default,
        show_default=default is not None,
        metavar="PATH",
        help=help,
    )


def _check_writable(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Raise at once if a file cannot be written, not after the training."""
    if path is None:
        return None
    if not path.parent.is_dir():
        raise click.BadParameter(f"the folder {str(path.parent)!r} does not exist.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise click.BadParameter(f"{str(path)!r} cannot be written.")
    return path


def _check_file(ctx: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Raise at once if something is there that a file must not replace."""
    if path is not None and path.exists() and not path.is_file():
        raise click.BadParameter(f"{str(path)!r} is not a file; give the path of one.")
    return _check_writable(ctx, option, path)
