"""Generated streams: with drifts, abrupt, gradual or without end, and the like without any."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np

from benchmarks.accuracy.streams import StudyStream
from sgtrees.streams import Agrawal, Drift, Generator, Hyperplane, Led, RandomRbf, Sea
from sgtrees_experiments.moa import NumericStream

ROWS = 200_000
GRADUAL = 10_000  # rows, between the probabilities 0.12 and 0.88 of the later stream


def generated(name: str, make: Callable[[], Generator], rows: int = ROWS) -> StudyStream:
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

    return StudyStream(name, bool(make().target.nominal), read, in_bars=False)


def in_turn(concepts: list[Generator], width: int = 0, rows: int = ROWS) -> Generator:
    """Return the concepts one after the other, for equally many rows each."""
    length = rows // len(concepts)
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


def _rbf(speed: float) -> Generator:
    return RandomRbf(n_classes=5, speed=speed, seed=5)


def _by_name(*streams: StudyStream) -> dict[str, StudyStream]:
    return {stream.name: stream for stream in streams}


DRIFTING = _by_name(
    generated("agrawal abrupt", lambda: in_turn(_agrawal())),
    generated("agrawal gradual", lambda: in_turn(_agrawal(), GRADUAL)),
    generated("led abrupt", lambda: in_turn(_led())),
    generated("led gradual", lambda: in_turn(_led(), GRADUAL)),
    generated("sea abrupt", lambda: in_turn(_sea())),
    generated("rbf slow", lambda: _rbf(1e-4)),
    generated("rbf fast", lambda: _rbf(1e-3)),
    generated("hyperplane", lambda: Hyperplane(n_drifting=10, seed=7)),
)
STATIONARY = _by_name(
    generated("agrawal still", lambda: Agrawal(1, seed=1)),
    generated("led still", lambda: Led(seed=1)),
    generated("sea still", lambda: Sea(seed=1)),
    generated("rbf still", lambda: _rbf(0.0)),
    generated("hyperplane still", lambda: Hyperplane(seed=7)),
)
