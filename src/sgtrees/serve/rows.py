"""The rows of a request: JSON, NDJSON or Arrow, read and checked."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias

import numpy as np
import pyarrow as pa

from sgtrees.serve.arrow_stream import read_arrow, too_many_rows
from sgtrees.serve.errors import RequestError

Event: TypeAlias = dict[str, Any]

FORMATS = {
    "application/json": "json",
    "application/x-ndjson": "ndjson",
    "application/jsonl": "ndjson",
    "application/vnd.apache.arrow.stream": "arrow",
}
"""The formats by their media types."""

_PLAIN = frozenset({str, int, float, bool, type(None)})
# Of these any value will do.
_UNBOUNDED = _PLAIN - {int}
# Whole numbers that every reader can hold.
_LEAST, _GREATEST = -(1 << 63), (1 << 64) - 1


@dataclass(slots=True)
class Rows:
    """Rows as they were sent: objects of JSON, or a table."""

    content: list[Event] | pa.Table

    def __len__(self) -> int:
        return len(self.content)

    @property
    def is_event(self) -> bool:
        """Whether it is one row, sent as an object."""
        return isinstance(self.content, list) and len(self.content) == 1

    def events(self) -> list[Event]:
        """Return each row as an object."""
        content = self.content
        rows: list[Event] = content if isinstance(content, list) else content.to_pylist()
        return rows

    def has(self, name: str) -> bool:
        """Return whether any row has a value of this name."""
        if isinstance(self.content, list):
            return any(name in event for event in self.content)
        return bool(self.content.schema.get_field_index(name) >= 0)

    def column(self, name: str) -> list[Any] | None:
        """Return the values of a column, None for rows without it; None if no row has it."""
        if not self.has(name):
            return None
        if isinstance(self.content, list):
            return [event.get(name) for event in self.content]
        values: list[Any] = self.content[name].to_pylist()
        return values

    def without(self, name: str) -> "Rows":
        """Return the rows without a column."""
        if not self.has(name):
            return self
        if isinstance(self.content, list):
            rows = [{key: v for key, v in event.items() if key != name} for event in self.content]
            return Rows(rows)
        return Rows(self.content.drop_columns([name]))

    def table(self) -> pa.Table:
        """Return all rows as a table, without the columns in which nothing is known.

        Raises
        ------
        RequestError
            If a column holds values of different types.
        """
        if isinstance(self.content, list):
            return _as_table(self.content)
        unknown = [field.name for field in self.content.schema if pa.types.is_null(field.type)]
        return self.content.drop_columns(unknown) if unknown else self.content


def read_rows(body: bytes, kind: str, most_rows: int | None = None) -> Rows:
    """Read the rows of a request.

    Parameters
    ----------
    body : bytes
        The request's body.
    kind : str
        Its format, one of `FORMATS`.
    most_rows : int, optional
        How many rows it may have.

    Raises
    ------
    RequestError
        If it is malformed, has no rows or too many.

    Examples
    --------
    >>> read_rows(b'[{"size": 3.5}, {"size": null, "colour": "red"}]', "json").events()
    [{'size': 3.5}, {'size': None, 'colour': 'red'}]
    """
    if kind == "arrow":
        content: list[Event] | pa.Table = read_arrow(body, most_rows)
    else:
        content = read_objects(body, kind)
        for number, event in enumerate(content):
            _check_event(event, number)
        if b"\\u" in body:
            _check_text(content)
    if len(content) == 0:
        raise RequestError(422, "no_rows", "the request has no rows")
    if most_rows is not None and len(content) > most_rows:
        raise too_many_rows(most_rows)
    return Rows(content)


def read_objects(body: bytes, kind: str) -> list[Event]:
    r"""Read a body of JSON objects: one, an array of them, or one a line.

    Examples
    --------
    >>> read_objects(b'{"a": 1}\n{"a": 2}\n', "ndjson")
    [{'a': 1}, {'a': 2}]
    """
    if kind == "ndjson":
        lines = enumerate(body.split(b"\n"), start=1)
        found = [_parsed(line, f"line {number}: ") for number, line in lines if line.strip()]
    else:
        document = _parsed(body, "")
        if type(document) is dict:
            return [document]
        found = document if isinstance(document, list) else [document]
    for number, item in enumerate(found):
        if not isinstance(item, dict):
            raise RequestError(
                422, "bad_rows", f"row {number} is {_name(item)}; a row is an object"
            )
    return found


def _parsed(text: bytes, where: str) -> Any:
    try:
        return _decoded(text)
    except RecursionError:
        message = f"{where}the JSON is nested too deeply; rows are flat objects"
        raise RequestError(400, "bad_json", message) from None
    except ValueError as error:
        raise RequestError(400, "bad_json", f"{where}the body is no JSON: {error}") from error


def _decoded(text: bytes) -> Any:
    if text[:1] != b"{" or text[1:2] == b"\0":
        return _DECODER.decode(text.decode(json.detect_encoding(text), "surrogatepass"))
    # An object in UTF-8, as nearly all are: nothing need be looked for before it, or after it.
    characters = text.decode("utf-8", "surrogatepass")
    document, end = _DECODER.raw_decode(characters)
    return document if end == len(characters) else _DECODER.decode(characters)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON; a missing value is null")


# `json.loads` makes one for each call that has options.
_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _name(value: Any) -> str:
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean"}
    return names.get(type(value), "null" if value is None else "a number")


def _check_event(event: Event, number: int) -> None:
    if _UNBOUNDED.issuperset(map(type, event.values())):
        return
    for name, value in event.items():
        kind = type(value)
        if kind not in _PLAIN:
            raise RequestError(
                422, "bad_rows", f"row {number}: {name!r} is {_name(value)}; values are flat"
            )
        if kind is int and not _LEAST <= value <= _GREATEST:
            raise RequestError(
                422, "bad_rows", f"row {number}: {name!r} is a whole number beyond 64 bits"
            )


def _check_text(events: Sequence[Event]) -> None:
    """Refuse halves of characters, which JSON can escape and no file can hold."""
    for number, event in enumerate(events):
        try:
            json.dumps(event, ensure_ascii=False).encode()
        except UnicodeEncodeError:
            raise RequestError(
                422, "bad_rows", f"row {number} holds half a character: a lone surrogate"
            ) from None


def as_objects(column: pa.ChunkedArray) -> list[Any]:
    """Return the values of a column without nulls; equal strings are one object.

    So their hashes are computed once.

    Examples
    --------
    >>> as_objects(pa.chunked_array([["late", "in time"], ["late"]]))
    ['late', 'in time', 'late']
    """
    if not is_text(column.type):
        values: list[Any] = column.to_numpy().tolist()
        return values
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    array = column.unify_dictionaries().combine_chunks()
    known = np.array(array.dictionary.to_pylist(), dtype=object)
    texts: list[Any] = known[array.indices.to_numpy()].tolist()
    return texts


def is_text(kind: pa.DataType) -> bool:
    """Return whether a column of this type holds strings."""
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _as_table(events: Sequence[Event]) -> pa.Table:
    names = dict.fromkeys(name for event in events for name in event)
    columns = {}
    for name in names:
        values = [event.get(name) for event in events]
        try:
            column = pa.array(values)
        except (pa.ArrowException, OverflowError, UnicodeError):
            column = _as_numbers(values, name)
        if not pa.types.is_null(column.type):
            columns[name] = column
    return pa.table(columns)


def _as_numbers(values: list[Any], name: str) -> pa.Array:
    """Return whole numbers among others as floats, which `pa.array` refuses if they are large."""
    try:
        known = (float(v) if type(v) is int else v for v in values)
        return pa.array(list(known), type=pa.float64())
    except (pa.ArrowException, UnicodeError):
        raise RequestError(
            422, "bad_rows", f"column {name!r} holds values of different types; send one type"
        ) from None
