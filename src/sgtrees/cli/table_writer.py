"""Tables written block by block to a file or to standard output."""

import json
import sys
from pathlib import Path
from typing import Any, Self

import click
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet

TABLE_FORMATS = ("csv", "ndjson", "parquet", "arrow")
_EXTENSIONS = {
    ".csv": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
}


class TableWriter:
    """Writes tables with the same columns, one after the other.

    Parameters
    ----------
    path : Path
        The file; "-" is standard output.
    table_format : {"csv", "ndjson", "parquet", "arrow"}, optional
        Its format; by default by the extension, or else CSV.
    """

    def __init__(self, path: Path, table_format: str | None = None) -> None:
        self._is_standard_output = str(path) == "-"
        self._format = table_format or _EXTENSIONS.get(path.suffix.lower(), "csv")
        if self._format == "parquet" and self._is_standard_output:
            raise click.UsageError("Parquet cannot be written to standard output; give --output")
        # Opened now, so that an error comes before the work; closed by `__exit__`.
        self._file: Any = sys.stdout.buffer if self._is_standard_output else path.open("wb")
        self._writer: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._writer is not None:
            self._writer.close()
        if self._is_standard_output:
            self._file.flush()
        else:
            self._file.close()

    def write(self, table: pa.Table) -> None:
        """Write rows."""
        if self._format == "ndjson":
            lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table.to_pylist())
            self._file.write(lines.encode())
        else:
            table = _without_dictionaries(table)
            if self._writer is None:
                self._writer = self._open(table.schema)
            self._writer.write_table(table)
        if self._is_standard_output:
            self._file.flush()

    def _open(self, schema: pa.Schema) -> Any:
        if self._format == "parquet":
            return pa_parquet.ParquetWriter(self._file, schema)
        if self._format == "arrow":
            opener = pa.ipc.new_stream if self._is_standard_output else pa.ipc.new_file
            return opener(self._file, schema)
        options = pa_csv.WriteOptions(quoting_style="needed")
        return pa_csv.CSVWriter(self._file, schema, write_options=options)


def _without_dictionaries(table: pa.Table) -> pa.Table:
    """Return dictionary columns as text, since dictionaries differ from block to block."""
    columns = {
        name: table[name].cast(pa.string())
        if pa.types.is_dictionary(table[name].type)
        else table[name]
        for name in table.column_names
    }
    return pa.table(columns)
