"""Places to write to, looked at before anything is learned."""

import os
from pathlib import Path

import click


def writable(_: click.Context, __: click.Parameter, path: Path | None) -> Path | None:
    """Refuse a place that cannot be written before anything is learned, not after."""
    if path is None:
        return None
    if not path.parent.is_dir():
        raise click.BadParameter(f"the folder {str(path.parent)!r} does not exist.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise click.BadParameter(f"{str(path)!r} cannot be written.")
    return path
