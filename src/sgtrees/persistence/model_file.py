"""A model file: a safetensors file with a version, a checksum and a document in its header.

It is written completely or not at all, and its header is checked before the rest is read.
`docs/model_format.md` describes the format for readers in other languages.
"""

import contextlib
import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sgtrees.atomic_file import PathLike, write_atomically
from sgtrees.persistence import ModelFileError, NewerFormatError
from sgtrees.persistence.document import Document
from sgtrees.persistence.json_text import check_extent, parse_json
from sgtrees.persistence.tensors import (
    LENGTH_BYTES,
    Array,
    Buffer,
    header_length,
    in_file_order,
    pack_header,
    unpack_header,
    view_arrays,
)
from sgtrees.version import VERSION

# Raised by every change that an older reader would misunderstand.
FORMAT_VERSION = 1

# As many bytes as `header_end` needs.
_FIRST_BYTES = 16

_NO_CHECKSUM = "sha256:" + "0" * 64
_CHECKSUM = re.compile("sha256:[0-9a-f]{64}")
# The first bytes of other files, and what these are.
_OTHER_FILES: list[tuple[bytes, str]] = [
    (b"\x80", "a pickle, which could run any code when it is loaded; save models with model.save"),
    (b"PK", "a zip archive"),
    (b"\x1f\x8b", "a file compressed with gzip"),
    (b"\x89HDF", "an HDF5 file"),
    (b"PAR1", "a Parquet file"),
]


@dataclass(frozen=True)
class Contents:
    """The contents of a model file.

    Attributes
    ----------
    document : dict
        The state of the Python part: parameters, features, labels.
    arrays : mapping from str to ndarray
        The state of the core.
    checkpoint : dict or None
        The position in the stream, if the file is a checkpoint.
    """

    document: Document
    arrays: Mapping[str, Array]
    checkpoint: Document | None = None


def to_parts(contents: Contents) -> list[Buffer]:
    """Return a model file in parts, to be written one after the other; arrays are not copied."""
    texts = {
        "format": "sgtrees",
        "format_version": str(FORMAT_VERSION),
        "library_version": VERSION,
        "checksum": _NO_CHECKSUM,
        "model": _to_json(contents.document),
    }
    if contents.checkpoint is not None:
        texts["checkpoint"] = _to_json(contents.checkpoint)
    header = pack_header(texts, contents.arrays)
    # What could not be loaded is not saved.
    check_extent(header[LENGTH_BYTES:].decode(), "header")
    arrays = (contents.arrays[name] for name in in_file_order(contents.arrays))
    data = [array.reshape(-1).view(np.uint8).data for array in arrays]
    digest = hashlib.sha256(header)
    for part in data:
        digest.update(part)
    signed = header.replace(_NO_CHECKSUM.encode(), f"sha256:{digest.hexdigest()}".encode(), 1)
    return [signed, *data]


def to_bytes(contents: Contents) -> bytes:
    """Return a model file as bytes."""
    return b"".join(to_parts(contents))


class Header:
    """The header of a model file, checked.

    Parameters
    ----------
    beginning : bytes-like
        The file up to its first array.
    """

    def __init__(self, beginning: Buffer) -> None:
        self._beginning = bytes(beginning)
        self._texts, self._described = unpack_header(self._beginning[LENGTH_BYTES:])
        _check_version(self._texts)

    def contents(self, data: Buffer) -> Contents:
        """Return the contents; ``data`` is the rest of the file, and the arrays are views of it."""
        self._check_checksum(data)
        checkpoint = self._texts.get("checkpoint")
        return Contents(
            _from_json(self._texts["model"], "model"),
            view_arrays(self._described, data),
            None if checkpoint is None else _from_json(checkpoint, "checkpoint"),
        )

    def _check_checksum(self, data: Buffer) -> None:
        checksum = self._texts["checksum"]
        if not _CHECKSUM.fullmatch(checksum):
            raise ModelFileError(f"its checksum is {checksum[:80]!r}, which is not a SHA-256")
        # The checksum of the file with zeros in place of the checksum.
        digest = hashlib.sha256(
            self._beginning.replace(checksum.encode(), _NO_CHECKSUM.encode(), 1)
        )
        digest.update(data)
        if checksum != f"sha256:{digest.hexdigest()}":
            raise ModelFileError("its checksum is wrong: the file is damaged")


def from_buffer(file: Buffer) -> Contents:
    """Read a model file in memory; the arrays are views of it."""
    view = memoryview(file)
    end = header_end(view, len(view))
    return Header(view[:end]).contents(view[end:])


def header_end(beginning: Buffer, size: int) -> int:
    """Return where the header ends, given the first bytes of a file of this size."""
    if size == 0:
        raise ModelFileError("it is empty")
    for magic, what in _OTHER_FILES:
        # In a safetensors file a brace follows the eight bytes of the length.
        if bytes(beginning[: len(magic)]) == magic and bytes(beginning[8:9]) != b"{":
            raise ModelFileError(f"it is {what}")
    return LENGTH_BYTES + header_length(beginning, size)


def _check_version(texts: Mapping[str, str]) -> None:
    if texts.get("format") != "sgtrees":
        raise ModelFileError("it is a safetensors file, but not a model of sgtrees")
    version = texts.get("format_version", "")
    if not re.fullmatch("[1-9][0-9]{0,8}", version):
        raise ModelFileError(f"its format_version is {version[:40]!r}; it must be a number")
    if int(version) > FORMAT_VERSION:
        writer = texts.get("library_version", "unknown")[:40]
        raise NewerFormatError(
            f"it was written by sgtrees {writer} in format {version}; this is sgtrees {VERSION}, "
            f"which reads formats up to {FORMAT_VERSION}: upgrade sgtrees to load it"
        )
    for name in ("library_version", "checksum", "model"):
        if name not in texts:
            raise ModelFileError(f"its header has no {name!r}")


def _to_json(document: Document) -> str:
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    check_extent(text, "document")
    return text


def _from_json(text: str, name: str) -> Document:
    document = parse_json(text, repr(name))
    if not isinstance(document, dict):
        raise ModelFileError(f"its {name!r} is not a JSON object")
    return document


# ---- on disk -------------------------------------------------------------------------------------


def write_file(path: PathLike, contents: Contents) -> None:
    """Write a model file; an existing file is replaced when the new one is completely on disk.

    Raises
    ------
    OSError
        If it cannot be written; an existing file has not changed then.
    ModelFileError
        If it is beyond the limits of files that can be loaded; likewise.
    """
    try:
        write_atomically(path, to_parts(contents))
    except ModelFileError as error:
        raise ModelFileError(f"the model was not saved: {error}") from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise type(error)(
            error.errno, f"the model was not saved: {reason}", os.fspath(path)
        ) from None


@contextlib.contextmanager
def named(path: PathLike) -> Iterator[None]:
    """Name the file in every ModelFileError that is raised inside."""
    try:
        yield
    except ModelFileError as error:
        raise type(error)(f"{os.fspath(path)} cannot be loaded: {error}") from None


def read_file(path: PathLike) -> Contents:
    """Read a model file; other files are refused before they are read completely.

    Raises
    ------
    ModelFileError
        If the file is not a model, or is damaged.
    OSError
        If it cannot be read.
    """
    with Path(path).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        end = header_end(file.read(_FIRST_BYTES), size)
        file.seek(0)
        header = Header(file.read(end))
        # NumPy allocates aligned memory.
        data = np.empty(size - end, np.uint8).data
        if file.readinto(data) != len(data):
            raise ModelFileError("it became shorter while it was read")
        return header.contents(data)
