"""Class labels and their numbers, in order of first appearance in the stream."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.columns import (
    UNKNOWN,
    Coded,
    Integers,
    Kind,
    Value,
    add_unknown,
    code_objects,
    is_missing,
    kind_of_type,
    plain,
    table_of,
)
from sgtrees.data.tables import read_strings_or_none
from sgtrees.targets.outputs import as_column

Label: TypeAlias = str | bool | int

# Up to this many distinct strings are searched for one by one, which is quick for few of them.
_FEW_STRINGS = 32

# The widest range of integer labels with a table entry for each; labels of wider ones are sorted.
_WIDEST_TABLE = 1 << 16

# New labels are searched in this many rows first.
_FIRST_ROWS = 1 << 10


@dataclass(frozen=True)
class Ordering:
    """The labels at one moment; immutable, so that other threads can read it.

    Attributes
    ----------
    classes : ndarray
        All labels (seen and declared), sorted.
    by_number : ndarray
        The seen labels, by class number.
    rank : ndarray of int32
        The position of each class number in ``classes``.
    """

    classes: NDArray[Any]
    by_number: NDArray[Any]
    rank: NDArray[np.int32]


class Labels:
    """The labels of a classifier: seen ones have a class number, declared ones not yet.

    Labels are all strings, all numbers or all booleans, and are only appended.

    Examples
    --------
    >>> labels = Labels()
    >>> labels.extend(["spam", "ham"], Kind.STRING)
    >>> labels.numbers, labels.ordering.classes
    ({'spam': 0, 'ham': 1}, array(['ham', 'spam'], dtype='<U4'))
    """

    def __init__(self) -> None:
        self.kind: Kind | None = None
        self.numbers: dict[Label, int] = {}
        self.seen: list[Label] = []
        self.declared: set[Label] = set()
        # Labels of these types may be looked up without a check.
        self.types: set[type] = set()
        self.ordering = self._order()

    def __len__(self) -> int:
        return len(self.seen)

    @property
    def unseen(self) -> list[Label]:
        """The declared labels that have not been seen."""
        return [label for label in tuple(self.declared) if label not in self.numbers]

    def check_kind(self, kind: Kind | None) -> None:
        """Refuse labels of another kind than the known ones."""
        if kind is not None and self.kind is not None and kind is not self.kind:
            raise TypeError(
                f"y holds {kind.value}, but the class labels so far are {self.kind.value}; "
                "all labels must be of one kind"
            )

    def extend(self, labels: Sequence[Label], kind: Kind | None) -> None:
        """Give class numbers to labels that are seen for the first time."""
        if not labels:
            return
        self._set_kind(kind, labels)
        for label in labels:
            self.seen.append(label)
            self.numbers[label] = len(self.seen) - 1
        self.ordering = self._order()

    def declare(self, labels: Sequence[Label], kind: Kind | None) -> None:
        """Add labels that later rows may have."""
        if set(labels) <= self.declared:
            return
        self._set_kind(kind, labels)
        self.declared.update(labels)
        self.ordering = self._order()

    def _set_kind(self, kind: Kind | None, labels: Sequence[Label]) -> None:
        self.kind = kind
        self.types.update(map(type, labels))

    def _order(self) -> Ordering:
        # A tuple, as another thread may append to `seen`.
        seen = tuple(self.seen)
        everything = sorted({*seen, *self.declared})
        classes = label_array(everything)
        places = {label: place for place, label in enumerate(everything)}
        rank = np.array([places[label] for label in seen], dtype=np.int32)
        return Ordering(classes, classes[rank], rank)


def label_array(labels: Sequence[Any]) -> NDArray[Any]:
    r"""Return labels as an array; of objects if NumPy's own strings would lose a NUL at their end.

    Examples
    --------
    >>> label_array(["ham", "spam"]), label_array(["ham", "ham\0"])
    (array(['ham', 'spam'], dtype='<U4'), array(['ham', 'ham\x00'], dtype=object))
    """
    loses = any(isinstance(label, str) and label.endswith("\0") for label in labels)
    return np.array(labels, dtype=object if loses else None)


@dataclass(frozen=True)
class NumberedLabels:
    """The class number of each row, and the new labels, which are not yet in `Labels`."""

    numbers: NDArray[np.int32]
    new: list[Label]
    kind: Kind | None


def number_labels(
    coded: Coded, labels: Labels, counts: NDArray[np.bool_] | None = None
) -> NumberedLabels:
    """Give class numbers to the labels of a block.

    Parameters
    ----------
    coded : Coded
        A label for each row.
    labels : Labels
        The known labels; not changed.
    counts : ndarray of bool, optional
        False for rows of weight 0, which are not learned and add no labels. Such a row gets the
        number 0 if its label is unknown.

    Examples
    --------
    >>> number_labels(code_labels(["ham", "spam", "ham"]), Labels())
    NumberedLabels(numbers=array([0, 1, 0], dtype=int32), new=['ham', 'spam'],
                   kind=<Kind.STRING: 'strings'>)
    """
    labels.check_kind(coded.kind)
    table = table_of(coded, labels.numbers)
    codes = coded.codes if counts is None else coded.codes[counts]
    # The first rows have most labels, often all: look for new ones there first, which is quick.
    new = _number_unknown(codes[:_FIRST_ROWS], coded.values, table, len(labels))
    numbers = table.astype(np.int32)[coded.codes]
    if numbers.min(initial=0) == UNKNOWN:
        new += _number_unknown(codes, coded.values, table, len(labels) + len(new))
        numbers = np.maximum(table, 0).astype(np.int32)[coded.codes]
    return NumberedLabels(numbers, new, coded.kind)


def _number_unknown(
    codes: Integers, values: Sequence[Value], table: NDArray[np.int64], first_number: int
) -> list[Label]:
    if table[codes].min(initial=0) != UNKNOWN:
        return []
    # Floats have been converted to integers before.
    return cast("list[Label]", add_unknown(codes, values, table, first_number))


def code_labels(y: Any) -> Coded:
    """Code the labels of a block: strings, booleans, integers, or floats that are integers.

    Examples
    --------
    >>> code_labels(np.array([7, 5, 7]))
    Coded(codes=array([2, 0, 2]), values=range(5, 8), kind=<Kind.NUMBER: 'numbers'>)
    """
    strings = read_strings_or_none(y)
    if strings is not None:
        return _without_missing(strings)
    array = as_column(y)
    kind = array.dtype.kind
    if kind == "b":
        return Coded(array.astype(np.int64), [False, True], Kind.BOOLEAN)
    if kind in "iu":
        return _code_integers(array)
    if kind == "f":
        return _code_floats(array)
    if kind == "U":
        return _code_strings(array)
    if kind in "OT":
        return _without_missing(_whole(code_objects(array.tolist(), "y")))
    raise ValueError(
        f"Unknown label type: y is an array of {array.dtype}; "
        "class labels are strings, integers or booleans"
    )


def code_label(y: object) -> tuple[Label, Kind]:
    """Check the label of an event and return it as a built-in Python type."""
    if is_missing(y):
        raise ValueError("y is missing; a row to learn must have a class label")
    kind = kind_of_type(type(y))
    if kind is None:
        raise ValueError(
            f"Unknown label type: {type(y).__name__}; "
            "class labels are strings, integers or booleans"
        )
    label = plain(y)
    return _whole_number(label) if isinstance(label, float) else label, kind


def _code_strings(array: NDArray[np.str_]) -> Coded:
    codes = np.empty(len(array), dtype=np.int64)
    values: list[str] = []
    rest = np.arange(len(array))
    while len(rest):
        if len(values) == _FEW_STRINGS:
            return code_objects(array.tolist(), "y")
        value = array[rest[0]]
        hits = array[rest] == value
        codes[rest[hits]] = len(values)
        values.append(str(value))
        rest = rest[~hits]
    return Coded(codes, values, Kind.STRING if values else None)


def _code_integers(array: NDArray[Any]) -> Coded:
    if len(array) == 0:
        return Coded(array.astype(np.int64), [], None)
    lowest, highest = int(array.min()), int(array.max())
    if highest - lowest < _WIDEST_TABLE:
        codes = array - array.dtype.type(lowest) if lowest else array
        return Coded(codes, range(lowest, highest + 1), Kind.NUMBER)
    distinct, codes = np.unique(array, return_inverse=True)
    return Coded(codes, distinct.tolist(), Kind.NUMBER)


def _code_floats(array: NDArray[Any]) -> Coded:
    finite = np.isfinite(array)
    if not finite.all():
        row = int(finite.argmin())
        what = "NaN" if np.isnan(array[row]) else "infinity"
        raise ValueError(f"Input y contains {what} in row {row}; class labels must be known")
    whole = array.astype(np.int64)
    if not np.array_equal(whole, array):
        row = int((whole != array).argmax())
        raise ValueError(
            f"Unknown label type: continuous. y holds {array[row]} in row {row}; class labels are "
            "strings, integers or booleans (for numbers to be predicted use SGTRegressor)"
        )
    return _code_integers(whole)


def _whole(coded: Coded) -> Coded:
    values = [_whole_number(v) if isinstance(v, float) else v for v in coded.values]
    return Coded(coded.codes, values, coded.kind)


def _whole_number(label: float) -> int:
    if not (math.isfinite(label) and label.is_integer()):
        raise ValueError(
            f"Unknown label type: continuous. y holds {label}; class labels are strings, integers "
            "or booleans (for numbers to be predicted use SGTRegressor)"
        )
    return int(label)


def _without_missing(coded: Coded) -> Coded:
    missing = coded.codes < 0
    if missing.any():
        raise ValueError(
            f"Input y contains NaN or None in row {missing.argmax()}; class labels must be known"
        )
    return coded
