"""Payloads that are a JSON object each."""

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from sgtrees.streams.arrow_tables import columns_of_schema
from sgtrees.streams.brokers.payloads import Decoded, Payloads
from sgtrees.streams.columns import ColumnPlan, SourceColumn
from sgtrees.streams.files.chunks import Chunk
from sgtrees.streams.files.json_text import JsonText
from sgtrees.streams.table_stream import TableBatch

_WITHOUT_BREAKS = bytes.maketrans(b"\r\n", b"  ")


class JsonPayloads(Payloads):
    """A JSON object in each payload; they are parsed together, as the lines of a file."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._lines = _Lines(name)

    def find_schema(self, payloads: Sequence[bytes]) -> None:
        """Find the columns and their types in the first payloads."""
        self.schema = self._lines.find_types(Chunk(_as_lines(payloads), 1))

    def decode(self, payloads: Sequence[bytes], plan: ColumnPlan) -> Decoded:
        """Return the rows of payloads."""
        self._lines.types = {field.name: field.type for field in self.schema}
        batch = self._batch(payloads, plan)
        if not batch.faults and len(batch.table) == len(payloads):
            return Decoded(batch.table, np.arange(len(payloads)))
        numbers = np.array(batch.positions(), dtype=np.intp) - 1
        return Decoded(batch.table, numbers, faults=batch.faults)

    def _batch(self, payloads: Sequence[bytes], plan: ColumnPlan) -> TableBatch:
        chunk = Chunk(_as_lines(payloads), 1)
        if _are_objects(payloads):
            batch = self._lines.batch(chunk, plan)
            if len(batch.table) + len(batch.faults) == len(payloads):
                return batch
        # Something is not one object: pyarrow would take two objects in a line for two rows.
        return self._lines.batch_by_records(chunk, plan)


def _are_objects(payloads: Sequence[bytes]) -> bool:
    """Return whether all begin and end as objects do.

    Then no value goes on in the next payload: behind } must come a comma or another }.
    """
    return all(payload[:1] == b"{" and payload[-1:] == b"}" for payload in payloads)


def _as_lines(payloads: Sequence[bytes]) -> bytes:
    lines = b"\n".join(payloads)
    if lines.count(b"\n") != len(payloads) - 1 or b"\r" in lines or not all(payloads):
        # Line breaks between values mean nothing; inside of text JSON does not allow them.
        lines = b"\n".join(_as_line(payload) for payload in payloads)
    return lines


def _as_line(payload: bytes) -> bytes:
    return payload.translate(_WITHOUT_BREAKS).strip() or b"null"


class _Lines(JsonText):
    """Payloads as lines."""

    def source_columns(self) -> dict[str, SourceColumn]:
        return columns_of_schema(pa.schema(self.types))

    def chunks(self) -> Iterator[Chunk]:
        return iter(())
