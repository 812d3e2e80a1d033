"""The decompressed bytes of a file or of standard input."""

import io
import lzma
import sys
import zipfile
import zlib
from typing import Any

from sgtrees.streams.errors import StreamError
from sgtrees.streams.files.decompression import codec_of, decompressed
from sgtrees.streams.files.foreign_formats import refuse_foreign
from sgtrees.streams.files.sources import Source

_BYTES_PER_READ = 1 << 20


class ByteReader:
    """The decompressed bytes of a source, in order.

    Parameters
    ----------
    source : Source
        What to read.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._peeked = b""
        raw: Any
        if source.is_standard_input:
            raw = sys.stdin.buffer
        else:
            try:
                raw = open(source.path, "rb", buffering=0)  # noqa: SIM115, PTH123 - closed in close
            except OSError as error:
                raise StreamError(f"{source.path} cannot be read: {error.strerror}") from error
        self._raw = raw
        self._first = _read_fully(raw, 16)
        self._n_read = len(self._first)
        codec = codec_of(self._first)
        self._decompressed: Any = None
        try:
            refuse_foreign(source.name, self._first, is_declared=source.format is not None)
            if codec is not None:
                self._decompressed = decompressed(_CompressedBytes(self), codec, source)
        except BaseException:
            self.close()
            raise

    @property
    def n_read(self) -> int:
        """The number of (compressed) bytes of the file that have been read."""
        return self._n_read

    def peek(self, n_bytes: int) -> bytes:
        """Return the next bytes without consuming them."""
        data = self.read(n_bytes)
        self._peeked = data + self._peeked
        return data

    def _read_raw(self, n_bytes: int) -> bytes:
        if self._first:
            first, self._first = self._first[:n_bytes], self._first[n_bytes:]
            return first
        data: bytes = self._raw.read(n_bytes) or b""
        self._n_read += len(data)
        return data

    def read(self, n_bytes: int) -> bytes:
        """Return the next bytes: ``n_bytes`` of them, and fewer only at the end.

        Raises
        ------
        StreamError
            If the file is damaged or truncated. The bytes before are in ``error.rest``.
        """
        parts: list[bytes] = []
        missing = n_bytes
        while missing > 0:
            try:
                part = self._read_some(min(missing, _BYTES_PER_READ))
            except (OSError, EOFError, lzma.LZMAError, zipfile.BadZipFile, zlib.error) as error:
                raise DamagedError(self._source.name, str(error), b"".join(parts)) from error
            if not part:
                break
            parts.append(part)
            missing -= len(part)
        return b"".join(parts)

    def _read_some(self, n_bytes: int) -> bytes:
        if self._peeked:
            first, self._peeked = self._peeked[:n_bytes], self._peeked[n_bytes:]
            return first
        if self._decompressed is None:
            return self._read_raw(n_bytes)
        data: bytes = self._decompressed.read(n_bytes)
        return data

    def close(self) -> None:
        """Close the file."""
        if isinstance(self._decompressed, zipfile.ZipExtFile):
            self._decompressed.close()
        if not self._source.is_standard_input:
            self._raw.close()


def guessed_format(first: bytes) -> str:
    """Return the format that the first bytes suggest.

    Examples
    --------
    >>> guessed_format(b'{"size": 7.5}'), guessed_format(b"size,colour")
    ('ndjson', 'csv')
    """
    start = first.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"PAR1"):
        return "parquet"
    if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    if start.startswith((b"{", b"[")):
        return "ndjson"
    return "arff" if start.startswith(b"%") or start[:9].lower() == b"@relation" else "csv"


class DamagedError(StreamError):
    """A file that is damaged or truncated.

    Attributes
    ----------
    rest : bytes
        The bytes that could be read.
    """

    def __init__(self, name: str, why: str, rest: bytes) -> None:
        is_truncated = "runcated" in why or "end-of-stream" in why
        what = "is truncated (was it copied completely?)" if is_truncated else f"is damaged: {why}"
        super().__init__(f"{name} {what}; everything before was read")
        self.rest = rest


class _CompressedBytes(io.RawIOBase):
    """A reader's bytes as they are in the file, for pyarrow to decompress."""

    def __init__(self, reader: ByteReader) -> None:
        self._reader = reader

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._reader._read_raw(size if size >= 0 else _BYTES_PER_READ)


def _read_fully(raw: Any, n_bytes: int) -> bytes:
    data = b""
    while len(data) < n_bytes and (part := raw.read(n_bytes - len(data))):
        data += part
    return data
