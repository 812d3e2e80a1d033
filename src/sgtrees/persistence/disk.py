"""Model files on disk: written whole or not at all, and looked at before they are read."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np

from sgtrees.persistence.errors import ModelFileError
from sgtrees.persistence.model_file import Contents, Header, header_end, to_parts
from sgtrees.persistence.tensors import Buffer

PathLike: TypeAlias = str | os.PathLike[str]

TEMPORARY_SUFFIX = ".partial"
# Bytes at the beginning of a file that tell what it is.
_ENOUGH_TO_TELL = 16


def write_file(path: PathLike, contents: Contents) -> None:
    """Write a model file; whatever was there before stays until all of it is on the disk.

    Raises
    ------
    OSError
        Where it cannot be written; what was there before is as it was.
    """
    # Through a link to what it points at, which is replaced there.
    target = Path(os.path.realpath(path))
    try:
        _write_atomically(target, to_parts(contents))
    except OSError as error:
        reason = error.strerror or str(error)
        raise type(error)(
            error.errno, f"the model was not saved: {reason}", os.fspath(path)
        ) from None


def _write_atomically(target: Path, parts: Iterable[Buffer]) -> None:
    if target.is_dir():
        raise IsADirectoryError(21, "that is a directory; give the name of a file")
    temporary = target.with_name(f".{target.name}.{os.getpid()}{TEMPORARY_SUFFIX}")
    try:
        with temporary.open("wb") as file:
            for part in parts:
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_directory(target.parent)


def _sync_directory(directory: Path) -> None:
    """Make the new name last through a loss of power, where the system can."""
    if os.name == "nt":
        return
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        # Some file systems know no such thing; the file itself is safe on them too.
        with contextlib.suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def named(path: PathLike) -> Iterator[None]:
    """Name the file in what is said of its contents inside."""
    try:
        yield
    except ModelFileError as error:
        raise type(error)(f"{os.fspath(path)} cannot be loaded: {error}") from None


def read_file(path: PathLike) -> Contents:
    """Read a model file. What is none is refused before all of it is in memory.

    Raises
    ------
    ModelFileError
        Where the file holds no model, or is damaged.
    OSError
        Where it cannot be read.
    """
    with Path(path).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        end = header_end(file.read(_ENOUGH_TO_TELL), size)
        file.seek(0)
        header = Header(file.read(end))
        # From NumPy, which aligns what it allocates.
        data = np.empty(size - end, np.uint8).data
        if file.readinto(data) != len(data):
            raise ModelFileError("it became shorter while it was read")
        return header.contents(data)
