"""Gradients and hessians as a loss returns them, checked for their form."""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sgtrees.losses.errors import LossError

Floats: TypeAlias = NDArray[np.float64]

# The core adds up squares of them, times weights.
GREATEST = 1e100


def read_derivatives(returned: Any, shape: tuple[int, ...]) -> tuple[Floats, Floats]:
    """Return gradients and hessians as arrays of floats, of the shape of the raw scores.

    Parameters
    ----------
    returned : object
        What the loss returned.
    shape : tuple of int
        The shape of the raw scores: (n_rows,), or (n_rows, n_outputs) for a joint loss.

    Examples
    --------
    >>> read_derivatives((np.zeros(3), 1.0), (3,))
    Traceback (most recent call last):
    sgtrees.losses.errors.LossError: the hessian is a single number; one for each row is needed \
(np.full_like(raw, h))
    """
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        is_sequence = isinstance(returned, tuple | list)
        got = f"{len(returned)} values" if is_sequence else type(returned).__name__
        raise LossError(f"a loss must return a pair: gradients and hessians; it returned {got}")
    g, h = returned
    return _read(g, "gradient", shape), _read(h, "hessian", shape)


def _read(values: Any, what: str, shape: tuple[int, ...]) -> Floats:
    if values is None:
        raise LossError(
            f"the loss returned no {what} (None); trees need gradients and hessians of each row"
        )
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
