"""JSON of model files, whose extent is checked before it is parsed.

A short text may become large in memory: three bytes are an empty list of more than fifty. So the
lists, objects and values are counted first, in the text itself.
"""

import json
import re
from typing import Any, NoReturn

from sgtrees.persistence import ModelFileError

# More than any model has: the lists and objects, the values, and how deep they are nested.
_MOST_CONTAINERS = 1_000_000
_MOST_VALUES = 10_000_000
_DEEPEST = 100
# One that does not end is matched too, lest each of its quotes be tried as the beginning of one.
_STRING = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKETS = re.compile(r"[\[\]{}]")


def parse_json(text: str, name: str) -> Any:
    """Return the value of a JSON text.

    Parameters
    ----------
    text, name : str
        The text, and what it is called in the error's message.

    Returns
    -------
    object
        The value.

    Raises
    ------
    ModelFileError
        If it is not JSON, or would take far more memory than any model's.

    Examples
    --------
    >>> parse_json('{"rows": [1, 2]}', "document")
    {'rows': [1, 2]}
    >>> parse_json("[" * 200 + "]" * 200, "document")
    Traceback (most recent call last):
    sgtrees.persistence.ModelFileError: its document is nested too deeply; the limit is 100
    """
    check_extent(text, name)
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"its {name} is not JSON ({error})") from None


def check_extent(text: str, name: str) -> None:
    """Refuse a text with more values than any model has, or nested more deeply."""
    # Without its strings, whose brackets and commas are only text.
    marks = _STRING.sub("", text)
    for what, count, most in (
        ("lists and objects", marks.count("[") + marks.count("{"), _MOST_CONTAINERS),
        ("values", marks.count(","), _MOST_VALUES),
    ):
        if count > most:
            raise ModelFileError(f"its {name} has {count:,} {what}; the limit is {most:,}")
    depth = 0
    for bracket in _BRACKETS.finditer(marks):
        depth += 1 if bracket[0] in "[{" else -1
        if depth > _DEEPEST:
            raise ModelFileError(f"its {name} is nested too deeply; the limit is {_DEEPEST}")


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
