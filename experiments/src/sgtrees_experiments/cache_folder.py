"""Where downloaded and made things are kept between runs."""

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
