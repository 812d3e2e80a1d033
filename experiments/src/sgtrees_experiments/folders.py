"""Folders with data, and the folder in which downloads are kept."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return the folder: ``$SGTREES_CACHE``, or ``sgtrees`` in the user's cache; it may not exist.

    Examples
    --------
    >>> cache_folder().name != ""
    True
    """
    given = os.environ.get("SGTREES_CACHE")
    if given:
        return Path(given)
    users = os.environ.get("XDG_CACHE_HOME")
    return (Path(users) if users else Path.home() / ".cache") / "sgtrees"


_BESIDE = Path("..", "shared", "data")


def download_folder() -> Path:
    """Return where downloads are kept."""
    return cache_folder() / "data"


def data_folders(given: Path | None = None) -> list[Path]:
    """List the folders that may hold data, the first choice first.

    Parameters
    ----------
    given : Path, optional
        The folder that the user names; it replaces the others, except for the downloads.

    Returns
    -------
    list of Path
        ``given``, or else ``$SGTREES_DATA``, or else ``../shared/data``; then the downloads.

    Examples
    --------
    >>> data_folders(Path("here"))[0]
    PosixPath('here')
    """
    named = os.environ.get("SGTREES_DATA")
    chosen = given or (Path(named) if named else _BESIDE)
    return [chosen, download_folder()]
