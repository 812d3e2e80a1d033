"""Streams of the rows in the messages of a topic or stream."""

import base64
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sgtrees.streams.arrow_tables import columns_of_schema
from sgtrees.streams.block import Block
from sgtrees.streams.brokers.addresses import Address
from sgtrees.streams.brokers.broker import MessageSource, Start, open_source
from sgtrees.streams.brokers.formats import payload_format, payloads_of
from sgtrees.streams.brokers.messages import Messages, Places, Rows
from sgtrees.streams.brokers.payloads import Decoded, Payloads
from sgtrees.streams.columns import ColumnOptions, plan_columns
from sgtrees.streams.errors import Fault, OnError, Skipped, StreamError
from sgtrees.streams.table_stream import TableBatch, TableStream

# As many as a block of a file of short rows has.
_MESSAGES_PER_READ = 1 << 14
# A thread that reads ahead looks this often whether it should end.
_SECONDS_PER_READ = 0.5
# The columns are found in so many events, or in those that came until there was a pause.
_FIRST_EVENTS = 1000
_FIRST_PAUSE = 1.0


@dataclass(frozen=True)
class BrokerOptions:
    """How messages are read.

    Attributes
    ----------
    start : "earliest", "latest", or mapping
        The first message; or a position, `Places.position` of the last row that was learned.
    payload_format : str or None
        One of `PAYLOAD_FORMATS`; None if the first payload shows it.
    schema : Any
        The columns and their types: a ``pyarrow.Schema``, or an Avro schema or the path of one.
    idle_seconds : float or None
        The stream ends when no message has come for so long; None if it does not end.
    client : mapping
        Options of the broker's client library.
    """

    start: Start | Mapping[str, Any]
    payload_format: str | None
    schema: Any
    idle_seconds: float | None
    client: Mapping[str, Any]


class BrokerStream(TableStream):
    """The rows of a topic or stream; see `sgtrees.streams.open_stream`.

    Each iteration begins at the same place. The rows of a block have their `Places`.

    Parameters
    ----------
    address : Address
        The topic or stream.
    columns : ColumnOptions
        The user's options for columns.
    options : BrokerOptions
        How messages are read.
    on_error : {"raise", "skip"}
        Whether an invalid row raises a `StreamError` or is left out and counted.
    """

    def __init__(
        self, address: Address, columns: ColumnOptions, options: BrokerOptions, on_error: OnError
    ) -> None:
        self.address = address
        self._options = options
        self._position = _checked(options.start, address)
        self._source = open_source(address, options.client)
        try:
            chosen, self._payloads = self._opened_payloads()
            sources = columns_of_schema(self._payloads.schema)
            super().__init__(plan_columns(sources, columns, address.source), on_error)
        except BaseException:
            self._source.close()
            raise
        self._reading = {"format": chosen, "columns": _text_of_schema(self._payloads.schema)}
        self._part: Mapping[str, Any] | None = None

    def lag(self, position: Mapping[str, Any]) -> int | None:
        """Return how many messages there are after a position, if the broker knows."""
        return self._source.lag(position["next"])

    def __iter__(self) -> Iterator[Block]:
        self._skipped = Skipped()
        has_part = self._position is not None and "message" in self._position
        self._part = self._position if has_part else None
        self._seek()
        return self._valid_blocks(self._batches(), self.address.source, is_text=False)

    def _seek(self) -> None:
        start = self._options.start
        self._source.seek(start if isinstance(start, str) else start["next"])

    # ---- columns --------------------------------------------------------------------------------

    def _opened_payloads(self) -> tuple[str, Payloads]:
        """Return the format and its decoder, which knows the columns."""
        options, name, position = self._options, self.address.source, self._position
        if position is not None:
            # As the stream was read before: what its next events look like must not matter.
            chosen = options.payload_format or position["format"]
            payloads = payloads_of(chosen, name, options.schema)
            payloads.schema = _schema_of_text(position["columns"])
            return chosen, payloads
        needs_none = options.payload_format is not None and options.schema is not None
        first = [] if needs_none else self._first_payloads()
        chosen = payload_format(options.payload_format, first, name)
        payloads = payloads_of(chosen, name, options.schema)
        if options.schema is None:
            payloads.find_schema(first)
        return chosen, payloads

    def _first_payloads(self) -> list[bytes]:
        """Return the payloads in which columns are found."""
        self._seek()
        first: list[bytes] = []
        idle = self._options.idle_seconds
        since = time.monotonic()
        while len(first) < _FIRST_EVENTS:
            messages = self._source.read(_FIRST_EVENTS - len(first), _SECONDS_PER_READ)
            now = time.monotonic()
            if messages is not None:
                first += [payload for payload in messages.payloads if payload is not None]
                since = now
            elif first and now - since >= _FIRST_PAUSE:
                break
            elif not first and idle is not None and now - since >= idle:
                raise StreamError(f"{self.address.source}: no event came within {idle:g} seconds")
        return first

    # ---- rows -----------------------------------------------------------------------------------

    def _batches(self) -> Iterator[TableBatch]:
        for messages in _until_idle(self._source, self._options.idle_seconds):
            kept = [n for n, payload in enumerate(messages.payloads) if payload is not None]
            if not kept:
                continue
            decoded = self._payloads.decode([messages.payloads[n] or b"" for n in kept], self._plan)
            yield self._batch(messages, decoded, np.array(kept, dtype=np.intp))

    def _batch(self, messages: Messages, decoded: Decoded, kept: Rows) -> TableBatch:
        """Return rows with the places of their messages; ``kept`` are those with a payload."""
        counts = None
        if decoded.counts is not None:
            counts = np.zeros(len(messages), dtype=np.intp)
            counts[kept] = decoded.counts
        numbers = kept[decoded.numbers]
        places = Places(self.address.source, messages, numbers, decoded.rows, counts, self._reading)
        table, faults = decoded.table, list(decoded.faults)
        is_new = self._new_rows(places)
        if is_new is not None:
            table, places = table.filter(pa.array(is_new)), places.of_rows(is_new)
            faults = [(int(is_new[:n_before].sum()), fault) for n_before, fault in faults]
        named = [(n_before, _at(fault, messages, kept)) for n_before, fault in faults]
        return TableBatch(table, (places.numbers + 1).tolist, named, places)

    def _new_rows(self, places: Places) -> NDArray[np.bool_] | None:
        """Return which rows were not learned before, if a message was learned in part."""
        part = self._part
        if part is None or places.rows is None:
            return None
        for number in np.unique(places.numbers).tolist():
            if places.messages.key(number) == part["message"]:
                self._part = None
                is_new = (places.numbers != number) | (places.rows >= int(part["rows"]))
                return np.asarray(is_new, dtype=np.bool_)
        return None


def _at(fault: Fault, messages: Messages, kept: Rows) -> Fault:
    number = int(kept[fault.place - 1])
    return replace(fault, place=number + 1, at=messages.label(number), is_line=False)


def _until_idle(source: MessageSource, idle: float | None) -> Iterator[Messages]:
    """Yield messages until none has come for some seconds."""
    since = time.monotonic()
    while idle is None or time.monotonic() - since < idle:
        wait = _SECONDS_PER_READ if idle is None else min(_SECONDS_PER_READ, idle)
        messages = source.read(_MESSAGES_PER_READ, wait)
        if messages is not None:
            yield messages
            since = time.monotonic()


def _checked(start: Start | Mapping[str, Any], address: Address) -> Mapping[str, Any] | None:
    """Return the position at which a stream continues, if it does."""
    if isinstance(start, str):
        if start not in ("earliest", "latest"):
            raise ValueError(f"start == {start!r}, must be 'earliest', 'latest' or a position.")
        return None
    if start.get("source") != address.source:
        raise StreamError(f"the position is one of {start.get('source')}, not of {address.source}")
    return start


def _text_of_schema(schema: Any) -> str:
    return base64.b64encode(schema.remove_metadata().serialize().to_pybytes()).decode()


def _schema_of_text(text: str) -> Any:
    try:
        return pa.ipc.read_schema(pa.py_buffer(base64.b64decode(text)))
    except (ValueError, pa.ArrowException) as error:
        raise StreamError(f"the columns of the position cannot be read: {error}") from error
