"""CSV and TSV files."""

import contextlib
import csv
import io
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv

from sgtrees.streams.arrow_tables import CATEGORIES, columns_of_schema
from sgtrees.streams.columns import ColumnKind, ColumnPlan, SourceColumn
from sgtrees.streams.errors import StreamError
from sgtrees.streams.files.chunks import Chunk, read_chunks
from sgtrees.streams.files.csv_options import CsvOptions
from sgtrees.streams.files.header import distinct_names
from sgtrees.streams.files.number_format import NumberFormat
from sgtrees.streams.files.sources import Source
from sgtrees.streams.files.text_file import Record, TextFile
from sgtrees.streams.files.transcoding import TextReader

_BOM = b"\xef\xbb\xbf"
_DELIMITERS = ",;\t|"
# This much of the first chunk is parsed to infer the kinds of columns.
_SAMPLE_BYTES = 8 << 20
# A text column is taken for numbers with errors if at least this share of it are numbers.
_MIN_SHARE_OF_NUMBERS = 0.9
_MIN_ROWS = 50


class CsvFile(TextFile):
    """A CSV or TSV file.

    Parameters
    ----------
    source, reader
        See `TextFile`.
    options : CsvOptions
        How the file is written.
    """

    def __init__(self, source: Source, reader: TextReader, options: CsvOptions) -> None:
        super().__init__(source.name)
        self._missing = list(options.missing)
        self._numbers = NumberFormat(options.decimal, options.thousands)
        self._time_format = options.time_format
        raw = read_chunks(reader, self.name, b'"', (options.delimiter or ",").encode())
        first = next(raw, None)
        if first is None or not first.data.strip():
            raise StreamError(f"{self.name} is empty")
        if first.data.startswith(_BOM):
            first = Chunk(first.data[len(_BOM) :], first.line)
        zero = first.data.find(b"\0", 0, 4096)
        if zero >= 0:
            line = first.data.count(b"\n", 0, zero) + 1
            raise StreamError(
                f"{self.name}, line {line}: there is a NUL byte, which no text has; give the "
                "encoding if it is UTF-16 (encoding='utf-16', --encoding utf-16), or the format if "
                "it is another (--format)"
            )
        self._delimiter = options.delimiter or _delimiter_of(first.data, source)
        self._names, first = self._header(first, has_header=options.has_header)
        # If the header fills the first chunk, the rows are in the next one.
        self._first = first if first.data.strip() else next(raw, first)
        self._rest = raw

    def _header(self, first: Chunk, *, has_header: bool) -> tuple[list[str], Chunk]:
        end = max(1 << 20, first.data.find(b"\n") + 1)
        text = first.data[:end].decode(errors="replace")
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter)
        try:
            names = next((row for row in rows if row), [])
        except csv.Error as error:
            raise StreamError(
                f"{self.name}, line {rows.line_num}: {error}; is this a table, with one row in "
                "each line?"
            ) from error
        if not has_header:
            return [f"x{place}" for place in range(len(names))], first
        given = [name.strip() for name in names]
        return distinct_names(given, self.name), first.without(rows.line_num)

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
            if column.kind is ColumnKind.NOMINAL and self._are_numbers(sample[name]):
                columns[name] = SourceColumn(ColumnKind.NUMERIC, column.type_name)
        return columns

    def _are_numbers(self, text: pa.ChunkedArray) -> bool:
        """Return whether nearly all values are numbers, so that the others are errors."""
        known = text.drop_null()
        if len(known) == 0:
            return False
        share = self._numbers.share_of_numbers(known)
        if len(known) < _MIN_ROWS:
            return share == 1.0 and not self._numbers.is_plain
        return share >= _MIN_SHARE_OF_NUMBERS

    def column_names(self) -> list[str]:
        """Return the names of the file's columns."""
        return self._names

    def chunks(self) -> Iterator[Chunk]:
        """Yield the lines that hold rows."""
        yield self._first
        yield from self._rest

    def read(self, data: bytes, plan: ColumnPlan) -> pa.Table:
        """Parse rows."""
        types = arrow_types(plan)
        if self._numbers.is_plain:
            return self._read(data, types)
        numeric = [name for name, known in types.items() if known == pa.float64()]
        table = self._read(data, types | dict.fromkeys(numeric, pa.string()))
        for name in numeric:
            place = table.schema.get_field_index(name)
            table = table.set_column(place, name, self._numbers.floats(table[name]))
        return table

    def _read(self, data: bytes, types: dict[str, Any], on_invalid: Any = None) -> pa.Table:
        return read_csv(
            data,
            self._names,
            types,
            self._missing,
            self._delimiter,
            on_invalid=on_invalid,
            time_format=self._time_format,
        )

    def is_number(self, text: str) -> bool:
        """Return whether a text is a number in this file."""
        return self._numbers.is_number(text)

    def is_time(self, text: str) -> bool:
        """Return whether a text is a date or a time in this file."""
        if self._time_format is not None:
            with contextlib.suppress(ValueError):
                datetime.strptime(text, self._time_format)
                return True
        return super().is_time(text)

    def records(self, chunk: Chunk) -> Iterator[Record]:
        """Parse rows one by one."""
        lines = io.StringIO(chunk.data.decode(errors="replace"), newline="")
        recorded = _RecordedLines(lines)
        rows = csv.reader(recorded, delimiter=self._delimiter)
        line = chunk.line
        while True:
            try:
                values = next(rows)
                problem = ""
            except StopIteration:
                return
            except csv.Error as error:  # a value that is too long, for example
                values, problem = [], str(error)
            text = recorded.take().encode(errors="replace")
            if problem:
                yield Record(line, text, None, problem)
            elif values:
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
    time_format: str | None = None,
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
            timestamp_parsers=[pa_csv.ISO8601, *([time_format] if time_format else [])],
        ),
    )


def arrow_types(plan: ColumnPlan) -> dict[str, Any]:
    """Return the Arrow types of the plan's columns."""
    return {name: _arrow_type(kind, plan.sources[name]) for name, kind in plan.kinds.items()}


def _arrow_type(kind: ColumnKind, source: SourceColumn) -> Any:
    kinds = {kind, source.kind}
    if ColumnKind.TIME in kinds and kinds <= {ColumnKind.TIME, ColumnKind.NUMERIC}:
        # Seconds since 1970 are numbers in the file.
        is_number = source.kind is ColumnKind.NUMERIC
        return pa.float64() if is_number else _time_type(source.type_name)
    types = {
        ColumnKind.NUMERIC: pa.float64(),
        ColumnKind.TIME: pa.timestamp("us"),
        ColumnKind.BOOLEAN: pa.bool_(),
        ColumnKind.KEPT: pa.string(),
    }
    return types.get(kind, CATEGORIES)


def _time_type(found: str) -> Any:
    """Return the type that a column of dates or times is read as, by the one that was inferred."""
    if found.startswith("date"):
        return pa.date32()
    if found.startswith(("time32", "time64")):
        return pa.time64("us")
    return pa.timestamp("us", tz="UTC" if "tz=" in found else None)


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


def _delimiter_of(data: bytes, source: Source) -> str:
    if source.format == "tsv":
        return "\t"
    lines = data[: 1 << 20].splitlines()
    first_line = next((line for line in lines if line.strip()), b"")
    return max(_DELIMITERS, key=lambda delimiter: first_line.count(delimiter.encode()))
