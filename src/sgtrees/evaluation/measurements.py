"""Models measured at points of a stream."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Measurement:
    """A model at one point of the stream.

    Attributes
    ----------
    window : dict from str to float
        The metrics over the point's window.
    total : dict from str to float
        The metrics over all rows so far; NaN for those that are computed for windows only.
    faded : dict from str to float or None
        The metrics with fading weights; None without fading.
    seconds : float
        The time that the model has taken so far, to predict and to learn.
    n_nodes, n_leaves, memory_bytes : int or None
        The model's size, if it has such attributes.

    Examples
    --------
    >>> measured = Measurement({"error": 0.2}, {"error": 0.25}, None, seconds=1.5, n_leaves=12)
    >>> measured.window["error"], measured.n_leaves
    (0.2, 12)
    """

    window: dict[str, float]
    total: dict[str, float]
    faded: dict[str, float] | None
    seconds: float
    n_nodes: int | None = None
    n_leaves: int | None = None
    memory_bytes: int | None = None

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the measurement with the fields of a JSON object."""
        metrics = {name: _numbers(values[name]) for name in ("window", "total", "faded")}
        return cls(**{**values, **metrics})


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the stream at which all models were measured.

    Attributes
    ----------
    rows : int
        The number of rows so far.
    window : int
        The number of rows in its window.
    models : dict from str to Measurement
        The measurements of the models.
    best_error : float or None
        The best possible error over the rows since the point before; None if it is unknown.

    Examples
    --------
    >>> measured = Measurement({"error": 0.2}, {"error": 0.25}, None, seconds=1.5)
    >>> point = Point(5000, 1000, {"tree": measured})
    >>> point.models["tree"].total["error"]
    0.25
    """

    rows: int
    window: int
    models: dict[str, Measurement]
    best_error: float | None = None

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the point with the fields of a JSON object."""
        models = {name: Measurement.from_dict(m) for name, m in values["models"].items()}
        return cls(**{**values, "models": models})


def _numbers(values: Mapping[str, float | None] | None) -> dict[str, float] | None:
    if values is None:
        return None
    return {name: math.nan if value is None else value for name, value in values.items()}
