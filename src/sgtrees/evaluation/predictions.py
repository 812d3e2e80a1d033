"""Predictions of models, alone and beside the true targets."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Prediction:
    """A model's predictions for some rows.

    Attributes
    ----------
    values : ndarray of shape (n_rows,)
        Numbers, or class numbers. NaN, or a class number of -1, if the model had learned nothing.
    probabilities : ndarray of shape (n_rows, n_classes) or None
        The probability of each class number, if it is needed.
    lower, upper : ndarray of shape (n_rows,) or None
        The ends of a prediction interval, if the model predicts one.
    """

    values: NDArray[Any]
    probabilities: Floats | None = None
    lower: Floats | None = None
    upper: Floats | None = None


@dataclass(frozen=True)
class PredictedRows:
    """The predictions for some rows beside their true targets: the input of a metric.

    Attributes
    ----------
    y : ndarray of shape (n_rows,)
        The true targets: numbers, or class numbers.
    predicted : ndarray of shape (n_rows,)
        The predictions.
    weights : ndarray of shape (n_rows,)
        The weights of the rows.
    previous : ndarray of shape (n_rows,) or None
        The class number of the row before each, -1 for the first of all; None in regression.
    probabilities, lower, upper : ndarray or None
        See `Prediction`.

    Examples
    --------
    >>> rows = PredictedRows(np.array([0, 1]), np.array([0, 0]), np.ones(2))
    >>> len(rows), rows.slice(1, 2).y.tolist()
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


def concatenate(parts: Sequence[PredictedRows]) -> PredictedRows:
    """Concatenate rows; classes that were new later had the probability 0 before."""
    return parts[0] if len(parts) == 1 else PredictedRows(**_joined(parts))


def join_predictions(parts: Sequence[Prediction]) -> Prediction:
    """Concatenate predictions; classes that were new later had the probability 0 before.

    Examples
    --------
    >>> join_predictions([Prediction(np.array([1.0])), Prediction(np.array([2.0]))]).values
    array([1., 2.])
    """
    return parts[0] if len(parts) == 1 else Prediction(**_joined(parts))


def _joined(parts: Sequence[PredictedRows] | Sequence[Prediction]) -> dict[str, Any]:
    columns: dict[str, Any] = {}
    for field in fields(parts[0]):
        values = [getattr(part, field.name) for part in parts]
        if any(value is None for value in values):
            columns[field.name] = None
        elif field.name == "probabilities":
            n_classes = max(value.shape[1] for value in values)
            columns[field.name] = np.concatenate([_padded(value, n_classes) for value in values])
        else:
            columns[field.name] = np.concatenate(values)
    return columns


def _padded(probabilities: Floats, n_classes: int) -> Floats:
    missing = n_classes - probabilities.shape[1]
    return np.pad(probabilities, ((0, 0), (0, missing))) if missing > 0 else probabilities


def predicted_rows(
    y: NDArray[Any],
    previous: NDArray[np.int32] | None,
    weights: Floats,
    predictions: Sequence[Prediction],
) -> PredictedRows:
    """Return predictions beside the true targets, without the rows that have no prediction."""
    parts = []
    start = 0
    for prediction in predictions:
        stop = start + len(prediction.values)
        rows = slice(start, stop)
        part = PredictedRows(
            y[rows],
            prediction.values,
            weights[rows],
            None if previous is None else previous[rows],
            prediction.probabilities,
            prediction.lower,
            prediction.upper,
        )
        is_number = prediction.values.dtype.kind == "f"
        known = ~np.isnan(prediction.values) if is_number else prediction.values >= 0
        parts.append(part.where(known))
        start = stop
    return concatenate(parts)
