"""Blocks of rows, which streams yield, and the description of their columns."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from sgtrees.streams.brokers.messages import Places


@dataclass(frozen=True)
class Column:
    """The description of a column, known before the first row.

    Attributes
    ----------
    name : str
        Its name.
    nominal : bool
        Whether its values are categories (or class labels), not numbers.
    categories : tuple of str, optional
        The categories of a synthetic nominal column, whose values in a block are their numbers
        0, 1, 2, ...; or those that a file declares. None if they are not known beforehand.

    Examples
    --------
    >>> Column("colour", nominal=True, categories=("red", "blue"))
    Column(name='colour', nominal=True, categories=('red', 'blue'))
    """

    name: str
    nominal: bool = False
    categories: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Block:
    """Consecutive rows of a stream.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_columns) or data frame
        What the estimators take: numbers, where NaN means missing and a nominal column holds the
        numbers of its categories; or a data frame.
    y : array, column of a data frame, or None
        The rows' labels or targets; None if the stream has none.
    weights : ndarray of shape (n_rows,) or None
        The rows' weights; None if all are 1.
    best_error : float or None
        The expected error of the optimal predictions (the Bayes error) of a synthetic stream;
        None if it is not known.
    places : Places or None
        The messages of a broker that the rows are from: their keys, and the position after the last
        one. None for other streams, and for rows in another order.

    Examples
    --------
    >>> block = Block(np.arange(6.0).reshape(3, 2), np.array(["a", "b", "a"]))
    >>> len(block), block.slice(1, 3).y.tolist()
    (3, ['b', 'a'])
    """

    X: Any
    y: Any = None
    weights: NDArray[np.float64] | None = None
    best_error: float | None = None
    places: Places | None = None

    def __len__(self) -> int:
        return len(self.X)

    def slice(self, start: int, stop: int) -> Self:
        """Return the rows from ``start`` to before ``stop``, without a copy if possible."""
        if start == 0 and stop >= len(self):
            return self
        return self._of_rows(slice(start, stop))

    def take(self, rows: NDArray[np.intp]) -> Self:
        """Return some rows, in the order of their numbers in ``rows``."""
        return self._of_rows(rows)

    def _of_rows(self, rows: Any) -> Self:
        return replace(
            self,
            X=_rows_of(self.X, rows),
            y=None if self.y is None else _rows_of(self.y, rows),
            weights=None if self.weights is None else self.weights[rows],
            places=self._places_of(rows),
        )

    def _places_of(self, rows: Any) -> Places | None:
        if self.places is None or not isinstance(rows, slice):
            return None
        return self.places.of_rows(rows)


def concatenate(blocks: Sequence[Block]) -> Block:
    """Join blocks of one stream.

    Examples
    --------
    >>> one = Block(np.zeros((2, 1)), np.array([1, 2]))
    >>> concatenate([one, one]).y.tolist()
    [1, 2, 1, 2]
    """
    if len(blocks) == 1:
        return blocks[0]
    first = blocks[0]
    return replace(
        first,
        X=_joined([block.X for block in blocks]),
        y=None if first.y is None else _joined([block.y for block in blocks]),
        weights=None if first.weights is None else _joined([block.weights for block in blocks]),
        places=None,
    )


def _rows_of(values: Any, rows: Any) -> Any:
    if isinstance(values, np.ndarray):
        return values[rows]
    if isinstance(values, list | tuple):
        chosen = range(len(values))[rows] if isinstance(rows, slice) else rows
        return [values[row] for row in chosen]
    if isinstance(rows, slice) and _is_arrow(values):
        start, stop, _ = rows.indices(len(values))
        return values.slice(start, stop - start)
    wrapped = nw.from_native(values, eager_only=True, allow_series=True)
    return wrapped[rows].to_native()


def _joined(parts: Sequence[Any]) -> Any:
    if isinstance(parts[0], np.ndarray):
        return np.concatenate(parts)
    if isinstance(parts[0], list | tuple):
        return [value for part in parts for value in part]
    if _is_arrow(parts[0]):
        return _joined_arrow(parts)
    wrapped = [nw.from_native(part, eager_only=True, allow_series=True) for part in parts]
    return nw.concat(wrapped).to_native()


def _is_arrow(values: Any) -> bool:
    return type(values).__module__.partition(".")[0] == "pyarrow"


def _joined_arrow(parts: Sequence[Any]) -> Any:
    """Join pyarrow tables or columns; the parts of a dictionary column get one dictionary."""
    # The values are of pyarrow, so it is installed.
    import pyarrow as pa  # noqa: PLC0415

    if isinstance(parts[0], pa.Table):
        return pa.concat_tables(parts).unify_dictionaries()
    chunks = [chunk for part in parts for chunk in part.chunks]
    return pa.chunked_array(chunks, type=parts[0].type).unify_dictionaries()
