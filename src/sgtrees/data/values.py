"""What one Python value is: missing, a string, a number or a boolean."""

import numbers
import sys
from enum import Enum

import numpy as np

Value = str | bool | int | float


class Kind(Enum):
    """The type that all categories of a feature, or all labels of a classifier, share."""

    STRING = "strings"
    NUMBER = "numbers"
    BOOLEAN = "booleans"


def is_missing(value: object) -> bool:
    """Tell whether a value stands for "not known": None, NaN or pandas' NA.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), 0, "")]
    [True, True, False, False]
    """
    if value is None:
        return True
    if isinstance(value, float | np.floating):
        return bool(value != value)  # noqa: PLR0124 - only NaN differs from itself
    # pandas is asked only where someone has imported it already: NA cannot come from elsewhere.
    pandas = sys.modules.get("pandas")
    return pandas is not None and value is getattr(pandas, "NA", None)


def kind_of_type(kind: type) -> Kind | None:
    """Return the kind of all values of a Python or NumPy type; None for any other type.

    Examples
    --------
    >>> [kind_of_type(type(value)) for value in ("a", 1.5, True, b"a")]
    [<Kind.STRING: 'strings'>, <Kind.NUMBER: 'numbers'>, <Kind.BOOLEAN: 'booleans'>, None]
    """
    if issubclass(kind, str):
        return Kind.STRING
    if issubclass(kind, bool | np.bool_):
        return Kind.BOOLEAN
    if issubclass(kind, numbers.Real):
        return Kind.NUMBER
    return None


def plain(value: object) -> Value:
    """Return a string, number or boolean as Python's own type (no NumPy scalar, no subclass).

    Examples
    --------
    >>> plain(np.int8(3)), plain(np.str_("a")), plain(np.bool_(True))
    (3, 'a', True)
    """
    kind = kind_of_type(type(value))
    if kind is Kind.STRING:
        return str(value)
    if kind is Kind.BOOLEAN:
        return bool(value)
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    raise TypeError(f"argument must be a string or a number, got {type(value).__name__}")
