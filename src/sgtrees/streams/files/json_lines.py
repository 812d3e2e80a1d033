"""Newline-delimited JSON (NDJSON): files with a JSON object in each line."""

from collections.abc import Iterator

from sgtrees.streams.arrow_tables import columns_of_schema
from sgtrees.streams.columns import SourceColumn
from sgtrees.streams.errors import StreamError
from sgtrees.streams.files.chunks import Chunk, read_chunks
from sgtrees.streams.files.json_text import JsonText
from sgtrees.streams.files.sources import Source
from sgtrees.streams.files.transcoding import TextReader


class JsonLines(JsonText):
    """A file with a JSON object in each line.

    The columns are the keys in the first block. A key that a row lacks, or whose value is null, is
    missing; keys that appear later are ignored.

    Parameters
    ----------
    source : Source
        What to read.
    reader : TextReader
        Its bytes, as UTF-8.
    """

    def __init__(self, source: Source, reader: TextReader) -> None:
        super().__init__(source.name)
        self._rest = read_chunks(reader, self.name)
        first = next(self._rest, None)
        if first is None or not first.data.strip():
            raise StreamError(f"{self.name} is empty")
        if first.data.lstrip().startswith(b"["):
            raise StreamError(
                f"{self.name} holds one JSON list, which cannot be read as a stream; write each "
                "object on a separate line, as jq -c '.[]' does"
            )
        self._first = first

    def source_columns(self) -> dict[str, SourceColumn]:
        """Return the file's columns, inferred from its first block."""
        return columns_of_schema(self.find_types(self._first))

    def chunks(self) -> Iterator[Chunk]:
        """Yield the lines that hold rows."""
        yield self._first
        yield from self._rest
