"""Columns encoded as the core's block of numbers, and what the block adds to the schema.

Nothing here changes a schema: the caller applies the additions when everything else has been
checked too.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.data.columns import (
    FINITE_OR_NAN,
    UNKNOWN,
    Block,
    Coded,
    Column,
    Floats,
    Kind,
    Value,
    as_floats,
    number_values,
)
from sgtrees.data.schema import Additions, Categories, Declaration, Feature, FeatureName, Schema
from sgtrees.data.sparse import Rows, SparseRows
from sgtrees.data.tables import Table
from sgtrees.data.times import log_times

# Integers up to this one are exact in float32.
_MOST_IN_FLOAT32 = 2**24


def first_schema(table: Table, declaration: Declaration) -> Schema:
    """Return the schema of a model whose first block is ``table``.

    Examples
    --------
    >>> from sgtrees.data.tables import read_table
    >>> table = read_table([["red", 1.5], ["blue", 2.5]], "SGTClassifier")
    >>> first_schema(table, Declaration("from_dtype")).nominal
    [True, False]
    """
    if table.times:
        log_times(table.times)
    return declaration.first_schema(table.names, table.coded)


def align(table: Table, schema: Schema, declaration: Declaration) -> tuple[Table, list[Feature]]:
    """Order a table's columns as in the schema, by their names.

    Returns
    -------
    Table
        A column for each feature of the schema, all missing if the table has none of that name,
        followed by the columns that are not in the schema.
    list of Feature
        The features of these new columns.
    """
    if table.names is None:
        raise ValueError("X has no column names; give a data frame whose columns have names")
    places: dict[FeatureName, int] = {name: place for place, name in enumerate(table.names)}
    nothing = Coded(np.full(table.n_rows, -1), [], None)
    columns: list[Column] = [
        table.column(places[feature.name]) if feature.name in places else nothing
        for feature in schema.features
    ]
    names = [name for name in table.names if name not in schema.index]
    new = [table.column(places[name]) for name in names]
    by_type = [isinstance(column, Coded) for column in new]
    features = declaration.features(names, by_type, first=len(schema))
    return Table(None, columns + new, table.n_rows), features


def encode(table: Table, features: Sequence[Feature], *, learn: bool) -> tuple[Rows, Additions]:
    """Encode a table as the core's block; sparse rows stay sparse.

    Parameters
    ----------
    table : Table
        The rows; a column for each feature.
    features : sequence of Feature
        The columns' features.
    learn : bool
        Whether new categories get numbers; otherwise they are -1.

    Returns
    -------
    block : ndarray of shape (n_rows, n_features), Columns or SparseRows
        C-contiguous; the table's own array or its columns, if they need no change.
    additions : Additions
        New categories.

    Examples
    --------
    >>> from sgtrees.data.tables import read_table
    >>> table = read_table([["red", 1.5], ["blue", 2.5]], "SGTClassifier")
    >>> block, additions = encode(table, [Feature("a", Categories()), Feature("b")], learn=True)
    >>> as_array(block)
    array([[0. , 1.5],
           [1. , 2.5]])
    """
    if isinstance(table.columns, SparseRows):
        return _encode_sparse(table.columns, features), Additions()
    if isinstance(table.columns, np.ndarray):
        by_row = table.columns.flags.c_contiguous
        encode_floats = _encode_rows if by_row else _encode_columns
        return encode_floats(table.columns, features, learn=learn)
    additions = Additions()
    columns = [
        _encode_column(column, features, place, additions, learn=learn)
        for place, column in enumerate(table.columns)
    ]
    dtype = np.result_type(*columns)
    block = _core.Columns([np.ascontiguousarray(column, dtype=dtype) for column in columns])
    check_finite(block, features)
    return block, additions


def _encode_sparse(rows: SparseRows, features: Sequence[Feature]) -> SparseRows:
    for feature in features:
        if feature.nominal:
            raise TypeError(
                f"X is sparse, and {feature} is nominal: sparse rows hold numbers only; give a "
                "data frame or an array, or encode the categories as numbers (one-hot)"
            )
    rows.check_finite()
    return rows


def as_array(block: Rows) -> Floats:
    """Return a block as one array; columns are copied, sparse rows made dense."""
    if isinstance(block, SparseRows):
        return np.concatenate(list(block.parts()))
    return interleave(block.arrays, len(block)) if isinstance(block, _core.Columns) else block


def encode_weighted(
    table: Table, features: Sequence[Feature], weights: NDArray[np.float64] | None
) -> tuple[Rows, Additions]:
    """Encode a table to be learned; rows of weight 0 add no categories."""
    block, additions = encode(table, features, learn=True)
    if weights is None or not (additions.categories or additions.closed) or weights.all():
        return block, additions
    block = as_array(block)
    has_weight = weights > 0
    learned_block, learned = encode(table.take(has_weight), features, learn=True)
    for place, (values, _) in additions.categories.items():
        categories = features[place].categories
        assert categories is not None
        first = len(categories)
        kept, _ = learned.categories.get(place, ([], None))
        numbers = {value: first + offset for offset, value in enumerate(kept)}
        table_of_new = np.array([numbers.get(value, UNKNOWN) for value in values])
        new = np.flatnonzero(block[:, place] >= first)
        block[new, place] = table_of_new[block[new, place].astype(np.int64) - first]
    if additions.closed:
        # Rows without weight may have taken the room of others.
        block[has_weight] = as_array(learned_block)
    return block, learned


def check_finite(block: Block, features: Sequence[Feature]) -> None:
    """Refuse infinities; the message names the first."""
    place = _core.find_infinite(block)
    if place is not None:
        row, column = place
        raise ValueError(
            f"Input X contains infinity in row {row}, {features[column]}; {FINITE_OR_NAN}"
        )


def interleave(columns: Sequence[Floats], n_rows: int) -> Floats:
    """Copy columns into one C-contiguous block."""
    dtype = np.result_type(*columns)
    block = np.empty((n_rows, len(columns)), dtype=dtype)
    _core.interleave([np.asarray(column, dtype=dtype) for column in columns], block)
    return block


def _encode_rows(
    array: Floats, features: Sequence[Feature], *, learn: bool
) -> tuple[Floats, Additions]:
    """Encode a C-contiguous array."""
    check_finite(array, features)
    additions = Additions()
    known = _known_categories(array, features)
    if not known:
        return array, additions
    array = _wide_enough(array, known)
    block = np.empty_like(array)
    new = _core.encode_category_columns(array, list(known), list(known.values()), block, learn)
    for place, values in zip(known, new, strict=True):
        numbers = block[:, place]
        _note_new(numbers, values.tolist(), Kind.NUMBER, features, place, additions, learn=learn)
    return block, additions


def _encode_columns(
    array: Floats, features: Sequence[Feature], *, learn: bool
) -> tuple[_core.Columns, Additions]:
    """Encode an F-contiguous array; columns that need no change are not copied."""
    additions = Additions()
    known = _known_categories(array, features)
    array = _wide_enough(array, known)
    given = [array[:, place] for place in range(len(features))]
    columns = list(given)
    for place, categories in known.items():
        numbers, new = _core.number_categories(given[place], categories, learn)
        if numbers is not None:
            columns[place] = numbers
        elif _may_be_closed(features[place]):
            columns[place] = numbers = given[place].copy()
        _note_new(numbers, new.tolist(), Kind.NUMBER, features, place, additions, learn=learn)
    # A category that is its own number is finite.
    unchecked = [
        column
        for place, column in enumerate(given)
        if place not in known or columns[place] is not column
    ]
    if unchecked and _core.find_infinite(_core.Columns(unchecked)) is not None:
        check_finite(_core.Columns(given), features)
    return _core.Columns(columns), additions


def _known_categories(
    array: Floats, features: Sequence[Feature]
) -> dict[int, _core.KnownCategories]:
    """Return the known categories of each nominal column; check that the new ones fit."""
    known = {}
    for place, feature in enumerate(features):
        if feature.categories is not None:
            _check_kind(array[:, place], feature.categories, feature)
            known[place] = feature.categories.table
    return known


def _wide_enough(array: Floats, known: Mapping[int, _core.KnownCategories]) -> Floats:
    """Return the array in a type that represents all category numbers exactly."""
    most = max(map(len, known.values()), default=0) + len(array)
    return array if not known or most <= _MOST_IN_FLOAT32 else array.astype(np.float64, copy=False)


def _encode_column(
    column: Column, features: Sequence[Feature], place: int, additions: Additions, *, learn: bool
) -> Floats:
    feature = features[place]
    if feature.categories is None:
        return _numeric(column, feature)
    _check_kind(column, feature.categories, feature)
    numbers: Floats
    kind: Kind | None = Kind.NUMBER
    if isinstance(column, Coded):
        numbers, new = number_values(column, feature.categories.numbers, learn=learn)
        kind = column.kind
    else:
        numbers, new = _encode_numbers(column, feature, feature.categories, learn=learn)
    _note_new(numbers, new, kind, features, place, additions, learn=learn)
    return numbers


def _note_new(
    numbers: Floats | None,
    new: list[Value],
    kind: Kind | None,
    features: Sequence[Feature],
    place: int,
    additions: Additions,
    *,
    learn: bool,
) -> None:
    """Note the new categories of a column; those without room become missing in ``numbers``."""
    categories = features[place].categories
    assert categories is not None
    if categories.most_bytes is None:
        if learn and new:
            additions.categories[place] = (new, kind)
        return
    n_fitting = additions.note_fitting(place, new, kind, categories) if learn else 0
    if numbers is None:
        return
    if n_fitting < len(new):
        numbers[numbers >= len(categories) + n_fitting] = np.nan
    elif not learn and categories.is_closed:
        numbers[numbers == UNKNOWN] = np.nan


def _may_be_closed(feature: Feature) -> bool:
    return feature.categories is not None and feature.categories.most_bytes is not None


def _numeric(column: Column, feature: Feature) -> Floats:
    if not isinstance(column, Coded):
        return column
    if column.kind is Kind.STRING:
        raise TypeError(
            f"{feature} is numeric but holds strings, {column.values[0]!r} among them; give "
            "numbers, or declare it in categorical_features before the first row"
        )
    return as_floats(column)


def _check_kind(column: Column, categories: Categories, feature: Feature) -> None:
    if isinstance(column, Coded):
        if categories.kind not in (None, column.kind):
            categories.check_kind(column.kind, feature)
    elif categories.kind is not Kind.NUMBER and _holds_a_number(column):
        categories.check_kind(Kind.NUMBER, feature)


def _holds_a_number(column: Floats) -> bool:
    # The first row is nearly always enough.
    return not (np.isnan(column[:1]).all() and np.isnan(column).all())


def _encode_numbers(
    column: Floats, feature: Feature, categories: Categories, *, learn: bool
) -> tuple[NDArray[np.float64], list[Value]]:
    infinite = np.isinf(column)
    if infinite.any():
        raise ValueError(
            f"Input X contains infinity in row {infinite.argmax()}, {feature}; {FINITE_OR_NAN}"
        )
    numbers = np.empty(len(column))
    new = _core.encode_categories(column, categories.table, numbers, learn)
    return numbers, new.tolist() if learn else []
