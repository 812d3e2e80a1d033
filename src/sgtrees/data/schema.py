"""The features of a model: names, kinds, categories, and what the user declares about them."""

import sys
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, islice, takewhile
from typing import Any, TypeAlias

import numpy as np

from sgtrees import _core
from sgtrees.data.columns import Kind, Value

FeatureName: TypeAlias = Hashable

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
        # The same for the core, if they are numbers and it has been asked for.
        self._table: _core.KnownCategories | None = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_table": None}

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
        first = len(self)
        for value in values:
            self.numbers[value] = len(self.numbers)
        self._value_bytes += sum(map(_value_bytes, values))
        if self._table is not None and len(self._table) == first:
            self._table.append(first, np.array(values, dtype=np.float64))

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
        """The memory that the tables take."""
        of_table = 0 if self._table is None else self._table.memory_bytes
        of_numbers = sys.getsizeof(self.numbers) + len(self) * _BYTES_OF_NUMBER
        return of_numbers + self._value_bytes + of_table

    @property
    def table(self) -> _core.KnownCategories:
        """The categories for the core if they are numbers; otherwise none."""
        if self.kind is not Kind.NUMBER:
            return _core.KnownCategories()
        table = self._table
        if table is None:
            table = self._table = _core.KnownCategories()
        known = len(table)
        if known < len(self):
            # Making a tuple is atomic; another thread may add categories.
            values = tuple(islice(self.numbers, known, None))
            table.append(known, np.array(values, dtype=np.float64))
        return table


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


@dataclass(frozen=True)
class Feature:
    """One column: numeric if ``categories`` is None, else nominal.

    ``name`` is the column's number if the data have no names.
    """

    name: FeatureName
    categories: Categories | None = None

    @property
    def nominal(self) -> bool:
        """Whether the feature is nominal."""
        return self.categories is not None

    def __str__(self) -> str:
        return f"column {self.name!r}"


@dataclass
class Additions:
    """What a block or an event adds to a schema, once everything has been checked."""

    features: list[Feature] = field(default_factory=list)
    categories: dict[int, tuple[list[Value], Kind | None]] = field(default_factory=dict)
    # Columns with a category for which there was no room.
    closed: set[int] = field(default_factory=set)

    def note(self, column: int, values: list[Value], kind: Kind | None) -> None:
        """Remember new categories of a column, and their kind."""
        if values:
            self.categories[column] = (values, kind)

    def note_fitting(
        self, column: int, values: list[Value], kind: Kind | None, categories: Categories
    ) -> int:
        """Remember those new categories for which there is room, and return how many they are."""
        n_fitting = categories.n_that_fit(values)
        self.note(column, values[:n_fitting], kind)
        if n_fitting < len(values) and not categories.is_closed:
            self.closed.add(column)
        return n_fitting


class Schema:
    """All features in the order of the model's columns.

    A schema made from named columns or from events has features with names, and may grow. One made
    from an array has features with the numbers 0, 1, 2, ... (in events also "x0", "x1", "x2", ...),
    and cannot grow.

    Parameters
    ----------
    features : sequence of Feature
        The features; their names are column numbers if ``named`` is False.
    named : bool
        Whether the features have names.

    Examples
    --------
    >>> schema = Schema([Feature("age"), Feature("colour", Categories())])
    >>> schema.index, schema.nominal
    ({'age': 0, 'colour': 1}, [False, True])
    """

    def __init__(self, features: Sequence[Feature], *, named: bool = True) -> None:
        self.named = named
        self.features: list[Feature] = []
        self.index: dict[Any, int] = {}
        # The dictionaries of `features`, for `_core.encode_event`.
        self.category_numbers: list[dict[Any, int] | None] = []
        # How much memory the tables of categories may take together; None: any.
        self.category_memory: int | None = None
        for feature in features:
            self._append(feature)

    def __len__(self) -> int:
        return len(self.features)

    @property
    def nominal(self) -> list[bool]:
        """Whether each feature is nominal."""
        return [feature.nominal for feature in self.features]

    @property
    def n_categories(self) -> list[int]:
        """How many categories each feature has; 0 for numeric ones."""
        return [0 if numbers is None else len(numbers) for numbers in self.category_numbers]

    @property
    def string_names(self) -> list[str] | None:
        """The features' names if they have names and all are strings, else None."""
        names = [feature.name for feature in self.features]
        strings = [name for name in names if isinstance(name, str)]
        return strings if self.named and len(strings) == len(names) else None

    def apply(self, additions: Additions) -> None:
        """Append the new features and categories of a checked block or event."""
        for feature in additions.features:
            self._append(feature)
        for column, (values, kind) in additions.categories.items():
            categories = self.features[column].categories
            assert categories is not None
            categories.extend(values, kind)
        for column in additions.closed:
            categories = self.features[column].categories
            assert categories is not None
            categories.is_closed = True

    def limit_categories(self, memory: int) -> None:
        """Divide memory among the tables of categories; features that come later get some, too."""
        self.category_memory = memory
        tables = self._tables()
        for categories in tables:
            categories.most_bytes = share_of_first(memory, len(tables))

    @property
    def category_bytes(self) -> int:
        """The memory that all tables of categories take."""
        return sum(categories.memory_bytes for categories in self._tables())

    def _tables(self) -> list[Categories]:
        return [f.categories for f in self.features if f.categories is not None]

    def _append(self, feature: Feature) -> None:
        column = len(self.features)
        self.features.append(feature)
        categories = feature.categories
        if (
            self.category_memory is not None
            and categories is not None
            and categories.most_bytes is None
        ):
            given = sum(table.most_bytes or 0 for table in self._tables())
            categories.most_bytes = max(self.category_memory - given, 0) // 2
        self.category_numbers.append(None if categories is None else categories.numbers)
        # The index comes last: another thread that finds a name there finds the rest too.
        if self.named:
            self.index[feature.name] = column
        else:
            self.index[column] = column
            self.index[f"x{column}"] = column


class Declaration:
    """Which features are nominal: the parameter ``categorical_features``.

    Parameters
    ----------
    categorical_features : "from_dtype", None, or sequence of str, int or bool
        "from_dtype": those with strings, categories or booleans. None: no feature. Otherwise the
        names of the nominal features, or their column numbers, or a boolean for each column.

    Examples
    --------
    >>> declared = Declaration(["colour"])
    >>> declared.is_nominal(0, "colour", by_type=False), declared.is_nominal(1, "age", by_type=True)
    (True, False)
    """

    def __init__(self, categorical_features: Any) -> None:
        self.from_dtype = False
        self.names: frozenset[FeatureName] = frozenset()
        self.columns: frozenset[int] = frozenset()
        self.mask_length: int | None = None
        if categorical_features is None:
            return
        if isinstance(categorical_features, str):
            if categorical_features != "from_dtype":
                raise ValueError(
                    f"categorical_features={categorical_features!r} is not known; give "
                    "'from_dtype', None, or a list of names, column numbers or booleans"
                )
            self.from_dtype = True
            return
        self._read_list(np.asarray(categorical_features))

    def _read_list(self, given: np.ndarray[Any, Any]) -> None:
        if given.ndim != 1:
            raise ValueError(
                f"categorical_features must be one-dimensional, got shape {given.shape}"
            )
        if given.size == 0:
            return
        if given.dtype == bool:
            self.mask_length = len(given)
            self.columns = frozenset(np.flatnonzero(given).tolist())
        elif given.dtype.kind in "iu":
            if given.min() < 0:
                raise ValueError(
                    f"categorical_features holds {given.min()}; column numbers start at 0"
                )
            self.columns = frozenset(given.tolist())
        elif all(isinstance(name, str) for name in given.tolist()):
            self.names = frozenset(given.tolist())
        else:
            raise TypeError(
                "categorical_features must hold names, or column numbers, or booleans, all of one "
                f"type; got an array of {given.dtype}"
            )

    def first_schema(self, names: Sequence[str] | None, by_type: Sequence[bool]) -> Schema:
        """Return the schema of a first block; refuse a declaration that does not fit it.

        Parameters
        ----------
        names : sequence of str or None
            The columns' names, if they have any.
        by_type : sequence of bool
            Whether the values of each column are strings, categories or booleans.
        """
        self._check(names, len(by_type))
        features = self.features(range(len(by_type)) if names is None else names, by_type)
        return Schema(features, named=names is not None)

    def _check(self, names: Sequence[str] | None, n_features: int) -> None:
        if self.names and names is None:
            raise ValueError(
                "categorical_features holds names, but the data have none; "
                "give column numbers or a boolean for each column"
            )
        unknown = self.names - frozenset(names or ())
        if unknown:
            raise ValueError(
                f"categorical_features names {sorted(map(str, unknown))}, "
                f"which the data do not have; their columns are {list(names or ())}"
            )
        if self.mask_length is not None and self.mask_length != n_features:
            raise ValueError(
                f"categorical_features has {self.mask_length} booleans, "
                f"but the data have {n_features} columns"
            )
        if self.columns and max(self.columns) >= n_features:
            raise ValueError(
                f"categorical_features names column {max(self.columns)}, "
                f"but the data have {n_features} columns, counted from 0"
            )

    def features(
        self, names: Sequence[FeatureName], by_type: Sequence[bool], first: int = 0
    ) -> list[Feature]:
        """Return the features of new columns.

        Parameters
        ----------
        names : sequence
            The columns' names or numbers.
        by_type : sequence of bool
            Whether the values of each column are strings, categories or booleans.
        first : int, default=0
            The model's column number of the first of them.
        """
        columns = enumerate(zip(names, by_type, strict=True), first)
        return [
            Feature(name, Categories() if self.is_nominal(column, name, by_type=coded) else None)
            for column, (name, coded) in columns
        ]

    def is_nominal(self, column: int, name: FeatureName, *, by_type: bool) -> bool:
        """Return whether a feature is nominal; ``by_type``: whether its values are no numbers."""
        if self.from_dtype:
            return by_type
        return column in self.columns or name in self.names
