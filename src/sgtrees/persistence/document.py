"""Reading a document of JSON: whatever is not as it must be is refused, and the place is named."""

from collections.abc import Callable, Collection, Iterator
from math import inf, isfinite
from typing import Any, NoReturn, TypeAlias, TypeVar

from sgtrees.persistence import ModelFileError

# An object of JSON.
Document: TypeAlias = dict[str, Any]
Read = TypeVar("Read")


class Fields:
    """An object of a document, whose fields are taken one by one.

    Parameters
    ----------
    value : object
        What JSON gave.
    where : str
        Its place in the document, for messages.

    Examples
    --------
    >>> fields = Fields({"name": "age", "nominal": 0}, "features[3]")
    >>> fields.text("name")
    'age'
    >>> fields.boolean("nominal")
    Traceback (most recent call last):
    sgtrees.persistence.ModelFileError: features[3].nominal is 0, which is no boolean
    """

    def __init__(self, value: Any, where: str) -> None:
        self.where = where
        if not isinstance(value, dict):
            refuse(where, value, "no object")
        self._values: dict[str, Any] = dict(value)

    def __contains__(self, name: str) -> bool:
        return name in self._values

    def take(self, name: str) -> Any:
        """Take a field as it is."""
        if name not in self._values:
            raise ModelFileError(f"{self.where} has no field {name!r}")
        return self._values.pop(name)

    def place(self, name: str) -> str:
        """Name the place of a field."""
        return f"{self.where}.{name}"

    def boolean(self, name: str) -> bool:
        """Take a field that is true or false."""
        value = self.take(name)
        return value if isinstance(value, bool) else refuse(self.place(name), value, "no boolean")

    def text(self, name: str, choices: Collection[str] | None = None) -> str:
        """Take a field that is a text, or one of some."""
        value = self.take(name)
        if not isinstance(value, str):
            refuse(self.place(name), value, "no text")
        if choices is not None and value not in choices:
            refuse(self.place(name), value, f"none of {', '.join(map(repr, choices))}")
        return value

    def integer(self, name: str, lowest: int = 0) -> int:
        """Take a field that is a whole number of at least ``lowest``."""
        value = self.take(name)
        if type(value) is not int or value < lowest:
            refuse(self.place(name), value, f"no whole number of at least {lowest}")
        return value

    def number(self, name: str) -> float:
        """Take a field that is a number."""
        return read_number(self.take(name), self.place(name))

    def maybe(self, name: str, read: Callable[[str], Read]) -> Read | None:
        """Take a field by one of the methods above, or as None where it is null."""
        if name in self._values and self._values[name] is None:
            del self._values[name]
            return None
        return read(name)

    def items(self, name: str) -> Iterator[tuple[Any, str]]:
        """Take a field that is a list: its items, each with its place."""
        place = self.place(name)
        values = self.take(name)
        if not isinstance(values, list):
            refuse(place, values, "no list")
        return ((value, f"{place}[{i}]") for i, value in enumerate(values))

    def fields(self, name: str) -> "Fields":
        """Take a field that is an object."""
        return Fields(self.take(name), self.place(name))

    def rest(self) -> dict[str, Any]:
        """Take all fields that are left."""
        rest, self._values = self._values, {}
        return rest

    def finish(self) -> None:
        """Refuse fields that nobody took: they mean something that would be lost."""
        for name in self._values:
            raise ModelFileError(f"{self.where} has a field {name[:40]!r}, which is not known")


def read_number(value: Any, where: str) -> float:
    """Return a finite number of a document as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        refuse(where, value, "no number")
    try:
        number = float(value)
    except OverflowError:
        number = inf
    return number if isfinite(number) else refuse(where, value, "too large a number")


def refuse(where: str, value: Any, what: str) -> NoReturn:
    """Say what is wrong with a value of a document."""
    shown = repr(value)
    raise ModelFileError(f"{where} is {shown[:60]}{'...' * (len(shown) > 60)}, which is {what}")
