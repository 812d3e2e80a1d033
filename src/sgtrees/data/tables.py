"""What a caller passes as X, read into columns: arrays and lists here, data frames in `frames`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_array

from sgtrees.data.columns import Coded, Column, Floats, column_of_objects
from sgtrees.data.frames import in_one_piece, is_frame, read_frame


@dataclass(frozen=True)
class Table:
    """Rows and columns as they came, checked for shape.

    Attributes
    ----------
    names : list of str or None
        The columns' names, where the source has them.
    columns : ndarray of shape (n_rows, n_columns) or list of Column
        A block of floats, C- or F-contiguous, where all columns are numbers of one type, else one
        entry for each column: floats, or codes.
    n_rows : int
        The number of rows.
    """

    names: list[str] | None
    columns: Floats | Sequence[Column]
    n_rows: int

    @property
    def n_columns(self) -> int:
        """The number of columns."""
        if isinstance(self.columns, np.ndarray):
            return int(self.columns.shape[1])
        return len(self.columns)

    def column(self, number: int) -> Column:
        """Return one column."""
        if isinstance(self.columns, np.ndarray):
            floats: Column = self.columns[:, number]
            return floats
        return self.columns[number]

    def take(self, rows: NDArray[np.bool_]) -> "Table":
        """Return the table of some rows."""
        columns: Floats | Sequence[Column]
        if isinstance(self.columns, np.ndarray):
            columns = self.columns[rows]
        else:
            columns = [
                Coded(column.codes[rows], column.values, column.kind)
                if isinstance(column, Coded)
                else column[rows]
                for column in self.columns
            ]
        return Table(self.names, columns, int(rows.sum()))

    def title(self, number: int) -> str | int:
        """Return a column's name, or its number where it has none."""
        return number if self.names is None else self.names[number]


def read_table(X: Any, caller: str) -> Table:
    """Read a two-dimensional input: an array, nested lists, or any eager data frame.

    Parameters
    ----------
    X : array-like, or data frame of pandas, polars, pyarrow and their like
        The rows.
    caller : str
        The estimator's name, for scikit-learn's messages.

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
        check_shape(n_rows, n_columns, caller)
        names, columns = read_frame(X)
        return Table(names, columns, n_rows)
    array = check_array(X, dtype=None, ensure_all_finite=False, estimator=caller, input_name="X")
    if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
        # NumPy turns lists that mix strings and numbers into strings; the numbers shall stay.
        array = np.array(X, dtype=object)
    return Table(None, read_array(array), array.shape[0])


def check_shape(n_rows: int, n_columns: int, caller: str) -> None:
    """Refuse an empty data frame, in scikit-learn's words."""
    for count, noun in ((n_rows, "sample(s)"), (n_columns, "feature(s)")):
        if count == 0:
            raise ValueError(
                f"Found array with 0 {noun} (shape=({n_rows}, {n_columns})) "
                f"while a minimum of 1 is required by {caller}."
            )


def read_array(array: NDArray[Any]) -> Floats | Sequence[Column]:
    """Read a two-dimensional array of any type."""
    if array.dtype.kind in "biuf":
        single = array.dtype == np.float32
        return in_one_piece(array, np.float32 if single else np.float64)
    if array.dtype.kind in "OUT":
        return [
            column_of_objects(array[:, column].tolist(), f"X, column {column}")
            for column in range(array.shape[1])
        ]
    if array.dtype.kind in "Mm":
        raise TypeError(
            f"X is an array of {array.dtype}: dates and durations cannot be learned as they are; "
            "turn them into numbers (seconds, say) or into parts (month, weekday, hour)"
        )
    raise TypeError(f"X is an array of {array.dtype}; give numbers or strings")
