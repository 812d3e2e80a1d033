"""Arrow tables: their columns brought into the plan's types, their invalid rows, their blocks."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sgtrees.streams.block import Block
from sgtrees.streams.columns import ColumnKind, ColumnPlan, SourceColumn

CATEGORIES = pa.dictionary(pa.int32(), pa.string())

# The invalid rows of a table: of each one a column, and what is wrong with it.
InvalidRows = dict[int, tuple[str | None, str]]

_TESTS = {
    # A column of missing values only may hold numbers later.
    ColumnKind.NUMERIC: (
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_decimal,
        pa.types.is_null,
    ),
    ColumnKind.BOOLEAN: (pa.types.is_boolean,),
    ColumnKind.NOMINAL: (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_string_view,
        # Text of some old writers, and text that is not UTF-8, which is reported row by row.
        pa.types.is_binary,
    ),
    ColumnKind.TIME: (pa.types.is_temporal,),
}


def columns_of_schema(schema: pa.Schema) -> dict[str, SourceColumn]:
    """Return the columns of an Arrow schema."""
    return {field.name: SourceColumn(kind_of_type(field.type), str(field.type)) for field in schema}


def kind_of_type(arrow_type: Any) -> ColumnKind:
    """Return the kind of values of an Arrow type.

    Examples
    --------
    >>> kind_of_type(pa.int8()), kind_of_type(pa.string())
    (<ColumnKind.NUMERIC: 'numeric'>, <ColumnKind.NOMINAL: 'nominal'>)
    """
    if pa.types.is_dictionary(arrow_type):
        value_kind = kind_of_type(arrow_type.value_type)
        is_category = value_kind in (ColumnKind.NOMINAL, ColumnKind.NUMERIC)
        return ColumnKind.NOMINAL if is_category else value_kind
    fits = (kind for kind, tests in _TESTS.items() if any(test(arrow_type) for test in tests))
    return next(fits, ColumnKind.OTHER)


def conform(table: pa.Table, plan: ColumnPlan) -> pa.Table:
    """Return the plan's columns of a table, in the plan's order and types."""
    columns = [_as_kind(table[name], kind) for name, kind in plan.kinds.items()]
    return pa.table(columns, names=list(plan.kinds))


def _as_kind(column: Any, kind: ColumnKind) -> Any:
    if kind is ColumnKind.NUMERIC:
        return _numbers(column)
    if kind is ColumnKind.KEPT:
        return column
    if kind is ColumnKind.TIME:
        return _times(column)
    if kind is ColumnKind.BOOLEAN:
        return column if pa.types.is_boolean(column.type) else column.cast(pa.bool_())
    return _categories(column)


def _numbers(column: Any) -> Any:
    if column.type in (pa.float64(), pa.float32()):
        return column
    if pa.types.is_float16(column.type):
        return column.cast(pa.float32())
    if pa.types.is_dictionary(column.type):
        return _numbers(column.cast(column.type.value_type))
    if pa.types.is_temporal(column.type):
        return _seconds(column)
    # Not safe: integers above 2**53 lose their last digits, as in any float64.
    return column.cast(pa.float64(), safe=False)


def _seconds(column: Any) -> Any:
    """Return dates and times as seconds since 1970, durations and times of day as seconds."""
    in_milliseconds: Any = pa.timestamp("ms")
    if pa.types.is_duration(column.type):
        in_milliseconds = pa.duration("ms")
    elif pa.types.is_time(column.type):
        in_milliseconds = pa.time32("ms")
    integers = column.cast(in_milliseconds, safe=False)
    integers = integers.cast(pa.int32() if pa.types.is_time(column.type) else pa.int64())
    return pc.divide(integers.cast(pa.float64()), 1000.0)


def _times(column: Any) -> Any:
    """Return dates and times as such; text as ISO 8601, numbers as seconds since 1970."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_temporal(column.type):
        return column
    if kind_of_type(column.type) is ColumnKind.NUMERIC:
        microseconds = pc.multiply(_without_nan(column.cast(pa.float64(), safe=False)), 1e6)
        return pc.round(microseconds).cast(pa.int64()).cast(pa.timestamp("us"))
    return column.cast(pa.timestamp("us"))


def _categories(column: Any) -> Any:
    if column.type == CATEGORIES:
        return column
    if not pa.types.is_dictionary(column.type):
        text = column if column.type == pa.string() else _as_text(column)
        return text.dictionary_encode()
    if pa.types.is_integer(column.type.value_type) or column.type.value_type == pa.string():
        return column.cast(CATEGORIES)
    return _as_text(column.cast(column.type.value_type)).dictionary_encode()


def _as_text(column: Any) -> Any:
    """Return values as text; integers without a decimal point, even if they are floats."""
    if pa.types.is_floating(column.type):
        column = _without_nan(column)
        if pc.all(pc.equal(pc.trunc(column), column), min_count=0).as_py():
            column = column.cast(pa.int64())
    return column.cast(pa.string())


def _without_nan(floats: Any) -> Any:
    """Return floats with null in place of NaN, which is a missing value too."""
    return pc.if_else(pc.is_nan(floats), pa.scalar(None, floats.type), floats)


def as_block(table: pa.Table, plan: ColumnPlan) -> Block:
    """Return a table that conforms to the plan as a block."""
    weights = None if plan.weight is None else _array(table[plan.weight]).astype(np.float64)
    y = None if plan.target is None else _target(table[plan.target])
    kept = [name for name, kind in plan.kinds.items() if kind is ColumnKind.KEPT]
    return Block(table.select([*plan.features, *kept]), y, weights)


def _target(column: Any) -> Any:
    # Categories stay encoded: the estimators and metrics process each distinct one once.
    return column if pa.types.is_dictionary(column.type) else _array(column)


def _array(column: Any) -> NDArray[Any]:
    array: NDArray[Any] = column.to_numpy()
    return array


# ---- invalid rows -------------------------------------------------------------------------------


def invalid_rows(table: pa.Table, plan: ColumnPlan) -> InvalidRows:
    """Find the rows of a table that conforms to the plan but cannot be learned.

    Returns
    -------
    mapping from int to (str or None, str)
        For each such row, in order, its column and what is wrong with it.
    """
    invalid: InvalidRows = {}
    for name, kind in plan.kinds.items():
        column = table[name]
        if column.null_count and name in (plan.target, plan.weight):
            role = "target" if name == plan.target else "weight"
            _note(invalid, pc.is_null(column), name, f"the {role} is missing")
        if kind is ColumnKind.NUMERIC:
            _check_numbers(invalid, column, name, plan)
        elif kind is ColumnKind.NOMINAL:
            _check_categories(invalid, column, name, plan.sources[name].categories)
    return dict(sorted(invalid.items()))


def _check_numbers(invalid: InvalidRows, column: Any, name: str, plan: ColumnPlan) -> None:
    # The sum is finite only if all numbers are, which is the usual case.
    total = pc.sum(column).as_py()
    if total is None or np.isfinite(total):
        if name == plan.weight and total is not None and (pc.min(column).as_py() or 0.0) < 0.0:
            _note(invalid, pc.less(column, 0.0), name, "the weight is negative")
        return
    _note(invalid, pc.is_inf(column), name, "the value is infinite")
    if name in (plan.target, plan.weight):
        role = "target" if name == plan.target else "weight"
        _note(invalid, pc.is_nan(column), name, f"the {role} is missing")


def _check_categories(
    invalid: InvalidRows, column: Any, name: str, categories: tuple[str, ...] | None
) -> None:
    if categories is None:
        return
    declared = set(categories)
    for chunk in column.chunks:
        if not declared.issuperset(chunk.dictionary.to_pylist()):
            break
    else:
        return
    for row, value in enumerate(column.to_pylist()):
        if value is not None and value not in declared:
            some = ", ".join(categories[:8])
            what = f"{value!r} is not among the declared values ({some})"
            invalid.setdefault(row, (name, what))


def _note(invalid: InvalidRows, mask: Any, name: str, what: str) -> None:
    rows = np.flatnonzero(mask.fill_null(False).to_numpy())
    for row in rows.tolist():
        invalid.setdefault(row, (name, what))
