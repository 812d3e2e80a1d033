"""The log of what is learned: on the disk before it is learned and acknowledged.

A segment is a file: a header with a salt, then frames. A frame holds the records that were written
and synchronised together, under one checksum, so a frame is there as a whole or not at all. No
frame is begun before the one before it is on the disk: what is torn by a crash is the last one, and
none of its records has been acknowledged. The salt is part of each checksum, so nothing that a
record contains can pass for a frame.
"""

import contextlib
import errno
import itertools
import logging
import os
import re
import secrets
import struct
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sgtrees.serve.errors import StateError
from sgtrees.serve.gathered_write import together, write_pieces

_LOGGER = logging.getLogger(__name__)

_SEGMENT_HEADER = struct.Struct("<8sIQI")  # magic, salt, first sequence number, checksum
_FRAME_HEADER = struct.Struct("<4sIQII")  # mark, length, first sequence number, records, checksum
_LENGTH = struct.Struct("<I")
_MAGIC = b"SGTLOG01"
_MARK = b"SGTF"
_NAME = re.compile(r"log-([0-9]{16})\.sgtlog")
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_BINARY = getattr(os, "O_BINARY", 0)
# What is not synchronised with the data, as times, need not be.
_synchronise = getattr(os, "fdatasync", os.fsync)


class LogDamagedError(StateError):
    """Acknowledged records of the log cannot be read."""


class LogWriteError(Exception):
    """Records could not be written; the log is as it was before.

    Attributes
    ----------
    is_full : bool
        Whether there is no room, as opposed to a disk that cannot be written.
    reason : str
        What the system says.
    """

    def __init__(self, error: OSError) -> None:
        self.is_full = error.errno in _FULL
        self.reason = error.strerror or str(error)
        super().__init__(self.reason)


@dataclass(frozen=True)
class _Frame:
    """The records of a frame, and where it ends in its file."""

    first: int
    records: list[bytes]
    end: int


class WriteAheadLog:
    """A folder of segments, to which records are appended in groups.

    Parameters
    ----------
    folder : Path
        The folder; it is created if it does not exist. A frame that a crash has torn is removed.
    first : int, default=0
        The least sequence number that the next record may have.
    segment_bytes : int, default=2**26
        The size at which a new segment begins.

    Raises
    ------
    LogDamagedError
        If the last segment is damaged before its end.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = WriteAheadLog(Path(folder))
    ...     log.append([b"one", b"two"]), log.append([b"three"]), log.next
    ...     log.close()
    ...     list(WriteAheadLog(Path(folder)).read(1))
    (0, 2, 3)
    [(1, b'two'), (2, b'three')]
    """

    def __init__(self, folder: Path, *, first: int = 0, segment_bytes: int = 1 << 26) -> None:
        self.folder = folder
        self.segment_bytes = segment_bytes
        self._descriptor: int | None = None
        self._salt = 0
        self._size = 0
        folder.mkdir(parents=True, exist_ok=True)
        self.next = max(first, self._repair())

    # ---- reading --------------------------------------------------------------------------------

    def segments(self) -> list[Path]:
        """Return the files, the oldest first."""
        found = (path for path in self.folder.iterdir() if _NAME.fullmatch(path.name))
        return sorted(found, key=_first_of)

    def read(self, first: int) -> Iterator[tuple[int, bytes]]:
        """Yield the records from a sequence number on, each with its own.

        Raises
        ------
        LogDamagedError
            If one of them is missing or damaged.
        """
        wanted = first
        segments = self.segments()
        for number, path in enumerate(segments):
            # What follows in a segment after its successor's first record was never acknowledged.
            is_last = number + 1 == len(segments)
            stop = self.next if is_last else _first_of(segments[number + 1])
            if stop <= wanted:
                continue
            for sequence, record in _records(path, stop):
                if sequence < wanted:
                    continue
                if sequence > wanted:
                    raise LogDamagedError(_gap(path, wanted, sequence))
                yield sequence, record
                wanted += 1
        if wanted < self.next and segments:
            raise LogDamagedError(_gap(segments[-1], wanted, self.next))

    def _repair(self) -> int:
        """Remove what a crash has left at the end; return the number of the next record."""
        for path in reversed(self.segments()):
            content = path.read_bytes()
            salt = _salt_of(content, path)
            if salt is None:
                # It was being created: nothing has been written to it.
                path.unlink()
                continue
            end, sequence = _SEGMENT_HEADER.size, _first_of(path)
            for frame in _frames(content, salt):
                end, sequence = frame.end, frame.first + len(frame.records)
            if end < len(content):
                _check_torn(path, content, salt, end)
                _LOGGER.warning("%s: %d bytes of a torn frame removed", path, len(content) - end)
                os.truncate(path, end)
            return sequence
        return 0

    # ---- writing --------------------------------------------------------------------------------

    def append(self, records: Sequence[bytes | tuple[bytes, ...]]) -> int:
        """Write records and wait until they are on the disk.

        Parameters
        ----------
        records : sequence of bytes, or of tuples of bytes
            The records; one may consist of several parts.

        Returns
        -------
        int
            The sequence number of the first one.

        Raises
        ------
        LogWriteError
            If they could not be written; then none of them is in the log.
        """
        first = self.next
        try:
            if self._descriptor is None or self._size >= self.segment_bytes:
                self._begin_segment()
            assert self._descriptor is not None
            frame = _frame(first, records, self._salt)
            write_pieces(self._descriptor, frame)
            _synchronise(self._descriptor)
        except OSError as error:
            self._undo()
            raise LogWriteError(error) from error
        self._size += sum(map(len, frame))
        self.next = first + len(records)
        return first

    def _begin_segment(self) -> None:
        self.close()
        path = self.folder / f"log-{self.next:016d}.sgtlog"
        # One of the same name has no record: its number would be higher.
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
        self._descriptor = descriptor
        self._salt = secrets.randbits(32)
        self._size = 0
        start = _SEGMENT_HEADER.pack(_MAGIC, self._salt, self.next, 0)[:-4]
        header = start + _LENGTH.pack(zlib.crc32(start))
        write_pieces(descriptor, [header])
        os.fsync(descriptor)
        _synchronise_folder(self.folder)
        self._size = len(header)

    def _undo(self) -> None:
        """Take back what was written of a frame; the next one begins a new segment.

        After a failed synchronisation nobody knows what of the file is on the disk.
        """
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.ftruncate(self._descriptor, self._size)
                _synchronise(self._descriptor)
        with contextlib.suppress(OSError):
            self.close()

    def forget(self, before: int) -> None:
        """Delete the segments of which every record has a lower number."""
        segments = self.segments()
        for path, successor in itertools.pairwise(segments):
            if _first_of(successor) <= before:
                path.unlink(missing_ok=True)

    def bytes_on_disk(self) -> int:
        """Return the size of all segments."""
        size = 0
        for path in self.segments():
            with contextlib.suppress(FileNotFoundError):  # it has been forgotten meanwhile
                size += path.stat().st_size
        return size

    def close(self) -> None:
        """Close the file; a record that is appended later begins a new one."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            os.close(descriptor)


def _first_of(path: Path) -> int:
    match = _NAME.fullmatch(path.name)
    assert match is not None
    return int(match[1])


def _gap(path: Path, wanted: int, found: int) -> str:
    return f"{path}: records {wanted:,} to {found - 1:,} of the log are missing"


def _salt_of(content: bytes, path: Path) -> int | None:
    """Return the salt of a segment; None if its header is torn."""
    if len(content) < _SEGMENT_HEADER.size:
        return None
    magic, salt, first, checksum = _SEGMENT_HEADER.unpack_from(content)
    start = content[: _SEGMENT_HEADER.size - _LENGTH.size]
    if magic == _MAGIC and first == _first_of(path) and checksum == zlib.crc32(start):
        return int(salt)
    if len(content) > _SEGMENT_HEADER.size:
        raise LogDamagedError(f"{path}: the header of this segment of the log is damaged")
    return None


def _records(path: Path, stop: int) -> Iterator[tuple[int, bytes]]:
    """Yield the records of a segment before number ``stop``; there must be all of them."""
    content = path.read_bytes()
    salt = _salt_of(content, path)
    sequence = _first_of(path)
    for frame in _frames(content, salt or 0):
        for record in frame.records:
            if sequence == stop:
                return
            yield sequence, record
            sequence += 1
    if sequence < stop:
        raise LogDamagedError(_gap(path, sequence, stop))


def _frames(content: bytes, salt: int) -> Iterator[_Frame]:
    """Yield the frames of a segment up to the first that is not whole."""
    place = _SEGMENT_HEADER.size
    while (frame := _frame_at(content, place, salt)) is not None:
        yield frame
        place = frame.end


def _frame(first: int, records: Sequence[bytes | tuple[bytes, ...]], salt: int) -> list[bytes]:
    """Return a frame in pieces: what is large is not copied."""
    body = list(together(_with_lengths(records)))
    length = sum(map(len, body))
    start = _FRAME_HEADER.pack(_MARK, length, first, len(records), 0)[: -_LENGTH.size]
    checksum = zlib.crc32(start, salt)
    for piece in body:
        checksum = zlib.crc32(piece, checksum)
    return [start + _LENGTH.pack(checksum), *body]


def _with_lengths(records: Sequence[bytes | tuple[bytes, ...]]) -> Iterator[bytes]:
    for record in records:
        parts = record if isinstance(record, tuple) else (record,)
        yield _LENGTH.pack(sum(map(len, parts)))
        yield from parts


def _frame_at(content: bytes, place: int, salt: int) -> _Frame | None:
    body = place + _FRAME_HEADER.size
    if body > len(content):
        return None
    mark, length, first, n_records, checksum = _FRAME_HEADER.unpack_from(content, place)
    if mark != _MARK or body + length > len(content):
        return None
    view = memoryview(content)
    start = view[place : body - _LENGTH.size]
    if zlib.crc32(view[body : body + length], zlib.crc32(start, salt)) != checksum:
        return None
    records = []
    at = body
    for _ in range(n_records):
        (size,) = _LENGTH.unpack_from(content, at)
        at += _LENGTH.size
        records.append(content[at : at + size])
        at += size
    return _Frame(first, records, at)


def _check_torn(path: Path, content: bytes, salt: int, end: int) -> None:
    """Raise if a whole frame follows a damaged one: then that was acknowledged, not torn."""
    place = content.find(_MARK, end + 1)
    while place >= 0:
        if _frame_at(content, place, salt) is not None:
            raise LogDamagedError(
                f"{path}: damaged at byte {end:,}, and records follow; restore the file, or "
                "give a folder of a backup"
            )
        place = content.find(_MARK, place + 1)


def _synchronise_folder(folder: Path) -> None:
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
