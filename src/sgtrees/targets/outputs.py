"""Several targets for each row: y with columns, in blocks and in events."""

import reprlib
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.utils.validation import column_or_1d

from sgtrees.data.columns import Coded, Column, Kind, as_floats
from sgtrees.data.tables import is_frame, read_frame

OutputName: TypeAlias = Hashable
OneForEachRow = TypeVar("OneForEachRow")


@dataclass(frozen=True)
class Outputs:
    """The outputs of a model: the columns of y.

    Attributes
    ----------
    count : int
        The number of columns, at least 1.
    names : tuple or None
        Their names, if the first rows had names.

    Examples
    --------
    >>> Outputs(2, ("height", "weight")).title(1), Outputs(2).title(1)
    ("column 'weight'", 'column 1')
    """

    count: int
    names: tuple[OutputName, ...] | None = None

    def __post_init__(self) -> None:
        if self.count == 0:
            raise ValueError("y has no columns")

    @property
    def keys(self) -> Sequence[OutputName]:
        """The keys of the outputs in events: their names, or 0, 1, 2, ..."""
        return range(self.count) if self.names is None else self.names

    def title(self, column: int) -> str:
        """Return the title of an output, for messages."""
        return f"column {self.keys[column]!r}"

    def describe(self) -> str:
        """Return number and names of the outputs, for messages."""
        names = "" if self.names is None else f": {', '.join(map(repr, self.names))}"
        return f"{self.count} columns{names}"


@dataclass(frozen=True)
class Columns:
    """The columns of y for a block of rows.

    Attributes
    ----------
    values : ndarray of shape (n_rows, n_outputs)
        C-contiguous floats; NaN for a missing value.
    outputs : Outputs
        The columns' names.
    """

    values: NDArray[np.float64]
    outputs: Outputs

    def arranged(self, known: Outputs) -> NDArray[np.float64]:
        """Return the values in the order of a model's outputs; by name if both have names."""
        if known.count != self.outputs.count:
            raise ValueError(
                f"y has {self.outputs.count} columns, but the model has learned y of "
                f"{known.describe()}"
            )
        if known.names is None or self.outputs.names in (None, known.names):
            return self.values
        check_names(self.outputs.names or (), known)
        places = {name: place for place, name in enumerate(self.outputs.keys)}
        return np.ascontiguousarray(self.values[:, [places[name] for name in known.names]])


def check_names(names: Collection[OutputName], known: Outputs) -> None:
    """Refuse names that differ from those of a model's outputs."""
    missing = [name for name in known.keys if name not in names]
    unknown = [name for name in names if name not in known.keys]
    if missing or unknown:
        parts = [
            f"{what}: {listed}"
            for what, listed in (
                ("missing", ", ".join(map(repr, missing))),
                ("unknown", ", ".join(map(repr, unknown))),
            )
            if listed
        ]
        raise ValueError(
            f"y has other columns than the {known.describe()} that the model has learned "
            f"({'; '.join(parts)})"
        )


def without_columns(y: OneForEachRow | Columns) -> OneForEachRow:
    """Return a one-dimensional y; refuse one with columns."""
    if isinstance(y, Columns):
        raise ValueError(
            f"y has {y.outputs.describe()}, but the model has learned one-dimensional y; give one "
            "value for each row"
        )
    return y


def as_column(y: Any) -> NDArray[Any]:
    """Return y as a one-dimensional array; ValueError if it is not one.

    Examples
    --------
    >>> as_column([1, 2])
    array([1, 2])
    """
    if type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind != "O":
        return y  # the usual case, without scikit-learn's checks
    column: NDArray[Any] = column_or_1d(y, warn=True)
    return column


def read_columns(y: Any) -> Columns:
    """Read y with columns: an array, a list of lists, a data frame or a sparse matrix.

    Examples
    --------
    >>> read_columns([[1, 2], [3, 4]])
    Columns(values=array([[1., 2.],
           [3., 4.]]), outputs=Outputs(count=2, names=None))
    """
    if issparse(y):
        y = y.toarray()
    if is_frame(y):
        return _read_frame(y)
    array = _as_array(y)
    outputs = Outputs(array.shape[1])
    return Columns(_floats(array, outputs), outputs)


def _read_frame(y: Any) -> Columns:
    names, columns, times = read_frame(y)
    if times:
        raise TypeError(f"column {times[0]!r} of y holds dates or times; numbers are needed")
    outputs = Outputs(y.shape[1], None if names is None else tuple(names))
    if isinstance(columns, np.ndarray):
        return Columns(np.ascontiguousarray(columns, dtype=np.float64), outputs)
    return Columns(np.column_stack(list(_as_numbers(columns, outputs))), outputs)


def _as_numbers(columns: Iterable[Column], outputs: Outputs) -> Iterable[NDArray[np.floating]]:
    for place, column in enumerate(columns):
        if not isinstance(column, Coded):
            yield column.astype(np.float64)
        elif column.kind is Kind.STRING:
            raise ValueError(f"{outputs.title(place)} of y holds strings; numbers are needed")
        else:
            yield as_floats(column)


def _as_array(y: Any) -> NDArray[Any]:
    try:
        array = np.asarray(y)
    except ValueError:
        array = None
    if array is None or array.ndim != 2:
        raise ValueError(
            "y must have as many values in every row as in the first: shape (n_rows, n_columns)"
            + _about_sets(y)
        )
    if array.dtype.kind not in "biufO":
        raise ValueError(f"y is an array of {array.dtype}; numbers are needed")
    return array


def _about_sets(y: Any) -> str:
    if isinstance(y, list | tuple) and any(isinstance(row, set | frozenset | tuple) for row in y):
        return "; sklearn.preprocessing.MultiLabelBinarizer converts sets of labels"
    return ""


def _floats(array: NDArray[Any], outputs: Outputs) -> NDArray[np.float64]:
    try:
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        row, column = _first_non_number(array)
        raise ValueError(
            "y must hold numbers only, within the range of float64; it holds "
            f"{_written(array[row, column])} in row {row}, {outputs.title(column)}"
        ) from None


def _written(value: object) -> str:
    # Python refuses to write integers of very many digits.
    return "a very large integer" if isinstance(value, int) else reprlib.repr(value)


def _first_non_number(array: NDArray[Any]) -> tuple[int, int]:
    """Return the place of the first value that an array of float64 cannot hold."""
    holder = np.empty(1)
    for row, column in np.ndindex(array.shape):
        try:
            # As NumPy converts the whole; `float` takes arrays of one number too.
            holder[:] = array[row : row + 1, column]
        except (TypeError, ValueError, OverflowError):
            return row, column
    return 0, 0


# --------------------------------------------------------------------------------------------------
# Events
# --------------------------------------------------------------------------------------------------


def is_several(y: object) -> bool:
    """Return whether the y of an event has several values: a mapping, a sequence or a set."""
    if isinstance(y, np.ndarray):
        return y.ndim > 0
    return isinstance(y, Mapping | Sequence | set | frozenset) and not isinstance(y, str | bytes)


def values_in_order(
    y: Mapping[Any, Any] | Sequence[Any] | NDArray[Any], known: Outputs | None
) -> tuple[list[Any], Outputs]:
    """Return the values of an event's y in the order of a model's outputs, and the outputs.

    Parameters
    ----------
    y : mapping or sequence
        Values by name, or in the order of the columns.
    known : Outputs or None
        The outputs; None for the very first event, which defines them.
    """
    if isinstance(y, Mapping):
        known = Outputs(len(y), tuple(y)) if known is None else known
        check_names(y.keys(), known)
        return [y[name] for name in known.keys], known
    values = y.tolist() if isinstance(y, np.ndarray) else list(y)
    known = Outputs(len(values)) if known is None else known
    if len(values) != known.count:
        raise ValueError(
            f"y has {len(values)} values, but the model has learned y of {known.describe()}"
        )
    return values, known
