"""Where rows are: files, folders, patterns and standard input; and their bytes, unpacked."""

import glob
import io
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sgtrees.streams.errors import StreamError

STANDARD_INPUT = "-"

_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "csv",
    ".data": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".json": "ndjson",
    ".arff": "arff",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arrows": "arrow",
}
FORMATS = ("csv", "tsv", "ndjson", "arff", "parquet", "arrow")
_PACKED = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd", ".bz2": "bz2"}
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bz2"}
_READ_AT_A_TIME = 1 << 20


@dataclass(frozen=True)
class Source:
    """A file or standard input.

    Attributes
    ----------
    path : str
        The path, or "-".
    format : str or None
        One of `FORMATS`; None where its first bytes have to tell.
    row_group : int or None
        The one row group of a Parquet file that is meant; None for all.
    """

    path: str
    format: str | None
    row_group: int | None = None

    @property
    def is_standard_input(self) -> bool:
        """Whether this is no file."""
        return self.path == STANDARD_INPUT

    @property
    def name(self) -> str:
        """What messages call it."""
        if self.row_group is not None:
            return f"{self.path}, row group {self.row_group}"
        return "standard input" if self.is_standard_input else self.path

    @property
    def n_bytes(self) -> int | None:
        """The file's size, packed as it is; None where it has none (a pipe, say)."""
        if self.is_standard_input or not Path(self.path).is_file():
            return None
        return Path(self.path).stat().st_size


def find_sources(
    paths: str | Path | Iterable[str | Path], file_format: str | None = None
) -> list[Source]:
    """Find the files that paths, folders and patterns stand for.

    Parameters
    ----------
    paths : str, Path, or iterable of them
        Files in their order; a folder stands for the files in it whose names end in a way that is
        known, and a pattern like ``"2013-*.csv"`` for those that match, both in the order of their
        names, where ``part-2`` comes before ``part-10``. "-" is standard input.
    file_format : str, optional
        One of `FORMATS`, where names do not tell.

    Returns
    -------
    list of Source
        One at least.
    """
    if file_format is not None and file_format not in FORMATS:
        raise StreamError(f"format {file_format!r} is not known; give one of {', '.join(FORMATS)}")
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if not given:
        raise StreamError("no file was given")
    files = [file for path in given for file in _expand(str(path), file_format)]
    return [Source(file, file_format or _format_of(file)) for file in files]


def _expand(path: str, file_format: str | None) -> list[str]:
    if path == STANDARD_INPUT:
        return [path]
    place = Path(path)
    if place.is_dir():
        inside = [str(file) for file in place.iterdir() if _is_data(file, file_format)]
        if not inside:
            raise StreamError(f"the folder {path} holds no file of a known kind ({_endings()})")
        return sorted(inside, key=_natural)
    if place.exists():
        return [path]
    if glob.has_magic(path):
        found = glob.glob(path, recursive=True)  # noqa: PTH207 - the path may be absolute
        hits = [hit for hit in found if Path(hit).is_file()]
        if not hits:
            raise StreamError(f"no file matches {path}")
        return sorted(hits, key=_natural)
    raise StreamError(f"there is no file {path}")


def _is_data(file: Path, file_format: str | None) -> bool:
    hidden = file.name.startswith((".", "_"))
    return file.is_file() and not hidden and (file_format or _format_of(file.name)) is not None


def _endings() -> str:
    return " ".join(_FORMATS) + ", also packed: " + " ".join(_PACKED)


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return what to sort by: digits count as numbers."""
    parts = re.split(r"(\d+)", name)
    return [(0, int(part), part) if part.isdigit() else (1, 0, part) for part in parts]


def _format_of(name: str) -> str | None:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return _FORMATS.get(suffixes[-1]) if suffixes else None


class ByteReader:
    """The unpacked bytes of a source, one after the other.

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
        self._first = _read_fully(raw, 8)
        self._n_read = len(self._first)
        packing = next((p for magic, p in _MAGIC.items() if self._first.startswith(magic)), None)
        self._unpacked: Any = None if packing is None else _unpack(self, packing)

    @property
    def n_read(self) -> int:
        """How many bytes of the file, packed as it is, have been read."""
        return self._n_read

    def guessed_format(self) -> str:
        """Tell the format by the first bytes."""
        start = self.peek(1 << 12).lstrip(b"\xef\xbb\xbf \t\r\n")
        if start.startswith(b"PAR1"):
            return "parquet"
        if start.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
            return "arrow"
        if start.startswith((b"{", b"[")):
            return "ndjson"
        return "arff" if start.startswith(b"%") or start[:9].lower() == b"@relation" else "csv"

    def peek(self, n_bytes: int) -> bytes:
        """Return the first bytes; they will be read again."""
        self._peeked = self.read(n_bytes)
        return self._peeked

    def _read_raw(self, n_bytes: int) -> bytes:
        if self._first:
            first, self._first = self._first[:n_bytes], self._first[n_bytes:]
            return first
        data: bytes = self._raw.read(n_bytes) or b""
        self._n_read += len(data)
        return data

    def read(self, n_bytes: int) -> bytes:
        """Return the next bytes: as many as asked for, and fewer only at the end.

        Raises
        ------
        StreamError
            Where the file is damaged or cut off. What was read before it is in ``error.rest``.
        """
        parts: list[bytes] = []
        missing = n_bytes
        while missing > 0:
            try:
                part = self._read_some(min(missing, _READ_AT_A_TIME))
            except OSError as error:
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
        if self._unpacked is None:
            return self._read_raw(n_bytes)
        data: bytes = self._unpacked.read(n_bytes)
        return data

    def close(self) -> None:
        """Close the file."""
        if not self._source.is_standard_input:
            self._raw.close()


class DamagedError(StreamError):
    """A file that is damaged or cut off.

    Attributes
    ----------
    rest : bytes
        What could be read before.
    """

    def __init__(self, name: str, why: str, rest: bytes) -> None:
        cut = "ends too early (was it copied whole?)" if "runcated" in why else f"is damaged: {why}"
        super().__init__(f"{name} {cut}; everything before this place was read")
        self.rest = rest


class _Raw(io.RawIOBase):
    """A reader's bytes as they are in the file, for pyarrow to unpack."""

    def __init__(self, reader: ByteReader) -> None:
        self._reader = reader

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        return self._reader._read_raw(size if size >= 0 else _READ_AT_A_TIME)


def _unpack(reader: ByteReader, packing: str) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - of the extra `cli`

    return pa.CompressedInputStream(pa.PythonFile(_Raw(reader), mode="r"), packing)


def _read_fully(raw: Any, n_bytes: int) -> bytes:
    data = b""
    while len(data) < n_bytes and (part := raw.read(n_bytes - len(data))):
        data += part
    return data
