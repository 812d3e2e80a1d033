"""Payloads that are an Arrow stream each: a schema and any number of rows."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.ipc as pa_ipc

from sgtrees.streams.arrow_tables import conform
from sgtrees.streams.brokers.payloads import Decoded, Payloads, numbered
from sgtrees.streams.columns import ColumnPlan
from sgtrees.streams.errors import Fault, StreamError


class ArrowPayloads(Payloads):
    """An Arrow stream in each payload; all have the columns of the first."""

    def find_schema(self, payloads: Sequence[bytes]) -> None:
        """Take the schema of the first payload that has one."""
        problem = ""
        for payload in payloads:
            try:
                self.schema = _table(payload).schema
            except pa.ArrowException as error:
                problem = problem or str(error)
            else:
                return
        raise StreamError(f"{self.name}: the first payloads are no Arrow streams: {problem}")

    def decode(self, payloads: Sequence[bytes], plan: ColumnPlan) -> Decoded:
        """Return the rows of payloads."""
        tables: list[Any] = []
        counts: list[int] = []
        faults: list[tuple[int, Fault]] = []
        for number, payload in enumerate(payloads):
            try:
                tables.append(self._rows(payload, plan))
                counts.append(len(tables[-1]))
            except (pa.ArrowException, StreamError) as error:
                counts.append(0)
                faults.append((sum(counts), self.fault(number, str(error))))
        numbers, rows, of_each = numbered(counts)
        table = pa.concat_tables([*tables, self.empty(plan)], promote_options="permissive")
        return Decoded(table.unify_dictionaries(), numbers, rows, of_each, faults)

    def _rows(self, payload: bytes, plan: ColumnPlan) -> Any:
        table = _table(payload)
        absent = [name for name in plan.kinds if name not in table.column_names]
        if absent:
            raise StreamError(f"there is no column {absent[0]!r}")
        return conform(table, plan)


def _table(payload: bytes) -> Any:
    with pa_ipc.open_stream(pa.BufferReader(payload)) as reader:
        table = reader.read_all()
    table.validate(full=True)
    return table
