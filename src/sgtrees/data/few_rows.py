"""Data frames of a few rows, as web services send them: read by row, not column by column."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.data.columns import Kind, Value
from sgtrees.data.encoding import encode
from sgtrees.data.schema import Schema
from sgtrees.data.sparse import Rows
from sgtrees.data.tables import Table

# More rows than these are read faster by column.
_MOST_ROWS = 16


def encode_few_rows(X: Any, schema: Schema) -> Rows | None:
    """Encode a small data frame to be predicted, if it has the model's columns and nothing new.

    A library's call for each column takes longer than the prediction of a row.

    Parameters
    ----------
    X : object
        What the caller passes as rows.
    schema : Schema
        The model's features.

    Returns
    -------
    ndarray of shape (n_rows, n_features) or None
        The rows; None if they are to be read, and checked, as any other.

    Examples
    --------
    >>> import pandas as pd
    >>> from sgtrees.data.schema import Categories, Feature
    >>> colours = Categories()
    >>> colours.extend(["red", "blue"], Kind.STRING)
    >>> schema = Schema([Feature("size"), Feature("colour", colours)])
    >>> encode_few_rows(pd.DataFrame({"size": [3], "colour": ["blue"]}), schema)
    array([[3., 1.]])
    """
    library = type(X).__module__.partition(".")[0]
    if library not in ("pandas", "polars") or getattr(X, "ndim", 2) != 2:
        return None
    shape = getattr(X, "shape", None)
    if shape is None or not 0 < shape[0] <= _MOST_ROWS:
        return None
    names = schema.string_names
    if names is None or list(X.columns) != names:
        return None
    return _encode(X.rows(), schema) if library == "polars" else _encode_pandas(X, schema)


def _encode_pandas(X: Any, schema: Schema) -> Rows | None:
    # A row at a time is the fastest way to values of several types.
    rows = [X.iloc[row].to_numpy() for row in range(len(X))]
    if any(row.dtype.kind not in "iufO" for row in rows):
        return None
    if all(row.dtype.kind != "O" for row in rows):
        numbers = np.array(rows, dtype=np.float64)
        block, _ = encode(Table(None, numbers, len(numbers)), schema.features, learn=False)
        return block
    return _encode([list(map(_as_python, row)) for row in rows], schema)


def _as_python(value: Any) -> Any:
    return value.item() if isinstance(value, np.number | np.bool_) else value


def _encode(rows: list[Any], schema: Schema) -> NDArray[np.float64] | None:
    features = tuple(schema.features)
    # A boolean equals a number, but is none.
    kinds = [
        (place, feature.categories.kind is Kind.BOOLEAN)
        for place, feature in enumerate(features)
        if feature.categories is not None and feature.categories.kind is not Kind.STRING
    ]
    index = {place: place for place in range(len(features))}
    block = np.empty((len(rows), len(features)))
    for row, encoded in zip(rows, block, strict=True):
        if any(not _is_of_kind(row[place], is_boolean) for place, is_boolean in kinds):
            return None
        values = dict(enumerate(row))
        if not _core.encode_event(values, index, schema.category_numbers, encoded):
            return None
    return block


def _is_of_kind(value: Value | None, is_boolean: bool) -> bool:
    return value is None or isinstance(value, bool) is is_boolean
