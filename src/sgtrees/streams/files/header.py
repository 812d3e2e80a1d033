"""Names of columns, as the header of a text file has them."""

import logging
from collections.abc import Sequence

_LOGGER = logging.getLogger(__name__)


def distinct_names(names: Sequence[str], file: str) -> list[str]:
    """Return names of which none is empty and none occurs twice; a note tells what changed.

    Parameters
    ----------
    names : sequence of str
        The names in the file.
    file : str
        The file's name, for the note.

    Examples
    --------
    >>> distinct_names(["size", "", "size"], "a.csv")
    ['size', 'column_2', 'size_2']
    """
    taken = set(names)
    found: list[str] = []
    for place, name in enumerate(names, start=1):
        new = name or f"column_{place}"
        number = 1
        while new in found or (new != name and new in taken):
            number += 1
            new = f"{name or f'column_{place}'}_{number}"
        if new != name:
            _LOGGER.warning("%s: column %d, %r, is called %r here", file, place, name, new)
        found.append(new)
    return found
