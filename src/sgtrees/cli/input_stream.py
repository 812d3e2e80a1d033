"""The stream that a command's files and options describe."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rich.console import Console

from sgtrees.cli.broker_run import check_broker_options, read_broker_options
from sgtrees.cli.option_types import flatten
from sgtrees.streams import Stream, open_stream
from sgtrees.streams.files.csv_options import MISSING_VALUES


@dataclass(frozen=True)
class CommandInput:
    """The files, the target (by name or position) and the options of a command; and its log."""

    files: Sequence[str]
    target: str | None
    options: Mapping[str, Any]
    log: Console


def open_files(
    files: Sequence[str],
    target: str | None,
    options: Mapping[str, Any],
    *,
    columns: Mapping[str, Sequence[str]] | None = None,
    needs_target: bool = True,
) -> Stream:
    """Open the files of a command.

    Parameters
    ----------
    files : sequence of str
        The files.
    target : str or None
        The column to predict, by its name or position.
    options : mapping
        The command's options.
    columns : mapping, optional
        The arguments of `open_stream` for the columns of a saved model, instead of the options.
    needs_target : bool
        Whether a source without the target is an error.
    """
    check_broker_options(files, options)
    return open_stream(
        list(files),
        target,
        **column_options(options, columns),
        **file_options(options),
        start=options.get("start", "earliest"),
        idle_seconds=options.get("idle"),
        schema=options.get("schema"),
        broker_options=read_broker_options(options),
        weight=options.get("weight"),
        needs_target=needs_target,
    )


def column_options(
    options: Mapping[str, Any], columns: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Any]:
    """Return the arguments of `open_stream` for columns: those of a model, or else the options."""
    if columns is not None:
        return dict(columns)
    return {name: flatten(options[name]) for name in ("nominal", "numeric", "time", "drop")}


def file_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `open_stream` for files."""
    return {
        "on_error": options["on_error"],
        "file_format": options["file_format"],
        "delimiter": _delimiter(options["delimiter"]),
        "has_header": not options["no_header"],
        "missing": flatten(options["missing"]) or MISSING_VALUES,
        "encoding": options["encoding"],
        "decimal": options["decimal"],
        "thousands": options["thousands"],
        "time_format": options["time_format"],
    }


def ordered(stream: Stream, options: Mapping[str, Any]) -> Stream:
    """Shuffle and limit a stream according to the options."""
    if options.get("shuffle") is not None:
        stream = stream.shuffle(options["shuffle"], seed=options["seed"])
    return stream if options["limit"] is None else stream.head(options["limit"])


def _delimiter(given: str | None) -> str | None:
    return {"\\t": "\t", "tab": "\t"}.get(given, given) if given is not None else None
