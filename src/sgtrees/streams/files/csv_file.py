"""Files with a row in each line and a character between values."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv

from sgtrees.streams.arrow_tables import WORDS, found_in
from sgtrees.streams.errors import StreamError
from sgtrees.streams.files.chunks import Chunk, read_chunks
from sgtrees.streams.files.sources import ByteReader, Source
from sgtrees.streams.files.text_file import Record, TextFile, check_names
from sgtrees.streams.kinds import Found, Kind, Plan

_BOM = b"\xef\xbb\xbf"
_DELIMITERS = ",;\t|"
# Of the first chunk so much is read to find out what the columns are.
_SAMPLE_BYTES = 8 << 20
# A column of words is taken for one of numbers with mistakes where so many are numbers.
_NEARLY_ALL = 0.9
_ENOUGH_ROWS = 50
_NUMBER = r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$"


class CsvFile(TextFile):
    """A CSV or TSV file.

    Parameters
    ----------
    source : Source
        What to read.
    reader : ByteReader
        Its bytes.
    delimiter : str, optional
        The character between values. By default a tab in TSV; else that one of comma, semicolon,
        tab and bar which is most frequent in the first line.
    has_names : bool, default=True
        Whether the first line holds the columns' names; else they are x0, x1, x2, ...
    missing : sequence of str
        What stands for a missing value.
    encoding : str, default="utf-8"
        The text's encoding.
    """

    def __init__(
        self,
        source: Source,
        reader: ByteReader,
        *,
        delimiter: str | None,
        has_names: bool,
        missing: Sequence[str],
        encoding: str,
    ) -> None:
        super().__init__(source, reader)
        self._missing = list(missing)
        self._encoding = encoding
        raw = read_chunks(reader, self.name, b'"', (delimiter or ",").encode())
        first = next(raw, None)
        if first is None or not first.data.strip():
            raise StreamError(f"{self.name} is empty")
        if first.data.startswith(_BOM):
            first = Chunk(first.data[len(_BOM) :], first.line)
        if b"\0" in first.data[:4096]:
            raise StreamError(f"{self.name} is no text file; say its format if it is another")
        first = self._decoded(first)
        self._delimiter = delimiter or _delimiter_of(first.data, source)
        self._names, first = self._header(first, has_names=has_names)
        check_names(self._names, self.name)
        # A header that fills a chunk is followed by one with rows.
        self._first = first if first.data.strip() else self._decoded(next(raw, first))
        self._rest = raw

    def _header(self, first: Chunk, *, has_names: bool) -> tuple[list[str], Chunk]:
        text = first.data[: 1 << 20].decode(errors="replace")
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=self._delimiter)
        names = next((row for row in rows if row), [])
        if not has_names:
            return [f"x{place}" for place in range(len(names))], first
        return [name.strip() for name in names], first.without(rows.line_num)

    def found(self) -> dict[str, Found]:
        """Return the file's columns; for this its first block is read."""
        data = self._first.data
        if len(data) > _SAMPLE_BYTES:
            data = data[: data.rfind(b"\n", 0, _SAMPLE_BYTES) + 1]
        if not data.strip():
            raise StreamError(f"{self.name} has names of columns, but no rows")
        sample = self._read(data, {}, on_invalid=lambda _: "skip")
        found = found_in(sample.schema)
        for name, column in found.items():
            if column.kind is Kind.NOMINAL and _are_numbers(sample[name]):
                found[name] = Found(Kind.NUMERIC, column.type_name)
        return found

    def column_names(self) -> list[str]:
        """Return the names of the file's columns."""
        return self._names

    def chunks(self) -> Iterator[Chunk]:
        """Yield the lines with rows, from the first row on."""
        yield self._first
        for chunk in self._rest:
            yield self._decoded(chunk)

    def _decoded(self, chunk: Chunk) -> Chunk:
        if self._encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
            return chunk
        return Chunk(chunk.data.decode(self._encoding, errors="replace").encode(), chunk.line)

    def read(self, data: bytes, plan: Plan) -> pa.Table:
        """Read rows quickly."""
        return self._read(data, arrow_types(plan))

    def _read(self, data: bytes, types: dict[str, Any], on_invalid: Any = None) -> pa.Table:
        return read_csv(
            data, self._names, types, self._missing, self._delimiter, on_invalid=on_invalid
        )

    def records(self, chunk: Chunk) -> Iterator[Record]:
        """Read rows one by one."""
        lines = io.StringIO(chunk.data.decode(errors="replace"), newline="")
        kept = _Kept(lines)
        rows = csv.reader(kept, delimiter=self._delimiter)
        line = chunk.line
        for values in rows:
            text = kept.taken().encode(errors="replace")
            if values:
                yield self._record(line, text, values)
            line = chunk.line + rows.line_num

    def _record(self, line: int, text: bytes, values: list[str]) -> Record:
        if len(values) != len(self._names):
            problem = (
                f"{len(values)} value{'s' * (len(values) != 1)} where {len(self._names)} are due"
            )
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
    quote: str = '"',
    on_invalid: Any = None,
) -> pa.Table:
    """Read rows with pyarrow: the columns that have a type, or all where none has."""
    return pa_csv.read_csv(
        pa.BufferReader(data),
        # One block, so that a column is one piece, which NumPy can look at without a copy.
        read_options=pa_csv.ReadOptions(
            column_names=list(names), use_threads=False, block_size=len(data) + 1
        ),
        parse_options=pa_csv.ParseOptions(
            delimiter=delimiter,
            quote_char=quote,
            newlines_in_values=quote.encode() in data,
            invalid_row_handler=on_invalid,
        ),
        convert_options=pa_csv.ConvertOptions(
            column_types=types,
            include_columns=list(types),
            null_values=list(missing),
            strings_can_be_null=True,
        ),
    )


def arrow_types(plan: Plan) -> dict[str, Any]:
    """Return the types that text is to be read as."""
    types: dict[str, Any] = {}
    for name, kind in plan.kinds.items():
        if kind is Kind.NUMERIC:
            is_time = plan.found[name].kind is Kind.TIME
            types[name] = pa.timestamp("ms") if is_time else pa.float64()
        else:
            types[name] = pa.bool_() if kind is Kind.BOOLEAN else WORDS
    return types


class _Kept:
    """Lines that are handed on, and kept until they are asked for."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._kept: list[str] = []

    def __iter__(self) -> "_Kept":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self._kept.append(line)
        return line

    def taken(self) -> str:
        """Return the lines since the last time."""
        text = "".join(self._kept)
        self._kept.clear()
        return text if text.endswith("\n") else text + "\n"


def _are_numbers(words: pa.ChunkedArray) -> bool:
    """Tell whether nearly all are numbers, so that the others are mistakes and no categories."""
    known = words.drop_null()
    if len(known) < _ENOUGH_ROWS:
        return False
    return bool(pc.mean(pc.match_substring_regex(known, _NUMBER)).as_py() >= _NEARLY_ALL)


def _delimiter_of(data: bytes, source: Source) -> str:
    if source.format == "tsv":
        return "\t"
    lines = data[: 1 << 20].splitlines()
    first_line = next((line for line in lines if line.strip()), b"")
    return max(_DELIMITERS, key=lambda delimiter: first_line.count(delimiter.encode()))
