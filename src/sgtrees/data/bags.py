"""Bags of instances read into one table: lists of bags, rows with groups, or a bag column."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d

from sgtrees.data.columns import FINITE_OR_NAN, Coded, Column, Floats, Value, is_missing
from sgtrees.data.tables import Table, is_frame, is_series, read_table

Indices: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True)
class BagRows:
    """The instances of all bags, as the rows of one table.

    Attributes
    ----------
    table : Table
        The rows of all bags, in their original order.
    bag_of_row : ndarray of int
        The number of each row's bag: 0, 1, 2, ... in order of first appearance.
    names : sequence
        The name of each bag, for messages.
    sample : object
        An input with the rows' width and column names, for scikit-learn's checks.
    grouped : bool
        Whether each row was given with its bag; then labels may be given by row too.
    """

    table: Table
    bag_of_row: Indices
    names: Sequence[Hashable]
    sample: Any
    grouped: bool

    def __len__(self) -> int:
        return len(self.names)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of instances in each bag."""
        return np.bincount(self.bag_of_row, minlength=len(self)).astype(np.int64)

    @property
    def order(self) -> Indices:
        """The rows bag by bag, those of a bag in their original order."""
        return np.argsort(self.bag_of_row, kind="stable")

    def label_of_each(self, y: Coded) -> Coded:
        """Return one label for each bag, given one for each bag or for each row."""
        if len(y.codes) == len(self):
            return y
        if not self.grouped or len(y.codes) != self.table.n_rows:
            rows = f", nor one for each of the {self.table.n_rows} rows" if self.grouped else ""
            raise ValueError(
                f"y has {len(y.codes)} labels: not one for each of the {len(self)} bags{rows}"
            )
        first = np.unique(self.bag_of_row, return_index=True)[1]
        of_bag = y.codes[first]
        differs = of_bag[self.bag_of_row] != y.codes
        if differs.any():
            row = int(differs.argmax())
            bag = int(self.bag_of_row[row])
            raise ValueError(
                f"bag {self.names[bag]!r} has contradictory labels: "
                f"{y.values[of_bag[bag]]!r} in row {first[bag]}, "
                f"{y.values[y.codes[row]]!r} in row {row}"
            )
        return Coded(of_bag, y.values, y.kind)


def read_bags(X: Any, groups: Any, bag_column: Hashable, caller: str) -> BagRows:
    """Read bags: a list of them, rows with their groups, or a data frame with a bag column.

    Parameters
    ----------
    X : sequence of array-likes or data frames, or one of either
        The bags, or all rows.
    groups : array-like or None
        The bag of each row, if X holds all rows.
    bag_column : hashable
        The column of a data frame with each row's bag, if ``groups`` is None.
    caller : str
        The estimator's name, for messages.

    Examples
    --------
    >>> read_bags([[[1.0], [2.0]], [[3.0]]], None, "bag", "it").sizes
    array([2, 1])
    >>> read_bags([[1.0], [2.0], [3.0]], ["b", "a", "b"], "bag", "it").bag_of_row
    array([0, 1, 0])
    """
    if groups is not None:
        return _grouped(X, groups, "groups", caller)
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        if bag_column not in frame.columns:
            raise ValueError(
                f"X is a data frame without the column {bag_column!r} for each row's bag; its "
                f"columns are {list(frame.columns)}. Give groups, or name it in bag_column"
            )
        column = frame.get_column(str(bag_column))
        rest = frame.drop(str(bag_column)).to_native()
        return _grouped(rest, column.to_native(), f"column {bag_column!r}", caller)
    if not isinstance(X, Sequence | np.ndarray) or isinstance(X, str):
        raise TypeError(
            f"X is of type {type(X).__name__}; give a list of bags, a data frame with the column "
            f"{bag_column!r}, or rows together with groups"
        )
    return _listed(X, caller)


# ---- rows with the names of their bags -----------------------------------------------------------


def _read_table(X: Any, caller: str) -> Table:
    table = read_table(X, caller)
    if table.times:
        raise TypeError(
            f"column {table.times[0]!r} holds dates or times, which instances of bags cannot have; "
            "convert them to numbers (for example seconds) or to parts (month, weekday, hour)"
        )
    return table


def _grouped(X: Any, groups: Any, where: str, caller: str) -> BagRows:
    table = _read_table(X, caller)
    names, bag_of_row = _numbered(groups, where)
    if len(bag_of_row) != table.n_rows:
        raise ValueError(f"{where} has {len(bag_of_row)} values for {table.n_rows} rows")
    return BagRows(table, bag_of_row, names, X, grouped=True)


def _numbered(groups: Any, where: str) -> tuple[list[Hashable], Indices]:
    """Number the groups in order of first appearance."""
    if is_series(groups):
        groups = nw.from_native(groups, series_only=True).to_numpy()
    values = column_or_1d(groups).tolist()
    numbers: dict[Hashable, int] = {}
    bag_of_row = np.empty(len(values), dtype=np.intp)
    for row, value in enumerate(values):
        if is_missing(value):
            raise ValueError(f"{where} has no value in row {row}; each row must be in a bag")
        bag_of_row[row] = numbers.setdefault(value, len(numbers))
    return list(numbers), bag_of_row


# ---- a list of bags ------------------------------------------------------------------------------


def _listed(bags: Sequence[Any] | NDArray[Any], caller: str) -> BagRows:
    if len(bags) == 0:
        raise ValueError(f"X holds no bags; {caller} needs at least one")
    tables = [_read_bag(bag, number, caller) for number, bag in enumerate(bags)]
    first = tables[0]
    for number, table in enumerate(tables):
        if table.n_columns != first.n_columns:
            raise ValueError(
                f"bag {number} has {table.n_columns} features, but bag 0 has {first.n_columns}; "
                "all bags must have the same features"
            )
        if table.names != first.names:
            raise ValueError(
                f"bag {number} has the columns {table.names}, but bag 0 has {first.names}"
            )
    sizes = [table.n_rows for table in tables]
    bag_of_row = np.repeat(np.arange(len(tables)), sizes)
    return BagRows(_stacked(tables), bag_of_row, range(len(tables)), bags[0], grouped=False)


def _read_bag(bag: Any, number: int, caller: str) -> Table:
    shape = _shape(bag)
    if len(shape) > 0 and shape[0] == 0:
        raise ValueError(f"bag {number} is empty; a bag must have at least one instance")
    if len(shape) != 2:
        raise ValueError(
            f"bag {number} has {len(shape)} dimension(s), but a bag has two, instances and "
            "features; if X holds the rows of all bags, give groups, one for each row"
        )
    try:
        table = _read_floats(bag) or _read_table(bag, caller)
    except (TypeError, ValueError) as error:
        raise type(error)(f"bag {number}: {error}") from error
    if isinstance(table.columns, np.ndarray):
        _check_finite(table.columns, table, number)
    return table


def _read_floats(bag: Any) -> Table | None:
    """Read an array of floats, the most common kind of bag, without further checks."""
    if type(bag) is np.ndarray and bag.dtype in (np.float32, np.float64) and bag.shape[1] > 0:
        return Table(None, bag, len(bag))
    return None


def _check_finite(block: Floats, table: Table, number: int) -> None:
    infinite = np.isinf(block)
    if infinite.any():
        row, column = np.argwhere(infinite)[0].tolist()
        raise ValueError(
            f"bag {number}: Input X contains infinity in row {row}, column "
            f"{table.title(column)!r}; {FINITE_OR_NAN}"
        )


def _shape(bag: Any) -> tuple[int, ...]:
    """Return a bag's shape; that of nested lists is taken from their first row."""
    if hasattr(bag, "shape"):
        return tuple(bag.shape)
    if not isinstance(bag, Sequence) or len(bag) == 0:
        return tuple(np.shape(bag))
    return (len(bag), *np.shape(bag[0]))


def _stacked(tables: Sequence[Table]) -> Table:
    """Concatenate the rows of tables with the same columns."""
    n_rows = sum(table.n_rows for table in tables)
    blocks: list[Any] = [table.columns for table in tables]
    if all(isinstance(block, np.ndarray) for block in blocks):
        return Table(tables[0].names, np.ascontiguousarray(np.concatenate(blocks)), n_rows)
    columns = [
        _stacked_column([table.column(place) for table in tables], tables[0].title(place))
        for place in range(tables[0].n_columns)
    ]
    return Table(tables[0].names, columns, n_rows)


def _stacked_column(parts: Sequence[Column], title: str | int) -> Column:
    floats: list[Any] = [part for part in parts if not isinstance(part, Coded)]
    if len(floats) == len(parts):
        together: Column = np.concatenate(floats)
        return together
    numbers: dict[Value, int] = {}
    codes, kinds = [], {part.kind for part in parts if isinstance(part, Coded)} - {None}
    for number, part in enumerate(parts):
        if isinstance(part, Coded):
            table = [numbers.setdefault(value, len(numbers)) for value in part.values]
            codes.append(np.array([*table, -1])[part.codes])
        elif np.isnan(part).all():
            codes.append(np.full(len(part), -1))
        else:
            raise TypeError(
                f"column {title!r} holds numbers in bag {number}, but "
                f"{' and '.join(kind.value for kind in kinds if kind)} in others"
            )
    if len(kinds) > 1:
        raise TypeError(
            f"column {title!r} holds {' and '.join(sorted(k.value for k in kinds if k))} "
            "in different bags; its values must all be of one kind"
        )
    return Coded(np.concatenate(codes), list(numbers), kinds.pop() if kinds else None)
