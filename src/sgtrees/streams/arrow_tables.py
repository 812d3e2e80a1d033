"""Arrow tables as a source has them, made into blocks as the plan wants them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from sgtrees.streams.block import Block
from sgtrees.streams.kinds import Found, Kind, Plan

WORDS = pa.dictionary(pa.int32(), pa.string())


_TESTS = {
    # A column of nothing but missing values may hold numbers later.
    Kind.NUMERIC: (
        pa.types.is_integer,
        pa.types.is_floating,
        pa.types.is_decimal,
        pa.types.is_null,
    ),
    Kind.BOOLEAN: (pa.types.is_boolean,),
    Kind.NOMINAL: (
        pa.types.is_string,
        pa.types.is_large_string,
        pa.types.is_string_view,
        # Text of some old writers, and text that is no UTF-8, which will be told of its row.
        pa.types.is_binary,
    ),
    Kind.TIME: (pa.types.is_temporal,),
}


def found_in(schema: pa.Schema) -> dict[str, Found]:
    """Tell what the columns of a schema are."""
    return {field.name: Found(kind_of(field.type), str(field.type)) for field in schema}


def kind_of(arrow_type: Any) -> Kind:
    """Tell what values of an Arrow type are.

    Examples
    --------
    >>> kind_of(pa.int8()), kind_of(pa.string())
    (<Kind.NUMERIC: 'numeric'>, <Kind.NOMINAL: 'nominal'>)
    """
    if pa.types.is_dictionary(arrow_type):
        inside = kind_of(arrow_type.value_type)
        return Kind.NOMINAL if inside in (Kind.NOMINAL, Kind.NUMERIC) else inside
    fits = (kind for kind, tests in _TESTS.items() if any(test(arrow_type) for test in tests))
    return next(fits, Kind.OTHER)


def conform(table: pa.Table, plan: Plan) -> pa.Table:
    """Bring a table's columns into the plan's order and types; others are left out."""
    columns = [_as_kind(table[name], kind) for name, kind in plan.kinds.items()]
    return pa.table(columns, names=list(plan.kinds))


def _as_kind(column: Any, kind: Kind) -> Any:
    if kind is Kind.NUMERIC:
        return _numbers(column)
    if kind is Kind.BOOLEAN:
        return column if pa.types.is_boolean(column.type) else column.cast(pa.bool_())
    return _words(column)


def _numbers(column: Any) -> Any:
    if column.type in (pa.float64(), pa.float32()):
        return column
    if pa.types.is_float16(column.type):
        return column.cast(pa.float32())
    if pa.types.is_dictionary(column.type):
        return _numbers(column.cast(column.type.value_type))
    if pa.types.is_temporal(column.type):
        seconds = column.cast(pa.timestamp("ms"), safe=False).cast(pa.int64())
        return pc.divide(seconds.cast(pa.float64()), 1000.0)
    # Not safe: whole numbers above 2**53 lose their last digits, as they do everywhere.
    return column.cast(pa.float64(), safe=False)


def _words(column: Any) -> Any:
    if column.type == WORDS:
        return column
    if not pa.types.is_dictionary(column.type):
        words = column if column.type == pa.string() else _written(column)
        return words.dictionary_encode()
    if pa.types.is_integer(column.type.value_type) or column.type.value_type == pa.string():
        return column.cast(WORDS)
    return _written(column.cast(column.type.value_type)).dictionary_encode()


def _written(column: Any) -> Any:
    """Write values as text; whole numbers without a point, be they floats or not."""
    if (
        pa.types.is_floating(column.type)
        and pc.all(pc.equal(pc.trunc(column), column), min_count=0).as_py()
    ):
        column = column.cast(pa.int64())
    return column.cast(pa.string())


def as_block(table: pa.Table, plan: Plan) -> Block:
    """Make a block of a table that conforms with the plan."""
    weights = None if plan.weight is None else _array(table[plan.weight]).astype(np.float64)
    y = None if plan.target is None else _target(table[plan.target])
    return Block(table.select(list(plan.features)), y, weights)


def _target(column: Any) -> Any:
    # Words stay as they are coded: the estimators and metrics look at each distinct one once.
    return column if pa.types.is_dictionary(column.type) else _array(column)


def _array(column: Any) -> NDArray[Any]:
    array: NDArray[Any] = column.to_numpy()
    return array


# ---- rows that cannot be used ---------------------------------------------------------------


def bad_rows(table: pa.Table, plan: Plan) -> Mapping[int, tuple[str | None, str]]:
    """Find the rows of a table that conforms with the plan but cannot be learned.

    Returns
    -------
    mapping from int to (str or None, str)
        For each such row, in their order, a column and what is wrong with it.
    """
    bad: dict[int, tuple[str | None, str]] = {}
    for name, kind in plan.kinds.items():
        column = table[name]
        if column.null_count and name in (plan.target, plan.weight):
            role = "target" if name == plan.target else "weight"
            _note(bad, pc.is_null(column), name, f"the {role} is missing")
        if kind is Kind.NUMERIC:
            _check_numbers(bad, column, name, plan)
        elif plan.found[name].categories is not None:
            _check_declared(bad, column, name, plan.found[name])
    return dict(sorted(bad.items()))


Bad = dict[int, tuple[str | None, str]]


def _check_numbers(bad: Bad, column: Any, name: str, plan: Plan) -> None:
    # A sum is not finite where one of the numbers is not; most often that is all there is to do.
    total = pc.sum(column).as_py()
    if total is None or np.isfinite(total):
        if name == plan.weight and total is not None and (pc.min(column).as_py() or 0.0) < 0.0:
            _note(bad, pc.less(column, 0.0), name, "the weight is negative")
        return
    _note(bad, pc.is_inf(column), name, "the value is infinite")
    if name in (plan.target, plan.weight):
        role = "target" if name == plan.target else "weight"
        _note(bad, pc.is_nan(column), name, f"the {role} is missing")


def _check_declared(bad: Bad, column: Any, name: str, found: Found) -> None:
    declared = set(found.categories or ())
    for chunk in column.chunks:
        if not declared.issuperset(chunk.dictionary.to_pylist()):
            break
    else:
        return
    for row, value in enumerate(column.to_pylist()):
        if value is not None and value not in declared:
            some = ", ".join((found.categories or ())[:8])
            bad.setdefault(row, (name, f"{value!r} is not among the declared values ({some})"))


def _note(bad: Bad, mask: Any, name: str, what: str) -> None:
    rows = np.flatnonzero(mask.fill_null(False).to_numpy())
    for row in rows.tolist():
        bad.setdefault(row, (name, what))
