"""A row of the table of parameters."""

from dataclasses import dataclass
from functools import cached_property
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

# Stands for a value that there is not; None is a value.
NOTHING: Any = object()


@dataclass(frozen=True)
class Interval:
    """The numbers that a parameter may be, from ``low`` to ``high``.

    Examples
    --------
    >>> print(Interval(0), Interval(0, 1, has_low=False, has_high=False))
    >= 0 > 0 and < 1
    """

    low: float
    high: float | None = None
    # Whether the ends are allowed themselves.
    has_low: bool = True
    has_high: bool = True
    # The reason, if the error message should have it.
    reason: str = ""

    def __str__(self) -> str:
        low = f"{'>=' if self.has_low else '>'} {self.low}"
        if self.high is None:
            return low
        return f"{low} and {'<=' if self.has_high else '<'} {self.high}"


@dataclass(frozen=True)
class CoreOption:
    """One argument of ``_core.Options``, and how a parameter sets it."""

    name: str
    type: type[int] | type[float] | type[str]
    # Of a boolean option: the parameter's value for which it is True.
    on: Any = NOTHING
    # Whether it is a list of numbers of that type.
    is_list: bool = False
    # Its value for the parameter's "auto".
    auto: int | None = None
    # Whether the parameter is a number of bytes, which may have a unit.
    is_memory: bool = False
    # Whether None is a value of it: no limit.
    may_be_none: bool = False
    # The value for estimators without the parameter, and for files without the option: an option
    # that is added later has one, so that it needs no new version of the format.
    absent: Any = NOTHING


@dataclass(frozen=True)
class Parameter:
    """A parameter: name, type, default, range, help, and the core's option that it sets."""

    name: str
    # A union, or a `Literal` of words, if there is a choice.
    type: Any
    default: Any
    # What it is, in a line; and the text of a docstring after that line.
    help: str
    text: str = ""
    # The type in a docstring, if it cannot be derived from `type`.
    shown_type: str = ""
    # Its value in the paper, if the paper has the parameter.
    paper: Any = NOTHING
    # The numbers that it may be.
    interval: Interval | None = None
    # The core's option that it sets.
    option: CoreOption | None = None
    # The command's option, if it has one, and the placeholder of its value in the help.
    flag: str = ""
    metavar: str | None = None

    @cached_property
    def members(self) -> tuple[Any, ...]:
        """The types of which ``type`` is a union, or itself; of a tuple those of its items."""
        if self.is_sequence:
            return get_args(self.type)[:1]
        is_union = get_origin(self.type) in (Union, UnionType)
        return get_args(self.type) if is_union else (self.type,)

    @cached_property
    def is_sequence(self) -> bool:
        """Whether it is a sequence of numbers."""
        return get_origin(self.type) is tuple

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The words that it may be."""
        literals = (member for member in self.members if get_origin(member) is Literal)
        return tuple(word for literal in literals for word in get_args(literal))

    @cached_property
    def number(self) -> Any:
        """The type of the numbers that it may be: int, float or None."""
        return next((kind for kind in (int, float) if kind in self.members), None)

    @property
    def described_type(self) -> str:
        """The type and the default, as in a docstring."""
        kind = self.shown_type or self._kind()
        if self.default is None:
            return f"{kind}, optional"
        return f"{kind}, default={quoted(self.default)}"

    def _kind(self) -> str:
        names = {int: "int", float: "float", bool: "bool", str: "str"}
        kinds = [names[member] for member in self.members if member in names]
        if self.is_sequence:
            return f"sequence of {kinds[0]}"
        if self.words and not kinds:
            return f"{{{', '.join(map(quoted, self.words))}}}"
        return " or ".join([*kinds, *map(quoted, self.words)])


def quoted(value: Any) -> str:
    """Return a value as it is written in a docstring."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
