"""Generated streams: with drifts, abrupt, gradual or without end, and the like without any."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from benchmarks.accuracy.streams import StudyStream
from sgtrees.streams import (
    Agrawal,
    Drift,
    Friedman,
    Generator,
    Hyperplane,
    Led,
    RandomRbf,
    RandomTree,
    Sea,
)
from sgtrees_experiments.moa import NumericStream

ROWS = 200_000
# Of all rows those between the probabilities 0.12 and 0.88 of the later stream.
_GRADUAL = 0.05


def generated(
    name: str, make: Callable[[], Generator], rows: int = ROWS, variant: str = ""
) -> StudyStream:
    """Return a stream whose rows a generator makes; their own order is the only one."""

    def read() -> NumericStream:
        source = make()
        block = source.take(rows)
        labels = source.target.categories or ()
        y = np.asarray(block.y)
        if labels:
            y = np.unique(y, return_inverse=True)[1]
        cardinalities = [len(column.categories or ()) for column in source.columns]
        X = np.asarray(block.X, dtype=np.float64)
        return NumericStream(X, y.astype(np.float64), cardinalities, len(labels))

    nominal = bool(make().target.nominal)
    return StudyStream(name, nominal, read, in_bars=False, variant=variant)


def drifting(rows: int = ROWS) -> dict[str, StudyStream]:
    """Return the eight streams with drifts that HAT is measured on."""
    return _streams(
        rows,
        {
            "agrawal abrupt": lambda: _in_turn(_agrawal(), rows),
            "agrawal gradual": lambda: _in_turn(_agrawal(), rows, _GRADUAL),
            "led abrupt": lambda: _in_turn(_led(), rows),
            "led gradual": lambda: _in_turn(_led(), rows, _GRADUAL),
            "sea abrupt": lambda: _in_turn(_sea(), rows),
            "rbf slow": lambda: _rbf(1e-4),
            "rbf fast": lambda: _rbf(1e-3),
            "hyperplane moving": lambda: Hyperplane(n_drifting=10, seed=7),
        },
    )


def stationary(rows: int = ROWS) -> dict[str, StudyStream]:
    """Return streams in which nothing changes."""
    return _streams(
        rows,
        {
            "agrawal still": lambda: Agrawal(1, seed=1),
            "led still": lambda: Led(seed=1),
            "sea still": lambda: Sea(seed=1),
            "rbf still": lambda: _rbf(0.0),
            "hyperplane still": lambda: Hyperplane(seed=7),
            "random tree still": lambda: RandomTree(n_classes=3, noise=0.05, seed=2),
        },
    )


def more(rows: int = ROWS) -> dict[str, StudyStream]:
    """Return further drifts, of classes and of numbers, and numbers without a drift."""
    return _streams(
        rows,
        {
            "sea gradual": lambda: _in_turn(_sea(), rows, _GRADUAL),
            "random tree abrupt": lambda: _in_turn(_trees(), rows),
            "random tree gradual": lambda: _in_turn(_trees(), rows, _GRADUAL),
            "friedman abrupt": lambda: _in_turn(_friedman(), rows),
            "friedman gradual": lambda: _in_turn(_friedman(), rows, _GRADUAL),
            "friedman still": lambda: Friedman(seed=1),
        },
    )


def all_generated(rows: int = ROWS) -> dict[str, StudyStream]:
    """Return the generated streams of the study."""
    return drifting(rows) | more(rows) | stationary(rows)


def _streams(rows: int, makers: dict[str, Callable[[], Generator]]) -> dict[str, StudyStream]:
    variant = "" if rows == ROWS else f"{rows}"
    return {name: generated(name, make, rows, variant) for name, make in makers.items()}


def _in_turn(concepts: list[Generator], rows: int, gradual: float = 0.0) -> Generator:
    """Return the concepts one after the other, for equally many rows each."""
    length, width = rows // len(concepts), int(gradual * rows)
    stream = concepts[0]
    for number, (_, after) in enumerate(pairwise(concepts), start=1):
        stream = Drift(stream, after, at=number * length, width=width, seed=number)
    return stream


def _agrawal() -> list[Generator]:
    return [Agrawal(function, seed=function) for function in (1, 2, 3, 4)]


def _led() -> list[Generator]:
    return [Led(n_swapped=n, seed=n) for n in (0, 3, 1, 5)]


def _sea() -> list[Generator]:
    return [Sea(concept, seed=concept) for concept in (0, 3, 1, 2)]


def _trees() -> list[Generator]:
    return [RandomTree(n_classes=3, noise=0.05, seed=seed) for seed in (2, 3, 4, 5)]


def _friedman() -> list[Generator]:
    return [Friedman(drift, seed=drift) for drift in (0, 2, 1, 3)]


def _rbf(speed: float) -> Generator:
    return RandomRbf(n_classes=5, speed=speed, seed=5)
