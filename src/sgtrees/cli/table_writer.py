"""Tables written block by block to a file or to standard output."""

import csv
import datetime as dt
import io
import json
import sys
from pathlib import Path
from typing import Any, Self

import click
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet

from sgtrees.streams.files.foreign_formats import foreign_format

TABLE_FORMATS = ("csv", "tsv", "ndjson", "parquet", "arrow")
_EXTENSIONS = {
    "": "csv",
    ".csv": "csv",
    ".txt": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}
_CODECS = {".gz": "gzip", ".zst": "zstd", ".bz2": "bz2"}


class TableWriter:
    """Writes tables with the same columns, one after the other.

    Parameters
    ----------
    path : Path
        The file; "-" is standard output.
    table_format : {"csv", "tsv", "ndjson", "parquet", "arrow"}, optional
        Its format; by default by the extension, or CSV if there is none.
    """

    def __init__(self, path: Path, table_format: str | None = None) -> None:
        self._is_standard_output = str(path) == "-"
        codec = None if self._is_standard_output else _CODECS.get(path.suffix.lower())
        self._format = table_format or _format_of(path.with_suffix("") if codec else path)
        if self._format == "parquet" and self._is_standard_output:
            raise click.UsageError("Parquet cannot be written to standard output; give --output")
        # Opened now, so that an error comes before the work; closed by `__exit__`.
        self._file: Any = sys.stdout.buffer if self._is_standard_output else path.open("wb")
        if codec is not None:
            self._file = pa.CompressedOutputStream(self._file, codec)
        self._writer: Any = None
        self._has_header = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._is_standard_output:
            self._file.flush()
        else:
            self._file.close()

    @property
    def is_text(self) -> bool:
        """Whether values are written as text, so that a column may hold integers and decimals."""
        return self._format in ("csv", "tsv", "ndjson")

    def write(self, table: pa.Table) -> None:
        """Write rows."""
        if self._format == "ndjson":
            for row in table.to_pylist():
                line = json.dumps(row, ensure_ascii=False, default=_plain)
                self._file.write(f"{line}\n".encode())
        elif self.is_text:
            self._write_csv(_with_seconds(_without_dictionaries(table)))
        else:
            table = _without_dictionaries(table)
            if self._writer is None:
                self._writer = self._open(table.schema)
            self._writer.write_table(table)
        if self._is_standard_output:
            self._file.flush()

    def _write_csv(self, table: pa.Table) -> None:
        delimiter = "\t" if self._format == "tsv" else ","
        if not self._has_header:
            self._has_header = True
            header = io.StringIO()
            csv.writer(header, delimiter=delimiter, lineterminator="\n").writerow(
                table.column_names
            )
            self._file.write(header.getvalue().encode())
        try:
            data = _csv(table, delimiter, "none")
        except pa.ArrowInvalid:  # a value has a delimiter, a quote or a line break
            data = _csv(table, delimiter, "needed")
        self._file.write(data)

    def _open(self, schema: pa.Schema) -> Any:
        if self._format == "parquet":
            return pa_parquet.ParquetWriter(self._file, schema)
        opener = pa.ipc.new_stream if self._is_standard_output else pa.ipc.new_file
        return opener(self._file, schema)


def _plain(value: Any) -> Any:
    """Return what JSON has no values for: dates and times as ISO 8601, durations as seconds."""
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    return value.isoformat() if isinstance(value, dt.date | dt.time) else str(value)


def _csv(table: pa.Table, delimiter: str, quoting_style: str) -> Any:
    sink = pa.BufferOutputStream()
    options = pa_csv.WriteOptions(
        include_header=False, quoting_style=quoting_style, delimiter=delimiter
    )
    pa_csv.write_csv(table, sink, options)
    return sink.getvalue()


def _format_of(path: Path) -> str:
    """Return the format of a file's extension; refuse one that says something else."""
    found = _EXTENSIONS.get(path.suffix.lower())
    if found is None and path.is_file() is path.exists():
        what = foreign_format(path)
        known = " ".join(extension for extension in _EXTENSIONS if extension)
        raise click.UsageError(
            f"{path} would be {what or 'a file of an unknown format'}, which cannot be written; "
            f"give one of {known}, or the format (--output-format)"
        )
    return found or "csv"


def _with_seconds(table: pa.Table) -> pa.Table:
    """Return durations as seconds, as numbers are all that CSV has for them."""
    for place, field in enumerate(table.schema):
        if pa.types.is_duration(field.type):
            microseconds = table[place].cast(pa.duration("us"), safe=False).cast(pa.int64())
            seconds = pc.divide(microseconds.cast(pa.float64()), 1e6)
            table = table.set_column(place, field.name, seconds)
    return table


def _without_dictionaries(table: pa.Table) -> pa.Table:
    """Return dictionary columns as text, since dictionaries differ from block to block."""
    columns = {
        name: table[name].cast(pa.string())
        if pa.types.is_dictionary(table[name].type)
        else table[name]
        for name in table.column_names
    }
    return pa.table(columns)
