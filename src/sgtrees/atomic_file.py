"""Files that are written completely or not at all: every file that the library writes as a whole.

The bytes go to a file of a unique name in the same folder, to the disk, and only then under the
name that was asked for. Readers, and other threads and processes that write to the same path, see
the old file or a new one, never a part.
"""

import contextlib
import errno
import os
import secrets
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias

PathLike: TypeAlias = str | os.PathLike[str]
TEMPORARY_SUFFIX = ".partial"
# The beginning of the name is enough; the whole one might become too long for the file system.
_LETTERS_OF_THE_NAME = 40
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


class NotAFileError(OSError):
    """The path is of something that no file may replace: a device, a FIFO, a socket, a loop."""


@contextlib.contextmanager
def atomic_file(path: PathLike) -> Iterator[BinaryIO]:
    """Open a new file that replaces the one at ``path`` if the context ends without an error.

    The new file has the permissions of the old one, and its owner where the system allows that. A
    symbolic link stays one: the file that it points to is replaced, or created.

    Parameters
    ----------
    path : str or path-like
        The file.

    Yields
    ------
    binary file
        The new file, to be written.

    Raises
    ------
    NotAFileError
        If the path is a device, a FIFO, a socket or a loop of symbolic links.
    IsADirectoryError
        If it is a directory.
    OSError
        If it cannot be written; an existing file has not changed then.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with atomic_file(Path(folder, "text")) as file:
    ...         _ = file.write(b"all or nothing")
    ...     Path(folder, "text").read_text()
    'all or nothing'
    """
    old = _status(path)
    target = Path(os.path.realpath(path))
    name = f".{target.name[:_LETTERS_OF_THE_NAME]}.{secrets.token_hex(8)}{TEMPORARY_SUFFIX}"
    temporary = target.with_name(name)
    # The contents of a private file are never readable by others, not even for a moment.
    descriptor = os.open(temporary, _FLAGS, 0o666 if old is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            if old is not None:
                _copy_permissions(temporary, old)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_directory(target.parent)


def write_atomically(path: PathLike, parts: Iterable[bytes | bytearray | memoryview]) -> None:
    """Write a file from its parts; see `atomic_file`."""
    with atomic_file(path) as file:
        for part in parts:
            file.write(part)


def _status(path: PathLike) -> os.stat_result | None:
    """Return the status of the file at a path, if there is one; refuse what is no file."""
    try:
        found = Path(path).stat()
    except FileNotFoundError:
        return None
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        raise NotAFileError(
            errno.ELOOP, "that is a loop of symbolic links; give the path of a file", str(path)
        ) from None
    if stat.S_ISDIR(found.st_mode):
        raise IsADirectoryError(
            errno.EISDIR, "that is a directory; give the path of a file", str(path)
        )
    if not stat.S_ISREG(found.st_mode):
        raise NotAFileError(
            errno.EINVAL, f"that is {_kind(found.st_mode)}; give the path of a file", str(path)
        )
    return found


def _kind(mode: int) -> str:
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        return "a device"
    return "a FIFO" if stat.S_ISFIFO(mode) else "a socket"


def _copy_permissions(temporary: Path, old: os.stat_result) -> None:
    if hasattr(os, "chown"):
        # Another owner can be set by root only, another group by its members.
        with contextlib.suppress(OSError):
            os.chown(temporary, old.st_uid, old.st_gid)
    # After the owner, whose change takes some permissions away.
    temporary.chmod(stat.S_IMODE(old.st_mode))


def _sync_directory(directory: Path) -> None:
    """Make the new directory entry survive a power failure, if the system supports it."""
    if os.name == "nt":
        return
    # Some file systems do not support it; the file itself has been written anyway.
    with contextlib.suppress(OSError):
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
