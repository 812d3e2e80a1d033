"""Parquet and Arrow: files that hold columns, with their types."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import pyarrow as pa
import pyarrow.ipc as pa_ipc
import pyarrow.parquet as pa_parquet

from sgtrees.streams.arrow_tables import conform, found_in
from sgtrees.streams.errors import StreamError
from sgtrees.streams.files.sources import ByteReader, Source
from sgtrees.streams.kinds import Found, Plan
from sgtrees.streams.pieces import Piece

_ROWS_PER_BLOCK = 1 << 16
# Of a row group that is asked for by itself: most are one block, which need not be put together.
_ROWS_OF_ROW_GROUP = 1 << 18


class ParquetSource:
    """A Parquet file.

    Parameters
    ----------
    source : Source
        What to read.
    """

    def __init__(self, source: Source) -> None:
        self.name = source.name
        if source.is_standard_input:
            raise StreamError(
                "Parquet cannot be read from standard input, as its end comes first; "
                "give the file, or pipe CSV, NDJSON or an Arrow stream"
            )
        try:
            self._file = _opened(source.path)
        except (pa.ArrowException, OSError) as error:
            raise StreamError(f"{self.name} is no whole Parquet file: {error}") from error
        self.n_rows = int(self._file.metadata.num_rows)
        self._groups: list[int] | None = None
        self._rows_per_block = _ROWS_PER_BLOCK
        if source.row_group is not None:
            self._rows_per_block = _ROWS_OF_ROW_GROUP
            self._groups = [source.row_group]
            self.n_rows = int(self._file.metadata.row_group(source.row_group).num_rows)

    def found(self) -> dict[str, Found]:
        """Return the file's columns."""
        return found_in(self._file.schema_arrow)

    def column_names(self) -> list[str]:
        """Return the names of the file's columns."""
        return list(self.found())

    def pieces(self, plan: Plan) -> Iterator[Piece]:
        """Yield all rows."""
        columns = list(plan.kinds)
        batches = self._file.iter_batches(
            self._rows_per_block, row_groups=self._groups, columns=columns, use_threads=False
        )
        yield from _pieces(batches, plan, self.name)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _opened(path: str) -> Any:
    # A row group is read page by page, so that its size does not matter.
    by_pages = {"pre_buffer": False, "buffer_size": 1 << 20}
    file = pa_parquet.ParquetFile(path, **by_pages)
    words = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
    if not words:
        return file
    metadata = file.metadata
    file.close()
    return pa_parquet.ParquetFile(path, metadata=metadata, read_dictionary=words, **by_pages)


class ArrowSource:
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
            raise StreamError(f"{self.name} is no whole Arrow file or stream: {error}") from error

    def _open(self, source: Source) -> None:
        batches: Any
        if source.is_standard_input or not _is_arrow_file(source.path):
            batches = pa_ipc.open_stream(pa.PythonFile(_Bytes(self._reader), mode="r"))
        else:
            file = pa_ipc.open_file(pa.memory_map(source.path))
            self.n_rows = int(file.count_rows())
            batches = (file.get_batch(place) for place in range(file.num_record_batches))
            self._schema = file.schema
            self._batches = batches
            return
        self._schema = batches.schema
        self._batches = iter(batches)

    def found(self) -> dict[str, Found]:
        """Return the file's columns."""
        return found_in(self._schema)

    def column_names(self) -> list[str]:
        """Return the names of the file's columns."""
        return list(self.found())

    def pieces(self, plan: Plan) -> Iterator[Piece]:
        """Yield all rows."""
        yield from _pieces(_cut(self._batches), plan, self.name)

    def close(self) -> None:
        """Close the file."""
        self._reader.close()


class _Bytes:
    """A reader's bytes, in the way in which pyarrow asks for them."""

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


def _cut(batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS_PER_BLOCK):
            yield batch.slice(start, _ROWS_PER_BLOCK)


def _pieces(batches: Iterator[Any], plan: Plan, name: str) -> Iterator[Piece]:
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
        yield Piece(table, partial(range, first, rows + 1))
