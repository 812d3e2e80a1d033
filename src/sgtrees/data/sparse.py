"""Sparse rows, which are made dense a few at a time."""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from sgtrees.data.columns import FINITE_OR_NAN, Block, Floats

# The cells of one dense part: 8 MB of float64.
_CELLS = 1 << 20


class SparseRows:
    """Rows of numbers of which most are 0.

    Memory is proportional to the numbers that are stored, and to one dense part.

    Parameters
    ----------
    matrix : scipy.sparse.csr_matrix or csr_array
        The rows, as float32 or float64.

    Examples
    --------
    >>> from scipy.sparse import csr_matrix
    >>> rows = SparseRows(csr_matrix([[0.0, 2.0], [3.0, 0.0]]))
    >>> rows.shape, [part.tolist() for part in rows[[1]].parts()]
    ((2, 2), [[[3.0, 0.0]]])
    """

    def __init__(self, matrix: Any) -> None:
        self._matrix = matrix

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of columns."""
        n_rows, n_columns = self._matrix.shape
        return int(n_rows), int(n_columns)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> "SparseRows":
        """Return the rows that NumPy's index chooses."""
        return SparseRows(self._matrix[rows])

    def column(self, number: int) -> Floats:
        """Return one column as an array."""
        column: Floats = self._matrix[:, [number]].toarray().ravel()
        return column

    def parts(self) -> Iterator[Floats]:
        """Yield all rows in dense parts, one after the other."""
        rows_per_part = max(1, _CELLS // max(1, self.shape[1]))
        for first in range(0, len(self), rows_per_part):
            part: Floats = self._matrix[first : first + rows_per_part].toarray(order="C")
            yield part

    def check_finite(self) -> None:
        """Refuse infinities; the message names the first."""
        infinite = np.isinf(self._matrix.data)
        if infinite.any():
            place = int(infinite.argmax())
            row = int(np.searchsorted(self._matrix.indptr, place, side="right")) - 1
            column = int(self._matrix.indices[place])
            raise ValueError(
                f"Input X contains infinity in row {row}, column {column}; {FINITE_OR_NAN}"
            )


Rows: TypeAlias = Block | SparseRows
"""Rows of numbers as a batch has them: as the core takes them, or sparse."""
