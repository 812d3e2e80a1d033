"""What the server answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Prediction:
    """The predictions of a request.

    Attributes
    ----------
    predictions : list
        One for each row; None before anything has been learned.
    ids : list of str or None
        Under which the rows wait for their labels; None if they do not.
    probabilities : list of dict or None
        The probability of each label for each row, if it was asked for.

    Examples
    --------
    >>> Prediction(["apple", "cherry"], ["a", "b"]).ids
    ['a', 'b']
    """

    predictions: list[Any]
    ids: list[str] | None = None
    probabilities: list[dict[str, float]] | None = None


@dataclass(frozen=True)
class Learned:
    """What became of rows.

    Attributes
    ----------
    learned, repeated : int
        How many rows were learned, and how many the server had learned before under their ids.
    model_rows : int
        How many rows the model has learned in all.
    predictions : list or None
        What was predicted just before each row was learned; None if it was not asked for, and for
        a request that was learned before its reply was lost.

    Examples
    --------
    >>> Learned(learned=2, repeated=0, model_rows=5).model_rows
    5
    """

    learned: int
    repeated: int
    model_rows: int
    predictions: list[Any] | None = None


@dataclass(frozen=True)
class Health:
    """What the server can do now.

    Attributes
    ----------
    predict, learn : bool
        Whether rows can be predicted, and learned.
    reason : str or None
        Why nothing can be learned.

    Examples
    --------
    >>> Health(predict=True, learn=False, reason="the disk is full").reason
    'the disk is full'
    """

    predict: bool
    learn: bool
    reason: str | None = None


def read_prediction(reply: dict[str, Any], rows: int) -> Prediction:
    """Read the reply of ``/predict``."""
    predictions = _of_length(reply["predictions"], rows)
    return Prediction(list(predictions), reply.get("ids"), reply.get("probabilities"))


def read_learned(reply: dict[str, Any]) -> Learned:
    """Read the reply of ``/learn``, ``/learn_predict`` and ``/labels``."""
    return Learned(
        reply["learned"], reply["repeated"], reply["model_rows"], reply.get("predictions")
    )


def read_health(reply: dict[str, Any]) -> Health:
    """Read the reply of ``/ready``."""
    return Health(reply["predict"], reply["learn"], reply.get("reason"))


def _of_length(values: Sequence[Any], rows: int) -> Sequence[Any]:
    if len(values) != rows:
        raise ValueError(f"{len(values)} predictions of {rows} rows")
    return values
