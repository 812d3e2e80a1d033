"""The values of losses: what rows lose at raw scores."""

import numpy as np

from sgtrees.losses.base import Loss, has_scale, has_value, in_shape_of, with_scale
from sgtrees.losses.built_in.base import BuiltInLoss
from sgtrees.losses.derivatives import Floats

GREATEST_LOG_LOSS = -float(np.log(1e-4))
"""The greatest loss of a row's class: no probability counts as less than 1e-4."""


def losses_of_rows(loss: Loss, y: Floats, raw: Floats, scales: Floats) -> Floats:
    """Return the loss of each row, summed over its outputs.

    Under the losses of classes that the library has, no output loses more than `GREATEST_LOG_LOSS`:
    so no row decides alone about members and passes.

    Parameters
    ----------
    loss : Loss
        The loss.
    y, raw : ndarray of shape (n,) or (n, n_outputs)
        Targets and raw scores.
    scales : ndarray of shape (n_outputs,)
        The scale of each output, if the loss has one.

    Raises
    ------
    ValueError
        If the loss has derivatives only.

    Examples
    --------
    >>> from sgtrees.losses import SquaredError
    >>> losses_of_rows(SquaredError(), np.array([1.0, 2.0]), np.array([1.0, 5.0]), np.zeros(1))
    array([0. , 4.5])
    >>> from sgtrees.losses import Exponential
    >>> losses_of_rows(Exponential(), np.ones(2), np.array([0.0, -9.0]), np.zeros(1)).round(2)
    array([1.  , 9.21])
    """
    if not has_value(loss):
        raise ValueError(
            f"n_iter_no_change compares losses of rows, and {loss!r} has no value(y, raw); "
            "give the loss one, or leave n_iter_no_change at None"
        )
    if loss.is_joint:
        of_rows = with_scale(loss, scales) if has_scale(loss) else loss
        values = np.asarray(of_rows.value(in_shape_of(loss, y), in_shape_of(loss, raw)))
        of_each: Floats = values.reshape(len(y), -1).sum(axis=1)
        return of_each
    is_of_classes = isinstance(loss, BuiltInLoss) and loss.is_for_classes
    greatest = GREATEST_LOG_LOSS if is_of_classes else np.inf
    total = np.zeros(len(y))
    columns = zip(y.reshape(len(y), -1).T, raw.reshape(len(y), -1).T, scales, strict=True)
    for targets, scores, scale in columns:
        of_output = with_scale(loss, float(scale)) if has_scale(loss) else loss
        values = of_output.value(np.ascontiguousarray(targets), np.ascontiguousarray(scores))
        total += np.minimum(values, greatest)
    return total
