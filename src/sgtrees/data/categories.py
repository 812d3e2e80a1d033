"""The categories of a nominal feature, and how much memory they may take."""

import sys
from collections.abc import Sequence
from itertools import accumulate, takewhile

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.columns import Kind, Value

# What a category takes in a dictionary: its entry there (at most), and its number.
_BYTES_OF_ENTRY = 80
_BYTES_OF_NUMBER = 32
# What a number takes as a category, and a string before its first character.
_BYTES_OF_VALUE = 32
_BYTES_OF_STRING = 56
# Characters that are not ASCII take up to so many.
_BYTES_OF_CHARACTER = 4


class Categories:
    """The categories of one nominal feature, numbered in order of first appearance.

    They are all strings, all numbers or all booleans. Categories are only appended, so that the
    numbers that another thread reads stay valid. The first category for which there is no room
    closes the table: it, and all that come after it, count as missing values.

    Parameters
    ----------
    most_bytes : int or None
        How much memory they may take, reckoned by `cost`; None: any.

    Examples
    --------
    >>> colours = Categories()
    >>> colours.extend(["red", "blue"], Kind.STRING)
    >>> colours.numbers
    {'red': 0, 'blue': 1}
    """

    def __init__(self, most_bytes: int | None = None) -> None:
        self.kind: Kind | None = None
        self.numbers: dict[Value, int] = {}
        self.most_bytes = most_bytes
        self.is_closed = False
        # Of the values alone, without the dictionary.
        self._value_bytes = 0

    def __len__(self) -> int:
        return len(self.numbers)

    def check_kind(self, kind: Kind | None, feature: object) -> None:
        """Refuse values of another kind than the known categories, naming the feature."""
        if kind is not None and self.kind is not None and kind is not self.kind:
            raise TypeError(
                f"{feature} held {self.kind.value} so far and now holds {kind.value}; "
                "all categories of a nominal feature must be of one kind"
            )

    def extend(self, values: Sequence[Value], kind: Kind | None) -> None:
        """Append new categories of the right kind."""
        if kind is not None:
            self.kind = kind
        for value in values:
            self.numbers[value] = len(self.numbers)
        self._value_bytes += sum(map(_value_bytes, values))

    def n_that_fit(self, values: Sequence[Value]) -> int:
        """Return how many of these new categories, from the first on, there is room for.

        Examples
        --------
        >>> Categories(most_bytes=400).n_that_fit(["red", "green", "blue"])
        2
        """
        if self.most_bytes is None:
            return len(values)
        if self.is_closed:
            return 0
        taken = self._value_bytes + len(self) * (_BYTES_OF_ENTRY + _BYTES_OF_NUMBER)
        ends = accumulate(map(cost, values), initial=taken)
        next(ends)
        return sum(1 for _ in takewhile(self.most_bytes.__ge__, ends))

    @property
    def memory_bytes(self) -> int:
        """The memory that the table takes."""
        return sys.getsizeof(self.numbers) + len(self) * _BYTES_OF_NUMBER + self._value_bytes

    def as_array(self) -> NDArray[np.float64]:
        """Return the categories in order if they are numbers; otherwise an empty array."""
        if self.kind is not Kind.NUMBER:
            return np.empty(0)
        # Making a tuple is atomic; another thread may add categories.
        return np.array(tuple(self.numbers), dtype=np.float64)


def cost(value: Value) -> int:
    """Return what a category counts for against the limit: the same on every machine.

    Examples
    --------
    >>> cost("red"), cost(3.5)
    (171, 144)
    """
    return _BYTES_OF_ENTRY + _BYTES_OF_NUMBER + _value_bytes(value)


def _value_bytes(value: Value) -> int:
    if not isinstance(value, str):
        return _BYTES_OF_VALUE
    return _BYTES_OF_STRING + len(value) * (1 if value.isascii() else _BYTES_OF_CHARACTER)


def share_of_first(total: int, n_features: int) -> int:
    """Return how much of the memory for all tables each of the first features gets.

    Half of it is for features that come later.
    """
    return total // 2 // max(n_features, 1)
