"""What a loss answers, checked for its form."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]


class LossError(RuntimeError):
    """A loss gave what is no gradient and hessian, no start, or no scale."""


def read_pair(answer: Any, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Check the form of what a loss returned: a pair of arrays, as the raw scores are.

    Parameters
    ----------
    answer : object
        What it returned.
    shape : tuple of int
        The shape of the raw scores: (n_rows,), or (n_rows, n_outputs) for a joint loss.

    Examples
    --------
    >>> read_pair((np.zeros(3), 1.0), (3,))
    Traceback (most recent call last):
    sgtrees.losses.answers.LossError: the hessian is a single number; one for each row is needed \
(np.full_like(raw, h))
    """
    if not isinstance(answer, tuple | list) or len(answer) != 2:
        got = f"{len(answer)} values" if isinstance(answer, tuple | list) else type(answer).__name__
        raise LossError(f"a loss must return a pair: gradients and hessians; it returned {got}")
    g, h = answer
    return _read(g, "gradient", shape), _read(h, "hessian", shape)


def _read(values: Any, what: str, shape: tuple[int, ...]) -> Floats:
    array = np.asarray(values)
    for_each = "one for each row" if len(shape) == 1 else "one for each row and output"
    if array.dtype.kind not in "fiub":
        raise LossError(f"the {what} is an array of {array.dtype}; floats are needed")
    if array.ndim == 0:
        raise LossError(
            f"the {what} is a single number; {for_each} is needed (np.full_like(raw, {what[0]}))"
        )
    if array.shape != shape:
        raise LossError(
            f"the {what} has the shape {array.shape} for {shape[0]} rows; it must be {shape}, "
            f"{for_each.replace('one', 'one number', 1)}"
        )
    return np.ascontiguousarray(array, dtype=np.float64)
