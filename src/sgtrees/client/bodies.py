"""Rows as the body of a request: JSON, or Arrow for tables where pyarrow is installed."""

import io
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time
from typing import Any, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np

Rows: TypeAlias = Any
"""A mapping, a sequence of them, a data frame or an Arrow table."""

JSON = "application/json"
ARROW = "application/vnd.apache.arrow.stream"
# The column that names rows which wait for their labels.
ID = "@id"


class Body(NamedTuple):
    """The bytes of a request, their media type and the number of rows."""

    content: bytes
    media: str
    rows: int


def body_of(rows: Rows, ids: Sequence[str] | None = None) -> Body:
    """Write rows.

    Parameters
    ----------
    rows : mapping, sequence of mappings, data frame or Arrow table
        The rows. NaN is missing, dates and times are written as ISO 8601.
    ids : sequence of str, optional
        The ids of the rows.

    Raises
    ------
    TypeError
        If they are something else.
    ValueError
        If there are none, or not as many as ids.

    Examples
    --------
    >>> body_of({"size": 3.5, "ripe": float("nan")}).content
    b'[{"size":3.5,"ripe":null}]'
    """
    if isinstance(rows, Mapping):
        events: Sequence[Mapping[str, Any]] = [rows]
    elif isinstance(rows, Sequence) and not isinstance(rows, (str, bytes)):
        events = rows
    else:
        return _table_body(rows, ids)
    for number, event in enumerate(events):
        if not isinstance(event, Mapping):
            raise TypeError(f"row {number} is {type(event).__name__}; a row is a dictionary")
    _check_number(len(events), ids)
    if ids is not None:
        events = [{**event, ID: name} for event, name in zip(events, ids, strict=True)]
    return Body(json_of([dict(event) for event in events]), JSON, len(events))


def row_count(rows: Rows) -> int:
    """Return the number of rows."""
    return 1 if isinstance(rows, Mapping) else len(rows)


def has_ids(rows: Rows) -> bool:
    """Return whether the caller has named the rows himself."""
    if isinstance(rows, Mapping):
        return ID in rows
    if isinstance(rows, Sequence):
        return any(isinstance(event, Mapping) and ID in event for event in rows)
    return ID in (nw.from_native(rows, eager_only=True, pass_through=True).columns)


def json_of(document: Any) -> bytes:
    """Write JSON; what is not finite is null, and numbers of NumPy are numbers."""
    try:
        return _dumped(document)
    except ValueError:
        return _dumped(_finite(document))


def _dumped(document: Any) -> bytes:
    return json.dumps(
        document, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_plain
    ).encode()


def _plain(value: Any) -> Any:
    """Return what JSON has for a value that is not of Python's own types."""
    if isinstance(value, (datetime, date, time)):
        return value.isoformat() if value == value else None  # noqa: PLR0124 - pandas' NaT
    if isinstance(value, np.datetime64):
        return None if np.isnat(value) else str(value)
    if isinstance(value, np.generic):
        number = value.item()
        return None if isinstance(number, float) and not math.isfinite(number) else number
    if type(value).__name__ in ("NAType", "NaTType"):
        return None
    raise TypeError(f"a value is a number, string, boolean, date or None, not {value!r:.100}")


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


# ---- tables --------------------------------------------------------------------------------------


def _table_body(rows: Any, ids: Sequence[str] | None) -> Body:
    try:
        frame = nw.from_native(rows, eager_only=True)
    except TypeError as error:
        raise TypeError(
            f"rows are a dictionary, a list of them, a data frame or an Arrow table, "
            f"not {type(rows).__name__}"
        ) from error
    _check_number(len(frame), ids)
    try:
        table = _arrow_table(frame)
    except ModuleNotFoundError:
        # Without pyarrow a table goes as objects.
        return body_of(list(frame.iter_rows(named=True)), ids)
    return _arrow_body(table, ids)


def _arrow_table(frame: nw.DataFrame[Any]) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - an extra

    native = frame.to_native()
    if isinstance(native, pa.Table):
        return native
    if frame.implementation.is_pandas():
        return pa.Table.from_pandas(native, preserve_index=False).replace_schema_metadata(None)
    return frame.to_arrow()


def _arrow_body(table: Any, ids: Sequence[str] | None) -> Body:
    import pyarrow as pa  # noqa: PLC0415 - an extra

    if ids is not None:
        table = table.append_column(ID, pa.array(list(ids), pa.string()))
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return Body(sink.getvalue(), ARROW, len(table))


def _check_number(rows: int, ids: Sequence[str] | None) -> None:
    if rows == 0:
        raise ValueError("there are no rows")
    if ids is not None and len(ids) != rows:
        raise ValueError(f"{len(ids)} ids of {rows} rows")


def labels_body(ids: Iterable[str], labels: Iterable[Any], weights: Iterable[float] | None) -> Body:
    """Write labels that have come.

    Examples
    --------
    >>> labels_body(["a"], ["apple"], None).content
    b'[{"id":"a","label":"apple"}]'
    """
    names, values = list(ids), list(labels)
    document = [{"id": name, "label": label} for name, label in zip(names, values, strict=True)]
    if weights is not None:
        document = [
            {**item, "weight": weight} for item, weight in zip(document, weights, strict=True)
        ]
    if not document:
        raise ValueError("there are no labels")
    return Body(json_of(document), JSON, len(document))
