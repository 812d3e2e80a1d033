"""Streams of the rows of one or several files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sgtrees.streams.block import Block
from sgtrees.streams.columns import ColumnOptions, check_columns, plan_columns
from sgtrees.streams.errors import OnError, Skipped, StreamError
from sgtrees.streams.files.arff_file import ArffFile
from sgtrees.streams.files.byte_reader import ByteReader, guessed_format
from sgtrees.streams.files.columnar import ArrowFile, ParquetFile
from sgtrees.streams.files.csv_file import CsvFile
from sgtrees.streams.files.csv_options import CsvOptions
from sgtrees.streams.files.json_lines import JsonLines
from sgtrees.streams.files.sources import Source
from sgtrees.streams.files.text_file import TextFile
from sgtrees.streams.files.transcoding import TextReader
from sgtrees.streams.table_stream import TableStream


class FileStream(TableStream):
    """The rows of files, one file after the other; see `sgtrees.streams.open_stream`.

    Parameters
    ----------
    sources : sequence of Source
        The files.
    options : ColumnOptions
        The user's options for columns.
    csv_options : CsvOptions
        The options of CSV files.
    on_error : {"raise", "skip"}
        Whether an invalid row raises a `StreamError` or is left out and counted.
    """

    def __init__(
        self,
        sources: Sequence[Source],
        options: ColumnOptions,
        csv_options: CsvOptions,
        on_error: OnError,
    ) -> None:
        self._sources = list(sources)
        self._csv_options = csv_options
        self._sizes = [source.n_bytes for source in sources]
        self._finished_bytes = 0
        self._reader: ByteReader | None = None
        first = self._sources[0]
        opened = self._open(first)
        try:
            super().__init__(
                plan_columns(opened.file.source_columns(), options, first.name), on_error
            )
        finally:
            if not first.is_standard_input:
                opened.close()
        # Standard input cannot be read twice, so it stays open until the rows are read.
        self._first = opened if first.is_standard_input else None
        self._was_read = False

    @property
    def n_rows(self) -> int | None:
        """The number of rows, which Parquet and Arrow files store; None for other files."""
        total = 0
        for source in self._sources:
            if source.format not in ("parquet", "arrow") or source.is_standard_input:
                return None
            opened = self._open(source)
            n_rows = getattr(opened.file, "n_rows", None)
            opened.close()
            if n_rows is None:
                return None
            total += n_rows
        return total

    @property
    def progress(self) -> float | None:
        """The fraction of the files that the latest iteration has read."""
        sizes = [size for size in self._sizes if size is not None]
        if len(sizes) < len(self._sizes) or not sum(sizes):
            return None
        current = 0 if self._reader is None else self._reader.n_read
        return min((self._finished_bytes + current) / sum(sizes), 1.0)

    def __iter__(self) -> Iterator[Block]:
        if self._was_read and any(source.is_standard_input for source in self._sources):
            raise StreamError("standard input can be read only once")
        self._was_read = True
        self._skipped = Skipped()
        self._finished_bytes = 0
        first = self._sources[0].name
        for source, size in zip(self._sources, self._sizes, strict=True):
            opened, self._first = self._first or self._open(source), None
            self._reader = opened.reader
            try:
                check_columns(opened.file.column_names(), self._plan, source.name, first)
                yield from self._valid_blocks(
                    opened.file.batches(self._plan), source.name, is_text=opened.is_text
                )
            finally:
                opened.close()
                self._reader = None
            self._finished_bytes += size or 0

    def _open(self, source: Source) -> "_OpenFile":
        if source.format == "parquet":
            return _OpenFile(ParquetFile(source), None)
        reader = ByteReader(source)
        try:
            return self._open_with(source, reader)
        except BaseException:
            reader.close()
            raise

    def _open_with(self, source: Source, reader: ByteReader) -> "_OpenFile":
        # UTF-16 starts with bytes that no format starts with.
        text = TextReader(reader, self._csv_options.encoding, source.name)
        file_format = source.format or guessed_format(text.peek(1 << 12))
        if file_format == "parquet":
            reader.close()
            return _OpenFile(ParquetFile(source), None)
        if file_format == "arrow":
            return _OpenFile(ArrowFile(source, reader), reader)
        if file_format == "ndjson":
            return _OpenFile(JsonLines(source, text), reader)
        if file_format == "arff":
            return _OpenFile(ArffFile(source, text), reader)
        return _OpenFile(CsvFile(source, text, self._csv_options), reader)


@dataclass
class _OpenFile:
    """A file that is being read, and its bytes if they are read through a `ByteReader`."""

    file: TextFile | ParquetFile | ArrowFile
    reader: ByteReader | None

    @property
    def is_text(self) -> bool:
        return isinstance(self.file, TextFile)

    def close(self) -> None:
        if not isinstance(self.file, TextFile):
            self.file.close()
        elif self.reader is not None:
            self.reader.close()
