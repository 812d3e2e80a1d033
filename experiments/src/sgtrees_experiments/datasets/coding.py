"""From tables with names and categories to numbers alone."""

from collections.abc import Collection

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sgtrees_experiments.moa import NumericStream

TARGET = "target"

Floats = NDArray[np.float64]


def code(table: pa.Table, nominal: Collection[str], *, classification: bool) -> NumericStream:
    """Give numbers to categories and classes, in their sorted order.

    Parameters
    ----------
    table : pyarrow.Table
        The features, and the target in the column ``target``.
    nominal : collection of str
        The features that are nominal though they hold numbers; those of strings are so anyway.
    classification : bool
        Whether the target is a class.

    Returns
    -------
    NumericStream
        The same as numbers.

    Examples
    --------
    >>> table = pa.table({"flag": [1, 0], "colour": ["red", "blue"], "target": ["b", "a"]})
    >>> stream = code(table, ["flag"], classification=True)
    >>> stream.X, stream.y, stream.cardinalities, stream.classes
    (array([[1., 1.], [0., 0.]]), array([1., 0.]), [2, 2], 2)
    """
    names = [name for name in table.column_names if name != TARGET]
    columns, cardinalities = [], []
    for name in names:
        column = table[name]
        is_nominal = name in nominal or not _is_number(column)
        values, count = _categories(column) if is_nominal else (_floats(column), 0)
        columns.append(values)
        cardinalities.append(count)
    y, classes = _categories(table[TARGET]) if classification else (_floats(table[TARGET]), 0)
    return NumericStream(np.column_stack(columns), y, cardinalities, classes)


def _is_number(column: pa.ChunkedArray) -> bool:
    kind = column.type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _floats(column: pa.ChunkedArray) -> Floats:
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _categories(column: pa.ChunkedArray) -> tuple[Floats, int]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    encoded = pc.dictionary_encode(column.combine_chunks())
    place = np.empty(len(encoded.dictionary))
    place[pc.sort_indices(encoded.dictionary).to_numpy()] = np.arange(len(place))
    return place[encoded.indices.to_numpy()], len(place)
