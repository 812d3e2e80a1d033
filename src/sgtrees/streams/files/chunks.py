"""A text file in chunks of whole lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sgtrees.streams.errors import StreamError
from sgtrees.streams.files.byte_reader import ByteReader, DamagedError
from sgtrees.streams.files.transcoding import TextReader

# Large enough for pyarrow to be fast, small enough that a few of them take little memory.
_CHUNK_BYTES = 4 << 20
# A line, or a quoted value, that is longer than this is a mistake.
_LONGEST_LINE = 256 << 20


@dataclass(frozen=True)
class Chunk:
    """Whole lines.

    Attributes
    ----------
    data : bytes
        The lines; the last one may lack its end.
    line : int
        The number of the first one, counted from 1.
    """

    data: bytes
    line: int

    def without(self, n_lines: int) -> "Chunk":
        """Return the chunk without its first lines."""
        start = 0
        for _ in range(n_lines):
            end = self.data.find(b"\n", start)
            start = len(self.data) if end < 0 else end + 1
        return Chunk(self.data[start:], self.line + n_lines)


def read_chunks(
    reader: ByteReader | TextReader, name: str, quote: bytes = b"", delimiter: bytes = b","
) -> Iterator[Chunk]:
    """Yield the lines of a text in chunks.

    Parameters
    ----------
    reader : ByteReader or TextReader
        The text.
    name : str
        Its name in messages.
    quote : bytes, default=b""
        The quote character, between two of which a line break is part of a value; empty if none.
    delimiter : bytes, default=b","
        The character between values.
    """
    line = 1
    rest = b""
    damaged: DamagedError | None = None
    while damaged is None:
        try:
            data = reader.read(_CHUNK_BYTES)
        except DamagedError as error:
            data, damaged = error.rest, error
        text = rest + data
        if damaged is None and len(data) < _CHUNK_BYTES:
            if text:
                yield Chunk(text, line)
            return
        end = _end_of_last_line(text, quote, delimiter)
        rest = text[end:]
        if end:
            yield Chunk(text[:end], line)
            line += text.count(b"\n", 0, end)
        elif len(rest) > _LONGEST_LINE:
            raise StreamError(
                f"{name}, line {line}: no line break after {len(rest) >> 20} MB; "
                "is a quote not closed there, or is this not a text file?"
            )
    raise damaged


def _end_of_last_line(text: bytes, quote: bytes, delimiter: bytes) -> int:
    """Return the position after the last line that ends outside quotes; 0 if there is none."""
    end = text.rfind(b"\n") + 1
    if not quote or quote not in text:
        return end
    if text.count(quote, 0, end) % 2 == 0 and not _has_stray_quote(text, quote, delimiter):
        return end
    # Either the last line ends inside a quoted value, or somewhere a quote is just a character.
    return _end_of_last_record(text, re.escape(quote), re.escape(delimiter))


def _has_stray_quote(text: bytes, quote: bytes, delimiter: bytes) -> bool:
    """Return whether a quote is in the middle of a value, where it opens and closes nothing."""
    letters = np.frombuffer(b"\n" + text + b"\n", np.uint8)
    quotes = np.flatnonzero(letters == ord(quote))
    is_edge = np.zeros(256, dtype=np.bool_)
    is_edge[list(quote + delimiter + b"\r\n")] = True
    return not (is_edge[letters[quotes - 1]] | is_edge[letters[quotes + 1]]).all()


def _end_of_last_record(text: bytes, quote: bytes, delimiter: bytes) -> int:
    """Parse value by value: a quote opens a value only at its first character."""
    quoted = b"%b(?:[^%b]|%b%b)*%b" % ((quote,) * 5)
    value = re.compile(b"(?:%b|(?!%b))[^%b\n]*([%b\n])" % (quoted, quote, delimiter, delimiter))
    end = place = 0
    while (match := value.match(text, place)) is not None:
        place = match.end()
        if match[1] == b"\n":
            end = place
    return end
