"""JSON objects, one in each line of a text."""

import json
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.json as pa_json

from sgtrees.streams.columns import ColumnKind, ColumnPlan
from sgtrees.streams.errors import Fault, StreamError
from sgtrees.streams.files.chunks import Chunk
from sgtrees.streams.files.text_file import Record, TextFile, short


class JsonText(TextFile):
    """Lines with a JSON object each.

    A key that a row lacks, or whose value is null, is missing; keys without a type are ignored.

    Parameters
    ----------
    name : str
        The text's name in messages.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.types: dict[str, Any] = {}

    def find_types(self, chunk: Chunk) -> Any:
        """Find the types of the columns in some lines, and return them as a schema."""
        try:
            schema = _read(chunk.data, None).schema
        except pa.ArrowInvalid:
            # Without the lines that are not objects; other errors are reported row by row.
            records = list(self.records(chunk))
            good = [record.text for record in records if record.values is not None]
            if not good:
                first = records[0]
                raise StreamError(f"{self.name}, line {first.line}: {first.problem}") from None
            schema = _first_schema(good)
        self.types = {field.name: field.type for field in schema}
        return schema

    def read(self, data: bytes, plan: ColumnPlan) -> pa.Table:
        """Parse rows."""
        return _read(data, pa.schema({name: self._type_of(name, plan) for name in plan.kinds}))

    def _type_of(self, name: str, plan: ColumnPlan) -> Any:
        own = self.types.get(name)
        if plan.kinds[name] is ColumnKind.NUMERIC and plan.sources[name].kind is ColumnKind.NUMERIC:
            return pa.float64()
        # Numbers that are read as categories are parsed as numbers and converted to text later.
        # What was only null before may be text later.
        return pa.string() if own is None or pa.types.is_null(own) else own

    def records(self, chunk: Chunk) -> Iterator[Record]:
        """Parse rows one by one."""
        for offset, text in enumerate(chunk.data.splitlines(keepends=True)):
            if text.strip():
                yield _record(chunk.line + offset, text)

    def _fault_of(self, record: Record, plan: ColumnPlan) -> Fault | None:
        if record.values is None:
            return Fault(self.name, record.line, record.problem)
        for name, kind in plan.kinds.items():
            value: Any = record.values.get(name)
            if value is None:
                continue
            if not _is_of_type(value, self._type_of(name, plan)):
                expected = (
                    "number"
                    if plan.sources[name].kind is ColumnKind.NUMERIC
                    else plan.sources[name].type_name
                )
                what = f"{short(json.dumps(value))} instead of a {expected}"
                return Fault(self.name, record.line, what, name)
            if kind is ColumnKind.NUMERIC and value is True:
                return Fault(self.name, record.line, "true instead of a number", name)
        return None


def _read(data: bytes, schema: Any) -> pa.Table:
    return pa_json.read_json(
        pa.BufferReader(data),
        read_options=pa_json.ReadOptions(use_threads=False, block_size=len(data) + 1),
        parse_options=pa_json.ParseOptions(
            explicit_schema=schema,
            unexpected_field_behavior="infer" if schema is None else "ignore",
        ),
    )


def _first_schema(lines: list[bytes]) -> Any:
    """Return the types of the lines; of the first one only if they do not agree."""
    try:
        return _read(b"".join(lines), None).schema
    except pa.ArrowInvalid:
        return _read(lines[0], None).schema


def _record(line: int, text: bytes) -> Record:
    whole = text if text.endswith(b"\n") else text + b"\n"
    try:
        values = json.loads(text)
    except ValueError as error:
        return Record(line, whole, None, f"this is not a JSON object: {error}")
    if not isinstance(values, dict):
        return Record(
            line, whole, None, "this is not a JSON object; the format needs one in each line"
        )
    return Record(line, whole, values)


def _is_of_type(value: Any, arrow_type: Any) -> bool:
    if pa.types.is_string(arrow_type) or pa.types.is_temporal(arrow_type):
        return isinstance(value, str)
    if pa.types.is_boolean(arrow_type):
        return isinstance(value, bool)
    if pa.types.is_floating(arrow_type):
        return isinstance(value, int | float) and not isinstance(value, bool)
    if pa.types.is_integer(arrow_type):
        return isinstance(value, int) and not isinstance(value, bool)
    return True
