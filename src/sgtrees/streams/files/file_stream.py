"""One stream from one file or many."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from sgtrees.streams.block import Block, Column
from sgtrees.streams.errors import OnError, Skipped, StreamError
from sgtrees.streams.files.arff_file import ArffFile
from sgtrees.streams.files.columnar import ArrowSource, ParquetSource
from sgtrees.streams.files.csv_file import CsvFile
from sgtrees.streams.files.json_lines import JsonLines
from sgtrees.streams.files.settings import TextSettings
from sgtrees.streams.files.sources import ByteReader, Source
from sgtrees.streams.files.text_file import TextFile
from sgtrees.streams.kinds import Kind, Plan, Said, check_columns, make_plan
from sgtrees.streams.pieces import FaultPolicy
from sgtrees.streams.stream import Stream


class FileStream(Stream):
    """The rows of files, one file after the other; see `sgtrees.streams.open_stream`.

    Parameters
    ----------
    sources : sequence of Source
        The files.
    said : Said
        What the user says of columns.
    settings : TextSettings
        How CSV is written.
    on_error : {"raise", "skip"}
        What becomes of rows that cannot be used.
    """

    def __init__(
        self, sources: Sequence[Source], said: Said, settings: TextSettings, on_error: OnError
    ) -> None:
        self._sources = list(sources)
        self._settings = settings
        self._on_error = on_error
        self._skipped = Skipped()
        self._sizes = [source.n_bytes for source in sources]
        self._done_bytes = 0
        self._reader: ByteReader | None = None
        first = self._sources[0]
        opened = self._open(first)
        try:
            self._plan = make_plan(opened.file.found(), said, first.name)
        finally:
            if not first.is_standard_input:
                opened.close()
        # Standard input cannot be read twice, so it stays open until the rows are asked for.
        self._first = opened if first.is_standard_input else None
        self._was_read = False

    @property
    def columns(self) -> tuple[Column, ...]:
        """The features, in their order."""
        return tuple(self._column(name) for name in self._plan.features)

    @property
    def target(self) -> Column | None:
        """The column that is to be predicted; None where the stream has none."""
        return None if self._plan.target is None else self._column(self._plan.target)

    def _column(self, name: str) -> Column:
        nominal = self._plan.kinds[name] is not Kind.NUMERIC
        return Column(name, nominal, self._plan.found[name].categories if nominal else None)

    @property
    def plan(self) -> Plan:
        """What is read of the files."""
        return self._plan

    @property
    def n_rows(self) -> int | None:
        """The number of rows, where it is known before: in Parquet and Arrow files."""
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
        """The part of the files that has been read by the latest iteration."""
        sizes = [size for size in self._sizes if size is not None]
        if len(sizes) < len(self._sizes) or not sum(sizes):
            return None
        now = 0 if self._reader is None else self._reader.n_read
        return min((self._done_bytes + now) / sum(sizes), 1.0)

    @property
    def skipped(self) -> Skipped:
        """The rows that the latest iteration has left out."""
        return self._skipped

    def __iter__(self) -> Iterator[Block]:
        if self._was_read and any(source.is_standard_input for source in self._sources):
            raise StreamError("standard input can be read only once")
        self._was_read = True
        self._skipped = Skipped()
        self._done_bytes = 0
        first = self._sources[0].name
        for source, size in zip(self._sources, self._sizes, strict=True):
            opened, self._first = self._first or self._open(source), None
            self._reader = opened.reader
            try:
                check_columns(opened.file.column_names(), self._plan, source.name, first)
                is_text = isinstance(opened.file, TextFile)
                policy = FaultPolicy(source.name, is_text, self._on_error, self._skipped)
                yield from policy.blocks(opened.file.pieces(self._plan), self._plan)
            finally:
                opened.close()
                self._reader = None
            self._done_bytes += size or 0

    def _open(self, source: Source) -> "_Opened":
        if source.format == "parquet":
            return _Opened(ParquetSource(source), None)
        reader = ByteReader(source)
        try:
            return self._open_with(source, reader)
        except BaseException:
            reader.close()
            raise

    def _open_with(self, source: Source, reader: ByteReader) -> "_Opened":
        file_format = source.format or reader.guessed_format()
        if file_format == "parquet":
            reader.close()
            return _Opened(ParquetSource(source), None)
        if file_format == "arrow":
            return _Opened(ArrowSource(source, reader), reader)
        if file_format == "ndjson":
            return _Opened(JsonLines(source, reader), reader)
        if file_format == "arff":
            return _Opened(ArffFile(source, reader), reader)
        settings = self._settings
        file = CsvFile(
            source,
            reader,
            delimiter=settings.delimiter,
            has_names=settings.has_names,
            missing=settings.missing,
            encoding=settings.encoding,
        )
        return _Opened(file, reader)


@dataclass
class _Opened:
    """A file that is being read, and its bytes where it is read as such."""

    file: TextFile | ParquetSource | ArrowSource
    reader: ByteReader | None

    def close(self) -> None:
        if not isinstance(self.file, TextFile):
            self.file.close()
        elif self.reader is not None:
            self.reader.close()
