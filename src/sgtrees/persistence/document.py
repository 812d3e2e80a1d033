"""JSON documents: every field is checked when it is read, and errors name its position."""

from collections.abc import Callable, Collection, Iterator
from math import inf, isfinite
from typing import Any, NoReturn, TypeAlias, TypeVar

from sgtrees.persistence import ModelFileError

# A JSON object.
Document: TypeAlias = dict[str, Any]
Read = TypeVar("Read")

# Longer values are cut in messages.
_MOST_CHARACTERS = 60
# The core's integers are below it.
_MOST_INTEGERS = 2**63


class Fields:
    """A JSON object whose fields are taken one by one.

    Parameters
    ----------
    value : object
        The object.
    where : str
        Its position in the document, for messages.

    Examples
    --------
    >>> fields = Fields({"name": "age", "nominal": 0}, "features[3]")
    >>> fields.text("name")
    'age'
    >>> fields.boolean("nominal")
    Traceback (most recent call last):
    sgtrees.persistence.ModelFileError: features[3].nominal is 0; it must be true or false
    """

    def __init__(self, value: Any, where: str) -> None:
        self.where = where
        if not isinstance(value, dict):
            refuse(where, value, "an object")
        self._values: dict[str, Any] = dict(value)

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def take(self, name: str) -> Any:
        """Take a field of any type."""
        if name not in self._values:
            raise ModelFileError(f"{self.where} has no field {name!r}")
        return self._values.pop(name)

    def place(self, name: str) -> str:
        """Return the position of a field, for messages."""
        return f"{self.where}.{name}"

    def boolean(self, name: str) -> bool:
        """Take a boolean."""
        value = self.take(name)
        if not isinstance(value, bool):
            refuse(self.place(name), value, "true or false")
        return value

    def text(self, name: str, choices: Collection[str] | None = None) -> str:
        """Take a string, one of ``choices`` if they are given."""
        value = self.take(name)
        if not isinstance(value, str):
            refuse(self.place(name), value, "a string")
        if choices is not None and value not in choices:
            refuse(self.place(name), value, f"one of {', '.join(map(repr, choices))}")
        return value

    def integer(self, name: str, lowest: int = 0) -> int:
        """Take an integer of at least ``lowest`` that the core's types can hold."""
        value = self.take(name)
        if type(value) is not int or not lowest <= value < _MOST_INTEGERS:
            refuse(self.place(name), value, f"an integer of at least {lowest}, below 2**63")
        return value

    def number(self, name: str) -> float:
        """Take a finite number."""
        return read_number(self.take(name), self.place(name))

    def maybe(self, name: str, read: Callable[[str], Read]) -> Read | None:
        """Take a field that may be null; otherwise one of the methods above reads it."""
        if name in self._values and self._values[name] is None:
            del self._values[name]
            return None
        return read(name)

    def items(self, name: str) -> Iterator[tuple[Any, str]]:
        """Take a list; return its items, each with its position."""
        place = self.place(name)
        values = self.take(name)
        if not isinstance(values, list):
            refuse(place, values, "a list")
        return ((value, f"{place}[{i}]") for i, value in enumerate(values))

    def fields(self, name: str) -> "Fields":
        """Take an object."""
        return Fields(self.take(name), self.place(name))

    def rest(self) -> dict[str, Any]:
        """Take all remaining fields."""
        rest, self._values = self._values, {}
        return rest

    def finish(self) -> None:
        """Refuse remaining fields: ignoring them would lose what they mean."""
        for name in self._values:
            raise ModelFileError(f"{self.where} has an unknown field {name[:40]!r}")


def read_number(value: Any, where: str) -> float:
    """Return a finite number as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        refuse(where, value, "a number")
    try:
        number = float(value)
    except OverflowError:
        number = inf
    if not isfinite(number):
        refuse(where, value, "a finite number")
    return number


def refuse(where: str, value: Any, expected: str) -> NoReturn:
    """Raise a ModelFileError: the value at this position is not what is expected there."""
    shown = repr(value)
    if len(shown) > _MOST_CHARACTERS:
        shown = f"{shown[:_MOST_CHARACTERS]}..."
    raise ModelFileError(f"{where} is {shown}; it must be {expected}")
