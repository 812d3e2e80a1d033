"""Paths of a command that must not be the same file."""

import os
from collections.abc import Sequence
from pathlib import Path

import click


def check_different_files(
    files: Sequence[str], read: Path | None = None, /, **written: Path | None
) -> None:
    """Refuse a command that would write a file over another one that it reads or writes.

    Parameters
    ----------
    files : sequence of str
        The files with rows, as they were given.
    read : Path, optional
        The model to read.
    **written
        The files to write, by the name of the option.

    Raises
    ------
    click.UsageError
        If two of them are the same file.
    """
    outputs = [(f"--{name}", str(path)) for name, path in written.items() if path]
    inputs = [("the input", file) for file in files]
    inputs += [("--model", str(read))] if read else []
    for place, (option, path) in enumerate(outputs):
        for other, again in [*outputs[place + 1 :], *inputs]:
            # Standard input and output are no files.
            if path != "-" and _is_same(path, again):
                raise click.UsageError(
                    f"{option} and {other} are the same file, {path}; give two paths"
                )


def _is_same(path: str, other: str) -> bool:
    try:
        return Path(path).samefile(other)
    except (OSError, ValueError):  # not there yet, or a pattern or an address
        return os.path.realpath(path) == os.path.realpath(other)
