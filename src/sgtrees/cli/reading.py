"""From options to a stream."""

from collections.abc import Mapping, Sequence
from typing import Any

from sgtrees.cli.options import joined
from sgtrees.streams import Stream, open_stream
from sgtrees.streams.files.csv_options import MISSING_VALUES


def read_stream(
    files: Sequence[str],
    target: str | None,
    options: Mapping[str, Any],
    *,
    kinds: Mapping[str, Sequence[str]] | None = None,
    needs_target: bool = True,
) -> Stream:
    """Open the files that a command names.

    Parameters
    ----------
    files : sequence of str
        The files.
    target : str or None
        The column to predict, by its name or place.
    options : mapping
        The command's options.
    kinds : mapping, optional
        ``nominal``, ``numeric`` and ``only`` where a model says them, in place of the options.
    needs_target : bool
        Whether a source without the target is refused.
    """
    place = _place(target)
    return open_stream(
        list(files),
        target if place is None else place,
        **said_of_columns(options, kinds),
        **said_of_files(options),
        weight=options.get("weight"),
        needs_target=needs_target,
    )


def said_of_columns(
    options: Mapping[str, Any], kinds: Mapping[str, Sequence[str]] | None = None
) -> dict[str, Any]:
    """Return what a model, or else the options, say of columns."""
    if kinds is not None:
        return dict(kinds)
    return {name: joined(options[name]) for name in ("nominal", "numeric", "drop")}


def said_of_files(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the options say of how files are written."""
    return {
        "on_error": options["on_error"],
        "file_format": options["file_format"],
        "delimiter": _delimiter(options["delimiter"]),
        "has_header": not options["no_header"],
        "missing": joined(options["missing"]) or MISSING_VALUES,
        "encoding": options["encoding"],
    }


def in_order(stream: Stream, options: Mapping[str, Any]) -> Stream:
    """Shuffle and limit a stream as options say."""
    if options.get("shuffle") is not None:
        stream = stream.shuffle(options["shuffle"], seed=options["seed"])
    return stream if options["limit"] is None else stream.head(options["limit"])


def _place(target: str | None) -> int | None:
    if target is None or not target.lstrip("-").isdigit():
        return None
    return int(target)


def _delimiter(given: str | None) -> str | None:
    return {"\\t": "\t", "tab": "\t"}.get(given, given) if given is not None else None
