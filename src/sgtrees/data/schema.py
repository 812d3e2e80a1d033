"""The features a model knows: their names, their kinds, and the categories of nominal ones."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.values import Kind, Value

FeatureName: TypeAlias = Hashable


class Categories:
    """The categories of one nominal feature, numbered in order of first appearance.

    They are all strings, all numbers or all booleans. Categories are only ever appended, so that
    a reader in another thread sees numbers that stay right.

    Examples
    --------
    >>> colours = Categories()
    >>> colours.extend(["red", "blue"], Kind.STRING)
    >>> colours.numbers
    {'red': 0, 'blue': 1}
    """

    def __init__(self) -> None:
        self.kind: Kind | None = None
        self.numbers: dict[Value, int] = {}

    def __len__(self) -> int:
        return len(self.numbers)

    def check_kind(self, kind: Kind | None, where: str) -> None:
        """Refuse values of another kind than the categories known so far."""
        if kind is not None and self.kind is not None and kind is not self.kind:
            raise TypeError(
                f"{where} held {self.kind.value} so far and now holds {kind.value}; "
                "a nominal feature's categories must stay of one kind"
            )

    def extend(self, values: Sequence[Value], kind: Kind | None) -> None:
        """Append categories, which must be new ones of the right kind."""
        if kind is not None:
            self.kind = kind
        for value in values:
            self.numbers[value] = len(self.numbers)

    def as_array(self) -> NDArray[np.float64]:
        """Return the categories that are numbers, in order; none where they are of another kind."""
        if self.kind is not Kind.NUMBER:
            return np.empty(0)
        # A tuple is made at once, though another thread may add categories.
        return np.array(tuple(self.numbers), dtype=np.float64)


@dataclass(frozen=True)
class Feature:
    """One column: numeric where ``categories`` is None, else nominal.

    ``name`` is the column's number where the data have no names.
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
    """What a block or an event would add to a schema; nothing is added before all is checked."""

    features: list[Feature] = field(default_factory=list)
    categories: dict[int, tuple[list[Value], Kind | None]] = field(default_factory=dict)

    def note(self, column: int, values: list[Value], kind: Kind | None) -> None:
        """Remember new categories of a column, and the kind that they give it."""
        if values:
            self.categories[column] = (values, kind)


class Schema:
    """All features in the order of the model's columns.

    A schema made from named columns or from events knows its features by name and may grow. One
    made from an unnamed array knows them by number, as 0, 1, 2, ... or "x0", "x1", "x2", ..., and
    cannot grow.

    Parameters
    ----------
    features : sequence of Feature
        The features, named by their numbers where ``named`` is False.
    named : bool
        Whether the features came with names.

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
        # What `_core.encode_event` looks categories up in; shares the dictionaries of `features`.
        self.category_numbers: list[dict[Any, int] | None] = []
        for feature in features:
            self._append(feature)

    def __len__(self) -> int:
        return len(self.features)

    @property
    def nominal(self) -> list[bool]:
        """Whether each feature is nominal."""
        return [feature.nominal for feature in self.features]

    @property
    def string_names(self) -> list[str] | None:
        """The features' names where they are named and all names are strings, else None."""
        names = [feature.name for feature in self.features]
        strings = [name for name in names if isinstance(name, str)]
        return strings if self.named and len(strings) == len(names) else None

    def apply(self, additions: Additions) -> None:
        """Append the features and categories that a checked block or event brought."""
        for feature in additions.features:
            self._append(feature)
        for column, (values, kind) in additions.categories.items():
            categories = self.features[column].categories
            assert categories is not None
            categories.extend(values, kind)

    def _append(self, feature: Feature) -> None:
        column = len(self.features)
        self.features.append(feature)
        categories = feature.categories
        self.category_numbers.append(None if categories is None else categories.numbers)
        # The index comes last: a reader that finds a name there finds the rest too.
        if self.named:
            self.index[feature.name] = column
        else:
            self.index[column] = column
            self.index[f"x{column}"] = column
