"""Numbers to be predicted by a regressor."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import column_or_1d


def read_targets(y: Any) -> NDArray[np.float64]:
    """Check the targets of a block: a finite number for each row.

    Examples
    --------
    >>> read_targets([1, 2.5])
    array([1. , 2.5])
    """
    array = column_or_1d(y, warn=True)
    if array.dtype.kind not in "biufO":
        raise ValueError(f"y is an array of {array.dtype}; a regressor's targets are numbers")
    try:
        targets = np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must hold numbers only: {error}") from None
    finite = np.isfinite(targets)
    if not finite.all():
        row = int(finite.argmin())
        what = "NaN" if np.isnan(targets[row]) else "infinity"
        raise ValueError(f"Input y contains {what} in row {row}; targets must be finite numbers")
    return targets


def check_target(y: Any) -> float:
    """Check one target.

    Examples
    --------
    >>> check_target(3)
    3.0
    """
    if not isinstance(y, Real):
        raise TypeError(f"y must be a number, got {y!r}")
    target = float(y)
    if not np.isfinite(target):
        raise ValueError(f"y is {target}; a target must be a finite number")
    return target
