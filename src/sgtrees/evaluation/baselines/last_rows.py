"""Which row was the last one before each, where rows of weight 0 do not count."""

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.weights import Weights


def last_rows(weights: Weights | None, n_rows: int) -> NDArray[np.intp]:
    """Return the number of the last row before each, from 1 on; 0 if it came before the block.

    The last of the ``n_rows + 1`` numbers is that after the block.

    Examples
    --------
    >>> last_rows(None, 3).tolist()
    [0, 1, 2, 3]
    >>> last_rows(np.array([0.0, 2.0, 0.0]), 3).tolist()
    [0, 0, 2, 2]
    """
    numbers = np.arange(n_rows + 1)
    if weights is not None:
        numbers[1:][weights == 0.0] = 0
        numbers = np.maximum.accumulate(numbers)
    return numbers
