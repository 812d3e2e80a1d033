"""Compressed files, recognised by their first bytes."""

import lzma
import zipfile
from pathlib import Path
from typing import Any

from sgtrees.streams.errors import StreamError
from sgtrees.streams.files.foreign_formats import refuse_archive
from sgtrees.streams.files.sources import Source

_MAGIC_BYTES = {
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"BZh": "bz2",
    b"\xfd7zXZ\x00": "xz",
    b"PK\x03\x04": "zip",
}


def codec_of(first: bytes) -> str | None:
    r"""Return the compression that the first bytes of a file show; None if it has none.

    Examples
    --------
    >>> codec_of(b"PK\x03\x04..."), codec_of(b"size,colour")
    ('zip', None)
    """
    codecs = (name for magic, name in _MAGIC_BYTES.items() if first.startswith(magic))
    return next(codecs, None)


def decompressed(raw: Any, codec: str, source: Source) -> Any:
    """Return a file object of the decompressed bytes.

    Parameters
    ----------
    raw : file object
        The bytes as they are in the file.
    codec : str
        What `codec_of` returned.
    source : Source
        The file.
    """
    if codec == "xz":
        return lzma.open(raw)
    if codec == "zip":
        return _only_member(source)
    import pyarrow as pa  # noqa: PLC0415 - of the extra `cli`

    return pa.CompressedInputStream(pa.PythonFile(raw, mode="r"), codec)


def _only_member(source: Source) -> Any:
    """Return the one file of an archive."""
    if source.is_standard_input or not Path(source.path).is_file():
        raise StreamError(
            f"{source.name} is a ZIP archive, whose end must be read first; give the file, or "
            "unpack it: unzip -p FILE | sgtrees ... -"
        )
    try:
        # The file stays open until its member is closed.
        with zipfile.ZipFile(source.path) as archive:
            return archive.open(_only_name(archive, source.name))
    except (zipfile.BadZipFile, OSError) as error:
        raise StreamError(f"{source.name} is not a complete ZIP archive: {error}") from error
    except (RuntimeError, NotImplementedError) as error:
        raise StreamError(f"{source.name}: {error}; unpack it, and give the file in it") from error


def _only_name(archive: zipfile.ZipFile, name: str) -> str:
    members = [member for member in archive.namelist() if not member.endswith("/")]
    refuse_archive(name, members)
    if len(members) != 1:
        some = ", ".join(members[:5])
        raise StreamError(
            f"{name} holds {len(members)} files ({some}); unpack it, and give those to read"
        )
    return members[0]
