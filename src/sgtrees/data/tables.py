"""X read into columns: arrays, lists, and data frames of any library that narwhals supports."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import check_array

from sgtrees.data.arrow_columns import arrow_codes, read_strings, read_usual
from sgtrees.data.columns import (
    Coded,
    Column,
    Floats,
    Kind,
    code_objects,
    coded_by_library,
    column_of_objects,
)
from sgtrees.data.sparse import SparseRows
from sgtrees.data.times import is_time, read_times

# The parts of a column of dates or times, by their names.
Parts: TypeAlias = dict[str, NDArray[np.float64]]

_STRINGS = (nw.String, nw.Categorical, nw.Enum)
_ABOUT_TIMES = (
    "dates and durations are learned from columns that have names, as in a data frame; convert "
    "them to numbers (for example seconds) or to parts (month, weekday, hour)"
)


@dataclass(frozen=True)
class Table:
    """Rows and columns as they were given, with a checked shape.

    Attributes
    ----------
    names : list of str or None
        The columns' names, if the source has them.
    columns : ndarray of shape (n_rows, n_columns), SparseRows or list of Column
        A block of floats, C- or F-contiguous, if all columns are numbers of one type; sparse rows
        as they are. Otherwise one entry for each column: floats, or codes.
    n_rows : int
        The number of rows.
    times : tuple of str
        The source's columns of dates or times, whose parts are columns here.
    """

    names: list[str] | None
    columns: Floats | SparseRows | Sequence[Column]
    n_rows: int
    times: tuple[str, ...] = ()

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        if isinstance(self.columns, np.ndarray | SparseRows):
            return int(self.columns.shape[1])
        return len(self.columns)

    def column(self, number: int) -> Column:
        """Return one column."""
        if isinstance(self.columns, np.ndarray):
            floats: Column = self.columns[:, number]
            return floats
        if isinstance(self.columns, SparseRows):
            return self.columns.column(number)
        return self.columns[number]

    def take(self, rows: NDArray[np.bool_]) -> "Table":
        """Return the table of some rows."""
        columns: Floats | SparseRows | Sequence[Column]
        if isinstance(self.columns, np.ndarray | SparseRows):
            columns = self.columns[rows]
        else:
            columns = [
                Coded(column.codes[rows], column.values, column.kind)
                if isinstance(column, Coded)
                else column[rows]
                for column in self.columns
            ]
        return Table(self.names, columns, int(rows.sum()))

    @property
    def coded(self) -> list[bool]:
        """Whether each column is coded: strings, categories or booleans."""
        if isinstance(self.columns, np.ndarray | SparseRows):
            return [False] * self.n_columns
        return [isinstance(column, Coded) for column in self.columns]

    def title(self, number: int) -> str | int:
        """Return a column's name, or its number if it has none."""
        return number if self.names is None else self.names[number]


def read_table(X: Any, caller: str, *, accept_sparse: bool = False) -> Table:
    """Read a two-dimensional input: an array, nested lists, or an eager data frame.

    Parameters
    ----------
    X : array-like, sparse matrix, or data frame of pandas, polars, pyarrow and others
        The rows.
    caller : str
        The estimator's name, for scikit-learn's messages.
    accept_sparse : bool, default=False
        Whether X may be sparse.

    Returns
    -------
    Table
        For a C- or F-contiguous float32 or float64 array: the array itself, not a copy.

    Examples
    --------
    >>> read_table([[1, 2], [3, 4]], "SGTClassifier").columns
    array([[1., 2.],
           [3., 4.]])
    """
    if is_frame(X):
        n_rows, n_columns = X.shape
        _check_shape(n_rows, n_columns, caller)
        names, columns, times = read_frame(X)
        return Table(names, columns, n_rows, times)
    if accept_sparse and issparse(X):
        return Table(None, _read_sparse(X, caller), X.shape[0])
    array = check_array(X, dtype=None, ensure_all_finite=False, estimator=caller, input_name="X")
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        # NumPy turns lists that mix strings and numbers into strings; the numbers must stay.
        array = np.array(X, dtype=object)
    return Table(None, _read_array(array), array.shape[0])


def _check_shape(n_rows: int, n_columns: int, caller: str) -> None:
    """Refuse an empty data frame with scikit-learn's message."""
    for count, noun in ((n_rows, "sample(s)"), (n_columns, "feature(s)")):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {noun} (shape=({n_rows}, {n_columns})) "
                f"while a minimum of 1 is required by {caller}."
            )


def _read_array(array: NDArray[Any]) -> Floats | Sequence[Column]:
    if array.dtype.kind in "biuf":
        single = array.dtype == np.float32
        return _contiguous(array, np.float32 if single else np.float64)
    if array.dtype.kind in "OUT":
        return [
            column_of_objects(array[:, column].tolist(), f"X, column {column}")
            for column in range(array.shape[1])
        ]
    if array.dtype.kind in "Mm":
        raise TypeError(f"X is an array of {array.dtype}: {_ABOUT_TIMES}")
    raise TypeError(f"X is an array of {array.dtype}; give numbers or strings")


def _read_sparse(X: Any, caller: str) -> SparseRows:
    matrix = check_array(
        X,
        accept_sparse="csr",
        dtype=[np.float64, np.float32],
        ensure_all_finite=False,
        estimator=caller,
        input_name="X",
    )
    return SparseRows(matrix)


def _contiguous(array: NDArray[Any], dtype: type[np.floating[Any]]) -> NDArray[Any]:
    """Return floats by row or by column, copied only if they are neither."""
    array = array.astype(dtype, order="A", copy=False)
    return array if array.flags.forc else np.ascontiguousarray(array)


# ---- data frames ---------------------------------------------------------------------------------


def is_frame(X: object) -> bool:
    """Return whether an object is an eager data frame, without importing any data frame library."""
    # Arrays and lists need no call of narwhals, whose first one looks for plugins; and each looks
    # through all attributes of an object.
    if isinstance(X, np.ndarray | list | tuple) or _is_arrow_column(X):
        return False
    return _is_arrow_table(X) or bool(nw.dependencies.is_into_dataframe(X))


def _is_arrow_table(X: object) -> bool:
    pyarrow = sys.modules.get("pyarrow")
    return pyarrow is not None and isinstance(X, pyarrow.Table)


def _is_arrow_column(y: object) -> bool:
    pyarrow = sys.modules.get("pyarrow")
    return pyarrow is not None and isinstance(y, pyarrow.ChunkedArray)


def is_series(y: object) -> bool:
    """Return whether an object is a column of a data frame library."""
    if isinstance(y, np.ndarray | list | tuple):
        return False
    return _is_arrow_column(y) or bool(nw.dependencies.is_into_series(y))


def has_columns(y: Any) -> bool:
    """Return whether y has columns, other than exactly one.

    Examples
    --------
    >>> [has_columns(y) for y in ([1, 2], [[1], [2]], [[1, 2], [3, 4]])]
    [False, False, True]
    """
    if issparse(y):
        return True
    if is_frame(y):
        return bool(y.shape[1] != 1)
    if isinstance(y, list | tuple):
        return len(y) > 0 and _is_sequence(y[0]) and len(y[0]) != 1
    shape = () if is_series(y) else np.asarray(y).shape
    return len(shape) == 2 and shape[1] != 1


def _is_sequence(value: object) -> bool:
    return isinstance(value, Sequence | np.ndarray | set | frozenset) and not isinstance(value, str)


def read_frame(X: Any) -> tuple[list[str] | None, Any, tuple[str, ...]]:
    """Read a data frame.

    Returns
    -------
    names : list of str or None
        The columns' names; None if they are not strings.
    columns : ndarray or list of Column
        One block if all columns are float32 or all are float64, else one entry for each column.
    times : tuple of str
        Columns of dates or times, of which ``columns`` has the parts.
    """
    if _is_arrow_table(X):
        return _with_parts([(name, _read_arrow(X, name)) for name in X.column_names])
    frame = nw.from_native(X, eager_only=True)
    types = set(frame.schema.values())
    columns: Any
    if types == {nw.Float32}:
        columns = _contiguous(_as_array(frame), np.float32)
    elif types == {nw.Float64}:
        columns = _contiguous(_as_array(frame), np.float64)
    else:
        names = _column_names(frame.columns)
        read = [_read_series(series) for series in frame.iter_columns()]
        if names is not None:
            return _with_parts(list(zip(names, read, strict=True)))
        for name, column in zip(frame.columns, read, strict=True):
            if isinstance(column, dict):
                raise TypeError(f"column {name!r} holds dates or times: {_ABOUT_TIMES}")
        columns = read
    return _column_names(frame.columns), columns, ()


def _with_parts(
    columns: Sequence[tuple[str, Column | Parts]],
) -> tuple[list[str], list[Column], tuple[str, ...]]:
    """Put the parts of dates and times in the place of their columns."""
    names: list[str] = []
    read: list[Column] = []
    times = []
    given = {name for name, _ in columns}
    for name, column in columns:
        if not isinstance(column, dict):
            names.append(name)
            read.append(column)
            continue
        if len(column) > 1:
            times.append(name)
            twice = given.intersection(column)
            if twice:
                raise ValueError(
                    f"column {name!r} holds dates or times, and {min(twice)!r} would be a part of "
                    "it, but is a column too; rename one of them"
                )
        names += column
        read += column.values()
    return names, read, tuple(times)


def _column_names(names: Sequence[object]) -> list[str] | None:
    """Return a frame's names if all are strings, None if none is (scikit-learn's rule)."""
    strings = [name for name in names if isinstance(name, str)]
    if len(strings) == len(names):
        return strings
    if strings:
        raise TypeError(
            "Feature names are only supported if all input features have string names, but some of "
            f"{list(names)} are none; use X.columns = X.columns.astype(str), for example"
        )
    return None


def _read_arrow(table: Any, name: str) -> Column | Parts:
    column = table[name]
    usual = read_usual(column, f"column {name!r}")
    if usual is not None:
        return usual
    return _read_series(nw.from_native(column, series_only=True).alias(name))


def _as_array(frame: Any) -> NDArray[Any]:
    """Return a frame's floats, without a copy if pandas has them in one block."""
    if frame.implementation.is_pandas():
        array: NDArray[Any] = frame.to_native().to_numpy()
        if array.dtype.kind == "f":
            return array
    return np.asarray(frame.to_numpy())


def _read_series(series: Any) -> Column | Parts:
    """Read one column: floats for numbers, codes for strings and booleans, parts for times."""
    dtype = series.dtype
    where = f"column {series.name!r}"
    if dtype.is_numeric():
        return _read_numbers(series)
    if dtype == nw.Boolean:
        return _read_booleans(series)
    if isinstance(dtype, _STRINGS) or dtype in _STRINGS:
        return _read_strings(series, where)
    if dtype == nw.Object:
        return column_of_objects(series.to_list(), where)
    if is_time(dtype):
        return read_times(series)
    if series.null_count() == len(series):
        return np.full(len(series), np.nan)
    raise TypeError(f"{where} is of type {dtype}; give numbers, strings, categories or booleans")


def _read_numbers(series: Any) -> Column:
    """Read a numeric column as floats, NaN where it has no value."""
    if series.dtype != nw.Float32:
        series = series.cast(nw.Float64)
        return np.asarray(series.to_numpy(), dtype=np.float64)
    return np.asarray(series.to_numpy(), dtype=np.float32)


def _read_booleans(series: Any) -> Coded:
    codes = series.cast(nw.Int8).fill_null(-1).to_numpy().astype(np.int64)
    return Coded(codes, [False, True], Kind.BOOLEAN)


def read_strings_or_none(y: Any) -> Coded | None:
    """Read a library's column of strings or categories; None for anything else."""
    if not is_series(y):
        return None
    if _is_arrow_column(y) and (strings := read_strings(y, "y")) is not None:
        return strings
    series = nw.from_native(y, series_only=True)
    if isinstance(series.dtype, _STRINGS) or series.dtype in _STRINGS:
        return _read_strings(series, "y")
    return None


def _read_strings(series: Any, where: str) -> Coded:
    """Read a column of strings or categories by the library's own codes."""
    implementation = series.implementation
    if implementation.is_pandas():
        codes, values = _pandas_codes(series)
    elif implementation.is_polars():
        codes, values = _polars_codes(series)
    elif implementation.is_pyarrow():
        codes, values = arrow_codes(series.to_native())
    else:
        return code_objects(series.to_list(), where)
    return coded_by_library(codes, values, where)


def _pandas_codes(series: Any) -> tuple[NDArray[np.integer], list[Any]]:
    native = series.to_native()
    if series.dtype == nw.String:
        codes, values = native.factorize()
        return codes, values.tolist()
    return native.cat.codes.to_numpy(), native.cat.categories.tolist()


def _polars_codes(series: Any) -> tuple[NDArray[np.integer], list[Any]]:
    distinct = series.unique(maintain_order=True).drop_nulls().cast(nw.String).to_list()
    physical = series.cast(nw.String).cast(nw.Enum(distinct)).to_native().to_physical()
    codes = nw.from_native(physical, series_only=True).cast(nw.Int64).fill_null(-1)
    return codes.to_numpy(), distinct
