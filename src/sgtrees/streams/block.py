"""What a stream yields, and what it says about its columns."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Column:
    """What is known of a column before any row has come.

    Attributes
    ----------
    name : str
        Its name.
    categories : tuple of str, optional
        The categories of a nominal column; its values in a block are their numbers 0, 1, 2, ...

    Examples
    --------
    >>> Column("colour", ("red", "blue")).nominal, Column("size").nominal
    (True, False)
    """

    name: str
    categories: tuple[str, ...] | None = None

    @property
    def nominal(self) -> bool:
        """Whether the column is nominal."""
        return self.categories is not None


@dataclass(frozen=True)
class Block:
    """Labelled rows that follow one another in a stream.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Numbers; NaN is missing, and a nominal column holds the numbers of its categories.
    y : ndarray of shape (n_rows,)
        The rows' labels.
    best_error : float or None
        The error that is expected of whoever knows how the labels come about, and therefore the
        least that anybody can expect; None where nobody knows.

    Examples
    --------
    >>> len(Block(np.zeros((3, 2)), np.array(["a", "b", "a"])))
    3
    """

    X: NDArray[np.float64]
    y: NDArray[Any]
    best_error: float | None = None

    def __len__(self) -> int:
        return len(self.y)
