"""ARFF files, the format of WEKA and MOA."""

import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from sgtrees.streams.arrow_tables import CATEGORIES
from sgtrees.streams.columns import ColumnKind, ColumnPlan, SourceColumn
from sgtrees.streams.errors import StreamError
from sgtrees.streams.files.arff_header import Header, read_header, split_marked
from sgtrees.streams.files.chunks import Chunk, read_chunks
from sgtrees.streams.files.csv_file import arrow_types, read_csv
from sgtrees.streams.files.sources import Source
from sgtrees.streams.files.text_file import Record, TextFile
from sgtrees.streams.files.transcoding import TextReader

_MISSING = "?"
# Anything but plain values with commas between them: quotes, comments, sparse rows, weights, and
# blanks beside a comma or at the end of a line.
_NOT_PLAIN = re.compile(rb"['\"%{\\\t]|, | ,|[ ]\r?\n|\n ")
_WEIGHT = re.compile(r",\s*\{\s*([^{},\s]+)\s*\}\s*$")


class ArffFile(TextFile):
    """An ARFF file: dense rows, sparse rows, or both; for its parameters see `TextFile`."""

    def __init__(self, source: Source, reader: TextReader) -> None:
        super().__init__(source.name)
        self._rest = read_chunks(reader, self.name)
        self._header, self._first = self._read_header()
        self._names = list(self._header.attributes)
        # The values that a sparse row omits: 0, or the first of the declared values.
        self._omitted = {
            name: column.categories[0] if column.categories else "0"
            for name, column in self._header.attributes.items()
        }

    def _read_header(self) -> tuple[Header, Chunk]:
        data = b""
        for chunk in self._rest:
            data += chunk.data
            header = read_header(data.decode(errors="replace"), self.name)
            if header is not None:
                return header, Chunk(data, 1).without(header.n_lines)
        if not data.strip():
            raise StreamError(f"{self.name} is empty")
        raise StreamError(f"{self.name} has no @data; is it a complete ARFF file?")

    def source_columns(self) -> dict[str, SourceColumn]:
        """Return the columns that the file declares."""
        return self._header.attributes

    def chunks(self) -> Iterator[Chunk]:
        """Yield the lines that hold rows."""
        yield self._first
        yield from self._rest

    def read(self, data: bytes, plan: ColumnPlan) -> pa.Table:
        """Parse rows with pyarrow if they are plain, otherwise one by one."""
        if not data.strip():
            return pa.table({name: pa.nulls(0) for name in plan.kinds})
        if _NOT_PLAIN.search(data) is None:
            return read_csv(data, self._names, arrow_types(plan), [_MISSING])
        columns: dict[str, list[str | None]] = {name: [] for name in plan.kinds}
        for record in self.records(Chunk(data, 1)):
            if record.values is None:
                raise ValueError(record.problem)
            for name, column in columns.items():
                column.append(record.values[name])
        return pa.table({name: _column(v, plan.kinds[name]) for name, v in columns.items()})

    def records(self, chunk: Chunk) -> Iterator[Record]:
        """Parse rows one by one."""
        for offset, text in enumerate(chunk.data.splitlines(keepends=True)):
            row = text.decode(errors="replace").strip()
            if row and row[0] != "%":
                yield self._record(chunk.line + offset, text, row)

    def _record(self, line: int, text: bytes, row: str) -> Record:
        whole = text if text.endswith(b"\n") else text + b"\n"
        weight = _WEIGHT.search(row)
        if weight is not None:
            return Record(line, whole, None, "weights of rows are not supported")
        try:
            values = self._sparse(row) if row[0] == "{" else self._dense(row)
        except ValueError as error:
            return Record(line, whole, None, str(error))
        return Record(line, whole, values)

    def _dense(self, row: str) -> dict[str, str | None]:
        values = split_marked(row)
        if len(values) != len(self._names):
            noun = "value" if len(values) == 1 else "values"
            raise ValueError(f"{len(values)} {noun} instead of {len(self._names)}")
        return {
            name: None if value == _MISSING and not is_quoted else value
            for name, (value, is_quoted) in zip(self._names, values, strict=True)
        }

    def _sparse(self, row: str) -> dict[str, str | None]:
        if not row.endswith("}"):
            raise ValueError("the sparse row lacks its closing brace")
        values: dict[str, str | None] = dict(self._omitted)
        inside = row[1:-1].strip()
        for pair in _PAIR.finditer(inside) if inside else ():
            place = int(pair[1])
            if place >= len(self._names):
                raise ValueError(f"attribute {place}, but there are only {len(self._names)}")
            ((value, is_quoted),) = split_marked(pair[2])
            values[self._names[place]] = None if value == _MISSING and not is_quoted else value
        if inside and _PAIR.sub("", inside).strip():
            raise ValueError("a sparse row consists of pairs: the number of an attribute, a value")
        return values


_PAIR = re.compile(r"\s*(\d+)\s+('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[^,\s]+)\s*(?:,|$)")


def _column(values: list[str | None], kind: ColumnKind) -> Any:
    text = pa.array(values, pa.string())
    return text.cast(pa.float64()) if kind is ColumnKind.NUMERIC else text.cast(CATEGORIES)
