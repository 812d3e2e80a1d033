"""Payloads in Avro: single records of a known schema, or containers that have their own."""

import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from sgtrees.extras import install_command
from sgtrees.streams.arrow_tables import conform
from sgtrees.streams.brokers.avro_schema import arrow_schema
from sgtrees.streams.brokers.payloads import Decoded, Payloads, numbered
from sgtrees.streams.columns import ColumnPlan
from sgtrees.streams.errors import Fault, StreamError

CONTAINER = b"Obj\x01"
# Confluent's serializers write a zero and the four bytes of the schema's number first.
_CONFLUENT_HEADER = 5


class AvroPayloads(Payloads):
    """Avro in each payload: a record, or a container (a file of Avro) of any number of them.

    Parameters
    ----------
    name : str
        The topic's or stream's name in messages.
    avro_schema : dict or None
        The schema of single records; containers need none.
    has_header : bool
        Whether Confluent's header comes first; the schema in it is not looked up.
    """

    def __init__(self, name: str, avro_schema: Any, *, has_header: bool = False) -> None:
        super().__init__(name)
        self._fastavro = _fastavro()
        self._skipped = _CONFLUENT_HEADER if has_header else 0
        self._parsed: Any = None
        if avro_schema is not None:
            try:
                self._parsed = self._fastavro.parse_schema(avro_schema)
            except (self._fastavro.schema.SchemaParseException, TypeError, ValueError) as error:
                raise StreamError(f"the schema is not one of Avro: {error}") from error
            self.schema = arrow_schema(avro_schema)

    def find_schema(self, payloads: Sequence[bytes]) -> None:
        """Take the schema of the first container."""
        if self._parsed is not None:
            return
        for payload in payloads:
            if payload.startswith(CONTAINER):
                reader = self._fastavro.reader(io.BytesIO(payload))
                self.schema = arrow_schema(reader.writer_schema)
                return
        raise StreamError(
            f"{self.name}: the payloads are single Avro records, whose schema must be given "
            "(schema='flights.avsc', --schema flights.avsc)"
        )

    def decode(self, payloads: Sequence[bytes], plan: ColumnPlan) -> Decoded:
        """Return the rows of payloads."""
        records: list[dict[str, Any]] = []
        counts: list[int] = []
        faults: list[tuple[int, Fault]] = []
        for number, payload in enumerate(payloads):
            n_before = len(records)
            try:
                records.extend(self._records(payload))
            # Bytes that are not what the schema says may raise anything.
            except Exception as error:  # noqa: BLE001
                del records[n_before:]
                what = f"this is not Avro of the schema: {str(error) or type(error).__name__}"
                faults.append((n_before, self.fault(number, what)))
            counts.append(len(records) - n_before)
        numbers, rows, of_each = numbered(counts)
        table = self._table(records, plan)
        is_single = not faults and all(count == 1 for count in counts)
        if is_single and not any(payload.startswith(CONTAINER) for payload in payloads):
            return Decoded(table, numbers)
        return Decoded(table, numbers, rows, of_each, faults)

    def _records(self, payload: bytes) -> list[Any]:
        if payload.startswith(CONTAINER):
            return list(self._fastavro.reader(io.BytesIO(payload)))
        if self._parsed is None:
            raise StreamError("a single record, of which the schema is not known")
        file = io.BytesIO(payload)
        file.seek(self._skipped)
        record = self._fastavro.schemaless_reader(file, self._parsed, None)
        if file.read(1):
            raise StreamError("there are bytes after the record")
        return [record]

    def _table(self, records: list[dict[str, Any]], plan: ColumnPlan) -> Any:
        wanted = pa.schema([self.schema.field(name) for name in plan.kinds])
        return conform(pa.Table.from_pylist(records, schema=wanted), plan)


def read_avro_schema(source: Any) -> Any:
    """Return an Avro schema: itself, or the one of a file.

    Examples
    --------
    >>> read_avro_schema({"type": "record", "name": "r", "fields": []})["name"]
    'r'
    """
    if isinstance(source, dict):
        return source
    try:
        return json.loads(Path(source).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise StreamError(f"the schema {source} cannot be read: {error}") from error


def _fastavro() -> Any:
    try:
        import fastavro  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise ImportError(f"fastavro is needed for Avro: {install_command('redis')}") from error
    return fastavro
