"""CSV and TSV files."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from sgtrees.streams.arrow_tables import CATEGORIES, columns_of_schema
from sgtrees.streams.columns import ColumnKind, ColumnPlan, SourceColumn
from sgtrees.streams.errors import StreamError
from sgtrees.streams.files.byte_reader import ByteReader
from sgtrees.streams.files.chunks import Chunk, read_chunks
from sgtrees.streams.files.csv_options import CsvOptions
from sgtrees.streams.files.sources import Source
from sgtrees.streams.files.text_file import Record, TextFile, check_names

_BOM = b"\xef\xbb\xbf"
_DELIMITERS = ",;\t|"
# This much of the first chunk is parsed to infer the kinds of columns.
_SAMPLE_BYTES = 8 << 20
# A text column is taken for numbers with errors if at least this share of it are numbers.
_MIN_SHARE_OF_NUMBERS = 0.9
_MIN_ROWS = 50
_NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"


class CsvFile(TextFile):
    """A CSV or TSV file.

    Parameters
    ----------
    source, reader
        See `TextFile`.
    options : CsvOptions
        How the file is written.
    """

    def __init__(self, source: Source, reader: ByteReader, options: CsvOptions) -> None:
        super().__init__(source, reader)
        self._missing = list(options.missing)
        self._encoding = options.encoding
        raw = read_chunks(reader, self.name, b'"', (options.delimiter or ",").encode())
        first = next(raw, None)
        if first is None or not first.data.strip():
            raise StreamError(f"{self.name} is empty")
        if first.data.startswith(_BOM):
            first = Chunk(first.data[len(_BOM) :], first.line)
        if b"\0" in first.data[:4096]:
            raise StreamError(f"{self.name} is not a text file; give its format if it is another")
        first = self._decoded(first)
        self._delimiter = options.delimiter or _delimiter_of(first.data, source)
        self._names, first = self._header(first, has_header=options.has_header)
        check_names(self._names, self.name)
        # If the header fills the first chunk, the rows are in the next one.
        self._first = first if first.data.strip() else self._decoded(next(raw, first))
        self._rest = raw

    def _header(self, first: Chunk, *, has_header: bool) -> tuple[list[str], Chunk]:
        text = first.data[: 1 << 20].decode(errors="replace")
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter)
        names = next((row for row in rows if row), [])
        if not has_header:
            return [f"x{place}" for place in range(len(names))], first
        return [name.strip() for name in names], first.without(rows.line_num)

    def source_columns(self) -> dict[str, SourceColumn]:
        """Return the file's columns, inferred from its first block."""
        data = self._first.data
        if len(data) > _SAMPLE_BYTES:
            data = data[: data.rfind(b"\n", 0, _SAMPLE_BYTES) + 1]
        if not data.strip():
            raise StreamError(f"{self.name} has a header, but no rows")
        sample = self._read(data, {}, on_invalid=lambda _: "skip")
        columns = columns_of_schema(sample.schema)
        for name, column in columns.items():
            if column.kind is ColumnKind.NOMINAL and _are_numbers(sample[name]):
                columns[name] = SourceColumn(ColumnKind.NUMERIC, column.type_name)
        return columns

    def column_names(self) -> list[str]:
        """Return the names of the file's columns."""
        return self._names

    def chunks(self) -> Iterator[Chunk]:
        """Yield the lines that hold rows."""
        yield self._first
        for chunk in self._rest:
            yield self._decoded(chunk)

    def _decoded(self, chunk: Chunk) -> Chunk:
        if self._encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
            return chunk
        return Chunk(chunk.data.decode(self._encoding, errors="replace").encode(), chunk.line)

    def read(self, data: bytes, plan: ColumnPlan) -> pa.Table:
        """Parse rows."""
        return self._read(data, arrow_types(plan))

    def _read(self, data: bytes, types: dict[str, Any], on_invalid: Any = None) -> pa.Table:
        return read_csv(
            data, self._names, types, self._missing, self._delimiter, on_invalid=on_invalid
        )

    def records(self, chunk: Chunk) -> Iterator[Record]:
        """Parse rows one by one."""
        lines = io.StringIO(chunk.data.decode(errors="replace"), newline="")
        recorded = _RecordedLines(lines)
        rows = csv.reader(recorded, delimiter=self._delimiter)
        line = chunk.line
        for values in rows:
            text = recorded.take().encode(errors="replace")
            if values:
                yield self._record(line, text, values)
            line = chunk.line + rows.line_num

    def _record(self, line: int, text: bytes, values: list[str]) -> Record:
        if len(values) != len(self._names):
            problem = f"{len(values)} value{'s' * (len(values) != 1)} instead of {len(self._names)}"
            return Record(line, text, None, problem)
        missing = set(self._missing)
        pairs = zip(self._names, values, strict=True)
        return Record(line, text, {n: None if v in missing else v for n, v in pairs})


def read_csv(
    data: bytes,
    names: Sequence[str],
    types: dict[str, Any],
    missing: Sequence[str],
    delimiter: str = ",",
    on_invalid: Any = None,
) -> pa.Table:
    """Parse rows with pyarrow: the columns in ``types``, or all if it is empty."""
    return pa_csv.read_csv(
        pa.BufferReader(data),
        # One block, so that a column is one chunk, which NumPy can use without a copy.
        read_options=pa_csv.ReadOptions(
            column_names=list(names), use_threads=False, block_size=len(data) + 1
        ),
        parse_options=pa_csv.ParseOptions(
            delimiter=delimiter,
            newlines_in_values=b'"' in data,
            invalid_row_handler=on_invalid,
        ),
        convert_options=pa_csv.ConvertOptions(
            column_types=types,
            include_columns=list(types),
            null_values=list(missing),
            strings_can_be_null=True,
        ),
    )


def arrow_types(plan: ColumnPlan) -> dict[str, Any]:
    """Return the Arrow types of the plan's columns."""
    types: dict[str, Any] = {}
    for name, kind in plan.kinds.items():
        if kind is ColumnKind.NUMERIC:
            is_time = plan.sources[name].kind is ColumnKind.TIME
            types[name] = pa.timestamp("ms") if is_time else pa.float64()
        else:
            types[name] = pa.bool_() if kind is ColumnKind.BOOLEAN else CATEGORIES
    return types


class _RecordedLines:
    """Lines for `csv.reader`, which records them until they are taken."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._recorded: list[str] = []

    def __iter__(self) -> "_RecordedLines":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._recorded.append(line)
        return line

    def take(self) -> str:
        """Return the lines since the last call."""
        text = "".join(self._recorded)
        self._recorded.clear()
        return text if text.endswith("\n") else text + "\n"


def _are_numbers(text: pa.ChunkedArray) -> bool:
    """Return whether nearly all values are numbers, so that the others are errors."""
    known = text.drop_null()
    if len(known) < _MIN_ROWS:
        return False
    return bool(pc.mean(pc.match_substring_regex(known, _NUMBER)).as_py() >= _MIN_SHARE_OF_NUMBERS)


def _delimiter_of(data: bytes, source: Source) -> str:
    if source.format == "tsv":
        return "\t"
    lines = data[: 1 << 20].splitlines()
    first_line = next((line for line in lines if line.strip()), b"")
    return max(_DELIMITERS, key=lambda delimiter: first_line.count(delimiter.encode()))
