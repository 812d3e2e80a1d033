"""Parquet and Arrow files, which store typed columns."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.ipc as pa_ipc
import pyarrow.parquet as pa_parquet

from sgtrees.streams.arrow_tables import columns_of_schema, conform
from sgtrees.streams.columns import ColumnPlan, SourceColumn
from sgtrees.streams.errors import StreamError
from sgtrees.streams.files.byte_reader import ByteReader
from sgtrees.streams.files.sources import Source
from sgtrees.streams.table_stream import TableBatch

_ROWS_PER_BLOCK = 1 << 16
# If one row group is read: most are one block then, which need not be concatenated.
_ROWS_PER_ROW_GROUP = 1 << 18


class ParquetFile:
    """A Parquet file, or one row group of it."""

    def __init__(self, source: Source) -> None:
        self.name = source.name
        if source.is_standard_input:
            raise StreamError(
                "Parquet cannot be read from standard input, as its end must be read first; "
                "give the file, or pipe CSV, NDJSON or an Arrow stream"
            )
        try:
            self._file = _open_parquet(source.path)
        except (pa.ArrowException, OSError) as error:
            raise StreamError(f"{self.name} is not a complete Parquet file: {error}") from error
        self.n_rows = int(self._file.metadata.num_rows)
        self._groups: list[int] | None = None
        self._rows_per_block = _ROWS_PER_BLOCK
        if source.row_group is not None:
            self._rows_per_block = _ROWS_PER_ROW_GROUP
            self._groups = [source.row_group]
            self.n_rows = int(self._file.metadata.row_group(source.row_group).num_rows)

    def source_columns(self) -> dict[str, SourceColumn]:
        """Return the file's columns."""
        return columns_of_schema(self._file.schema_arrow)

    def column_names(self) -> list[str]:
        """Return the names of the file's columns."""
        return list(self.source_columns())

    def batches(self, plan: ColumnPlan) -> Iterator[TableBatch]:
        """Yield all rows."""
        columns = list(plan.kinds)
        batches = self._file.iter_batches(
            self._rows_per_block, row_groups=self._groups, columns=columns, use_threads=False
        )
        yield from _table_batches(batches, plan, self.name)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _open_parquet(path: str) -> Any:
    # Row groups are read page by page, so that memory does not depend on their size.
    by_pages = {"pre_buffer": False, "buffer_size": 1 << 20}
    file = pa_parquet.ParquetFile(path, **by_pages)
    text = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
    if not text:
        return file
    metadata = file.metadata
    file.close()
    return pa_parquet.ParquetFile(path, metadata=metadata, read_dictionary=text, **by_pages)


class ArrowFile:
    """An Arrow file (also called Feather) or an Arrow stream.

    Parameters
    ----------
    source : Source
        What to read.
    reader : ByteReader
        Its bytes, for a stream; a file is read from its path.
    """

    def __init__(self, source: Source, reader: ByteReader) -> None:
        self.name = source.name
        self.n_rows: int | None = None
        self._reader = reader
        try:
            self._open(source)
        except (pa.ArrowException, OSError) as error:
            raise StreamError(
                f"{self.name} is not a complete Arrow file or stream: {error}"
            ) from error

    def _open(self, source: Source) -> None:
        batches: Any
        if source.is_standard_input or not _is_arrow_file(source.path):
            batches = pa_ipc.open_stream(pa.PythonFile(_Bytes(self._reader), mode="r"))
        else:
            file = pa_ipc.open_file(pa.memory_map(source.path))
            # Of later versions of pyarrow; it is for the progress only.
            if (count := getattr(file, "count_rows", None)) is not None:
                self.n_rows = int(count())
            batches = (file.get_batch(place) for place in range(file.num_record_batches))
            self._schema = file.schema
            self._batches = batches
            return
        self._schema = batches.schema
        self._batches = iter(batches)

    def source_columns(self) -> dict[str, SourceColumn]:
        """Return the file's columns."""
        return columns_of_schema(self._schema)

    def column_names(self) -> list[str]:
        """Return the names of the file's columns."""
        return list(self.source_columns())

    def batches(self, plan: ColumnPlan) -> Iterator[TableBatch]:
        """Yield all rows."""
        yield from _table_batches(_limited(self._batches), plan, self.name)

    def close(self) -> None:
        """Close the file."""
        self._reader.close()


class _Bytes:
    """A reader's bytes as the file object that pyarrow needs."""

    closed = False

    def __init__(self, reader: ByteReader) -> None:
        self._reader = reader

    def read(self, size: int = -1) -> bytes:
        return self._reader.read(size)

    def readable(self) -> bool:
        return True

    def close(self) -> None:
        pass


def _is_arrow_file(path: str) -> bool:
    with open(path, "rb") as file:  # noqa: PTH123
        return file.read(6) == b"ARROW1"


def _limited(batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS_PER_BLOCK):
            yield batch.slice(start, _ROWS_PER_BLOCK)


def _table_batches(batches: Iterator[Any], plan: ColumnPlan, name: str) -> Iterator[TableBatch]:
    rows = 0
    while True:
        try:
            batch = next(batches, None)
        except (pa.ArrowException, OSError) as error:
            raise StreamError(f"{name} is damaged after row {rows}: {error}") from error
        if batch is None:
            return
        first = rows + 1
        rows += batch.num_rows
        try:
            table = conform(pa.Table.from_batches([batch]), plan)
        except pa.ArrowException as error:
            raise StreamError(f"{name}, in the rows from {first} to {rows}: {error}") from error
        yield TableBatch(table, partial(range, first, rows + 1))
