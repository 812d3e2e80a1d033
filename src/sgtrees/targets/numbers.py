"""Targets of a regressor: one number for each row, or several."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse

from sgtrees.data.tables import has_columns
from sgtrees.targets.outputs import (
    Columns,
    Outputs,
    as_column,
    read_columns,
    values_in_order,
    without_columns,
)

# Squares of squares of targets, times weights, can be added up below it.
GREATEST_TARGET = 1e50


def read_targets(y: Any) -> NDArray[np.float64] | Columns:
    """Check the targets of a block: for each row a number of at most 1e50, or several of them.

    Examples
    --------
    >>> read_targets([1, 2.5])
    array([1. , 2.5])
    >>> read_targets([[1, 2.5]]).outputs.count
    2
    """
    if issparse(y):
        raise TypeError("y is sparse; give a regressor's targets as a dense array")
    if has_columns(y):
        columns = read_columns(y)
        _check_sizes(columns.values, columns.outputs)
        return columns
    array = as_column(y)
    if array.dtype.kind not in "biufO":
        raise ValueError(f"y is an array of {array.dtype}; a regressor's targets are numbers")
    try:
        targets = np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"y must hold numbers only: {error}") from None
    _check_sizes(targets, None)
    return targets


def arrange_targets(
    targets: NDArray[np.float64] | Columns, known: Outputs | None
) -> NDArray[np.float64]:
    """Return targets in the order of a model's outputs; refuse another number of them."""
    if known is None:
        return without_columns(targets)
    if isinstance(targets, Columns):
        return targets.arranged(known)
    if known.count == 1:
        return targets.reshape(-1, 1)
    raise ValueError(
        f"y has one value for each row, but the model has learned y of {known.describe()}; give "
        f"an array of shape (n_rows, {known.count})"
    )


def _check_sizes(targets: NDArray[np.float64], outputs: Outputs | None) -> None:
    right = np.abs(targets) <= GREATEST_TARGET
    if not right.all():
        row, *column = np.argwhere(~right)[0].tolist()
        target = targets[row, *column]
        where = f"row {row}" + (f", {outputs.title(column[0])}" if outputs is not None else "")
        if np.isfinite(target):
            raise ValueError(f"y is {target} in {where}; {_too_large()}")
        what = "NaN" if np.isnan(target) else "infinity"
        raise ValueError(f"Input y contains {what} in {where}; targets must be finite numbers")


def _too_large() -> str:
    return f"targets must be at most {GREATEST_TARGET:g} in size: use a larger unit"


def check_target(y: Any, name: object = None) -> float:
    """Check one target; ``name`` is its name if there are several.

    Examples
    --------
    >>> check_target(3)
    3.0
    """
    title = "y" if name is None else f"y[{name!r}]"
    if not isinstance(y, Real):
        raise TypeError(f"{title} must be a number, got {y!r}")
    target = float(y)
    if not np.isfinite(target):
        raise ValueError(f"{title} is {target}; a target must be a finite number")
    if abs(target) > GREATEST_TARGET:
        raise ValueError(f"{title} is {target}; {_too_large()}")
    return target


def check_targets(
    y: Mapping[Any, Any] | Sequence[Any] | NDArray[Any], known: Outputs | None
) -> tuple[NDArray[np.float64], Outputs]:
    """Check the targets of one event, if there are several.

    Examples
    --------
    >>> check_targets({"b": 2, "a": 1}, Outputs(2, ("a", "b")))[0]
    array([[1., 2.]])
    """
    if isinstance(y, AbstractSet):
        raise TypeError(
            "y is a set, which has no order; give a dictionary from names to targets, or a list"
        )
    values, outputs = values_in_order(y, known)
    named = zip(values, outputs.keys, strict=True)
    return np.array([[check_target(value, name) for value, name in named]]), outputs
