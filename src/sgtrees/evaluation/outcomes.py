"""What was predicted for some rows, and what was true: all that a metric looks at."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Prediction:
    """What a model predicts for some rows.

    Attributes
    ----------
    values : ndarray of shape (n_rows,)
        Numbers, or class numbers; a class number of -1 where the model had nothing to go by.
    probabilities : ndarray of shape (n_rows, n_classes) or None
        The probability of each class number, where it is asked for.
    lower, upper : ndarray of shape (n_rows,) or None
        The ends of an interval that shall hold the target, where the model gives one.
    """

    values: NDArray[Any]
    probabilities: Floats | None = None
    lower: Floats | None = None
    upper: Floats | None = None


@dataclass(frozen=True)
class Outcome:
    """What was predicted for some rows beside what was true.

    Attributes
    ----------
    y : ndarray of shape (n_rows,)
        What was true: numbers, or class numbers.
    predicted : ndarray of shape (n_rows,)
        What was predicted.
    weights : ndarray of shape (n_rows,)
        How much each row counts.
    previous : ndarray of shape (n_rows,) or None
        The class number of the row before each, -1 for the first of all; None in regression.
    probabilities, lower, upper : ndarray or None
        See `Prediction`.

    Examples
    --------
    >>> outcome = Outcome(np.array([0, 1]), np.array([0, 0]), np.ones(2))
    >>> len(outcome), outcome.slice(1, 2).y.tolist()
    (2, [1])
    """

    y: NDArray[Any]
    predicted: NDArray[Any]
    weights: Floats
    previous: NDArray[np.int32] | None = None
    probabilities: Floats | None = None
    lower: Floats | None = None
    upper: Floats | None = None

    def __len__(self) -> int:
        return len(self.y)

    def slice(self, start: int, stop: int) -> Self:
        """Return the rows from ``start`` to before ``stop``."""
        return self._of(slice(start, stop))

    def where(self, rows: NDArray[np.bool_]) -> Self:
        """Return some rows."""
        return self if rows.all() else self._of(rows)

    def _of(self, rows: Any) -> Self:
        parts: dict[str, Any] = {}
        for field in fields(self):
            values = getattr(self, field.name)
            parts[field.name] = None if values is None else values[rows]
        return type(self)(**parts)


def join(outcomes: Sequence[Outcome]) -> Outcome:
    """Put outcomes one after the other; classes that came late had the probability 0 before."""
    if len(outcomes) == 1:
        return outcomes[0]
    parts: dict[str, Any] = {}
    for field in fields(Outcome):
        values = [getattr(outcome, field.name) for outcome in outcomes]
        if any(value is None for value in values):
            parts[field.name] = None
        elif field.name == "probabilities":
            width = max(value.shape[1] for value in values)
            parts[field.name] = np.concatenate([widened(value, width) for value in values])
        else:
            parts[field.name] = np.concatenate(values)
    return Outcome(**parts)


def widened(probabilities: Floats, n_classes: int) -> Floats:
    """Add columns of zeros up to a number of classes."""
    missing = n_classes - probabilities.shape[1]
    return np.pad(probabilities, ((0, 0), (0, missing))) if missing > 0 else probabilities
