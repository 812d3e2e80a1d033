"""Values and columns: the kind of a Python value, and columns as floats or as codes.

A coded column has a small integer for each row, and the value that each integer stands for. Data
frames store strings this way already, and work that is done once for each distinct value is cheap
compared to work that is done once for each row.
"""

import numbers
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sgtrees._core import Columns

Value = str | bool | int | float


class Kind(Enum):
    """The type that all categories of a feature, or all labels of a classifier, share."""

    STRING = "strings"
    NUMBER = "numbers"
    BOOLEAN = "booleans"


def is_missing(value: object) -> bool:
    """Return whether a value is missing: None, NaN or pandas' NA.

    Examples
    --------
    >>> [is_missing(value) for value in (None, float("nan"), 0, "")]
    [True, True, False, False]
    """
    if value is None:
        return True
    if isinstance(value, float | np.floating):
        return bool(value != value)  # noqa: PLR0124 - only NaN differs from itself
    # If pandas has not been imported, the value cannot be its NA.
    pandas = sys.modules.get("pandas")
    return pandas is not None and value is getattr(pandas, "NA", None)


def kind_of_type(kind: type) -> Kind | None:
    """Return the kind of a Python or NumPy type's values; None for other types.

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
    """Return a string, number or boolean as a built-in Python type.

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


Integers: TypeAlias = NDArray[np.integer]
Floats: TypeAlias = NDArray[np.float32] | NDArray[np.float64]
# Rows of numbers as the core takes them: one array, or an array for each column.
Block: TypeAlias = Floats | Columns

# The end of messages about infinities.
FINITE_OR_NAN = "values must be finite (NaN stands for a missing one)"

# The entry of a table for missing values, far above any category number.
MISSING = np.iinfo(np.int64).max
UNKNOWN = -1


@dataclass(frozen=True)
class Coded:
    """A column whose row i has the value ``values[codes[i]]``; the code -1 means missing.

    ``kind`` is None if no row has a value and the source has no type.
    """

    codes: Integers
    values: Sequence[Value]
    kind: Kind | None


Column: TypeAlias = Floats | Coded


def column_of_objects(values: Iterable[object], where: str) -> Column:
    """Read a column of Python objects: floats if they are numbers, else codes."""
    coded = code_objects(values, where)
    return as_floats(coded) if coded.kind in (Kind.NUMBER, None) else coded


def as_floats(coded: Coded) -> NDArray[np.float64]:
    """Return the rows of a column of numbers or booleans as floats, NaN where missing."""
    values = np.array([*coded.values, np.nan], dtype=np.float64)
    return values[coded.codes]


def code_objects(values: Iterable[object], where: str) -> Coded:
    """Code Python objects: strings, numbers or booleans, all of one kind, or missing.

    Parameters
    ----------
    values : iterable of object
        One value for each row.
    where : str
        What the values are, for error messages: "column 'a'".

    Returns
    -------
    Coded
        The values in order of first appearance.

    Examples
    --------
    >>> code_objects(["b", None, "a", "b"], "y")
    Coded(codes=array([ 0, -1,  1,  0]), values=['b', 'a'], kind=<Kind.STRING: 'strings'>)
    """
    rows = list(values)
    kind = _shared_kind(rows, where)
    numbers = {value: number for number, value in enumerate(dict.fromkeys(rows))}
    codes = np.fromiter(map(numbers.__getitem__, rows), np.int64, len(rows))
    present = [not is_missing(value) for value in numbers]
    distinct = [plain(value) for value, keep in zip(numbers, present, strict=True) if keep]
    if len(distinct) < len(numbers):
        # Renumber without the missing ones: the sum counts the values that stay before each one.
        places = np.where(present, np.cumsum(present) - 1, -1)
        codes = places[codes]
    return Coded(codes, distinct, kind)


def coded_by_library(codes: Integers, values: Sequence[object], where: str) -> Coded:
    """Return a column with the codes and values of a data frame library."""
    kinds = set(map(kind_of_type, set(map(type, values))))
    if None in kinds or len(kinds) > 1:
        raise TypeError(f"{where} has categories that are not all strings, numbers or booleans")
    return Coded(codes, [plain(value) for value in values], kinds.pop() if kinds else None)


def _shared_kind(rows: Sequence[object], where: str) -> Kind | None:
    """Return the kind of all values, None if all are missing; refuse mixed and other types."""
    kinds: set[Kind] = set()
    for type_ in set(map(type, rows)):
        kind = kind_of_type(type_)
        if kind is None or issubclass(type_, float | np.floating):
            # NaN is a missing value of any kind, so floats count only if one is a number.
            example = next((v for v in rows if type(v) is type_ and not is_missing(v)), None)
            if example is None:
                continue
            if kind is None:
                row = next(i for i, value in enumerate(rows) if value is example)
                raise TypeError(
                    f"{where}, row {row}: argument must be a string or a number, "
                    f"got {type_.__name__}"
                )
        kinds.add(kind)
    if len(kinds) > 1:
        names = " and ".join(sorted(kind.value for kind in kinds))
        raise TypeError(f"{where} mixes {names}; its values must all be of one kind")
    return kinds.pop() if kinds else None


def number_values(
    coded: Coded, known: Mapping[Any, int], *, learn: bool
) -> tuple[NDArray[np.float64], list[Value]]:
    """Number the rows of a column by their values.

    Parameters
    ----------
    coded : Coded
        The column.
    known : mapping from values to numbers 0, 1, 2, ...
        The values that have a number; not changed.
    learn : bool
        Whether unknown values get the next numbers; otherwise they get -1.

    Returns
    -------
    numbers : ndarray
        The number of each row, NaN if its value is missing.
    new : list
        The values that got a number, in order of first appearance.

    Examples
    --------
    >>> number_values(code_objects(["b", None, "a"], "it"), {"a": 0}, learn=True)
    (array([ 1., nan,  0.]), ['b'])
    """
    table = table_of(coded, known)
    new: list[Value] = []
    if learn and (table == UNKNOWN).any():
        new = add_unknown(coded.codes, coded.values, table, len(known))
    return np.where(table == MISSING, np.nan, table)[coded.codes], new


def table_of(coded: Coded, known: Mapping[Any, int]) -> NDArray[np.int64]:
    """Return the known number of each code, UNKNOWN if it has none.

    The last entry is MISSING: the code -1 selects it, as NumPy counts from the end.
    """
    table = np.full(len(coded.values) + 1, UNKNOWN, dtype=np.int64)
    values = coded.values
    if isinstance(values, range):
        # A range of integers may have many more values than are known: iterate over the known ones.
        for value, number in known.items():
            if isinstance(value, int | float) and values.start <= value < values.stop:
                table[int(value) - values.start] = number
    else:
        table[:-1] = [known.get(value, UNKNOWN) for value in values]
    table[-1] = MISSING
    return table


def add_unknown(
    codes: Integers, values: Sequence[Value], table: NDArray[np.int64], first_number: int
) -> list[Value]:
    """Number the values that are unknown in ``table``, in order of first appearance.

    Parameters
    ----------
    codes : ndarray of int
        The code of each row.
    values : sequence
        The value of each code.
    table : ndarray
        The result of ``table_of``; the new numbers are written into it.
    first_number : int
        The number for the first new value.

    Returns
    -------
    list
        The new values, without those that occur in no row.
    """
    n_rows = len(codes)
    first_row = np.full(len(table), n_rows)
    # If an index occurs twice NumPy keeps the last assignment: in reverse, that of the first row.
    first_row[codes[::-1]] = np.arange(n_rows - 1, -1, -1)
    candidates = np.flatnonzero((table == UNKNOWN) & (first_row < n_rows))
    in_order = candidates[np.argsort(first_row[candidates])]
    table[in_order] = np.arange(first_number, first_number + len(in_order))
    return [values[code] for code in in_order.tolist()]
