"""One event, a dictionary from feature names to values, encoded as a row.

`_core.encode_event` encodes events without new features and categories; this module the others.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.columns import FINITE_OR_NAN, Kind, Value, is_missing, kind_of_type, plain
from sgtrees.data.schema import Additions, Categories, Declaration, Feature, FeatureName, Schema
from sgtrees.data.times import with_parts

# The number of a category that was never learned.
_NEVER_SEEN = -1.0


def read_event(
    x: Mapping[Any, object], schema: Schema, declaration: Declaration | None
) -> tuple[NDArray[np.float64], Additions]:
    """Encode an event.

    Parameters
    ----------
    x : mapping from feature names to values
        Features that are absent, None or NaN are missing.
    schema : Schema
        The known features; not changed.
    declaration : Declaration or None
        To learn: which new features are nominal. To predict: None; new features are ignored.

    Returns
    -------
    row : ndarray
        A value for each known feature and then for each new one.
    additions : Additions
        New features and categories.

    Examples
    --------
    >>> schema = Schema([Feature("age")])
    >>> row, additions = read_event({"age": 7, "city": "Rome"}, schema, Declaration("from_dtype"))
    >>> row, additions.features[0].name
    (array([7., 0.]), 'city')
    """
    if not isinstance(x, Mapping):
        raise TypeError(
            f"x must be a dictionary from feature names to values, got {type(x).__name__}"
        )
    x = with_parts(x)
    additions = Additions()
    # A list of all values would cost many times as much where there are thousands of features.
    values = np.full(len(schema), np.nan)
    of_new: list[float] = []
    for name, value in x.items():
        if is_missing(value):
            continue
        column = schema.index.get(name)
        if column is not None and column >= len(values):
            continue  # another thread has just added the feature
        if column is not None:
            values[column] = _read_value(
                value, schema.features[column], column, additions, declaration is not None
            )
        elif not schema.named:
            raise ValueError(
                f"x has the unknown feature {name!r}; the model learned {len(schema)} features "
                f"without names: use the keys 0 to {len(schema) - 1}, or 'x0' to "
                f"'x{len(schema) - 1}'"
            )
        elif declaration is not None:
            place = len(values) + len(of_new)
            feature = _feature_of(name, value, place, declaration)
            of_new.append(_read_value(value, feature, place, additions, True))
            additions.features.append(feature)
    return np.concatenate([values, of_new]), additions


def _kind_of(value: object, name: FeatureName) -> Kind:
    kind = kind_of_type(type(value))
    if kind is None:
        raise TypeError(
            f"x[{name!r}]: argument must be a string or a number, got {type(value).__name__}"
        )
    return kind


def _feature_of(name: FeatureName, value: object, column: int, declaration: Declaration) -> Feature:
    by_type = _kind_of(value, name) is not Kind.NUMBER
    return declaration.features([name], [by_type], first=column)[0]


def _read_value(
    value: object, feature: Feature, column: int, additions: Additions, learn: bool
) -> float:
    kind = _kind_of(value, feature.name)
    category = plain(value)
    if isinstance(category, float | int) and not np.isfinite(category):
        raise ValueError(f"x[{feature.name!r}] is infinite; {FINITE_OR_NAN}")
    if feature.categories is not None:
        return _number_of(category, kind, feature, feature.categories, column, additions, learn)
    if isinstance(category, str):
        raise TypeError(f"x[{feature.name!r}] is numeric but holds the string {category!r}")
    return float(category)


def _number_of(
    category: Value,
    kind: Kind,
    feature: Feature,
    categories: Categories,
    column: int,
    additions: Additions,
    learn: bool,
) -> float:
    categories.check_kind(kind, feature)
    number = categories.numbers.get(category)
    if number is not None:
        return float(number)
    if not learn:
        return np.nan if categories.is_closed else _NEVER_SEEN
    fits = additions.note_fitting(column, [category], kind, categories)
    return float(len(categories)) if fits else np.nan
