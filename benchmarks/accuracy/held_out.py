"""Streams on which no setting was chosen: made up, with and without drift, and river's examples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from river import datasets

from benchmarks.accuracy.generated import generated
from benchmarks.accuracy.streams import StudyStream
from sgtrees.streams import Agrawal, Drift, Friedman, Generator, Hyperplane, Led, RandomRbf, Sea
from sgtrees_experiments.moa import NumericStream

_ROWS = 50_000


def _made(name: str, generator: Callable[[], Generator]) -> StudyStream:
    return generated(name, generator, _ROWS)


def _of_river(name: str, make: Callable[[], datasets.base.Dataset], classes: int) -> StudyStream:
    def read() -> NumericStream:
        rows, targets = zip(*make(), strict=True)
        names = [key for key, value in rows[0].items() if isinstance(value, int | float)]
        X = np.array([[float(row[key]) for key in names] for row in rows])
        y = np.unique(targets, return_inverse=True)[1] if classes else np.array(targets)
        return NumericStream(X, y.astype(np.float64), [0] * len(names), classes)

    return StudyStream(name, bool(classes), read, in_bars=False)


def _turned(before: Generator, after: Generator) -> Generator:
    return Drift(before, after, at=_ROWS // 2, width=1000)


HELD_OUT: dict[str, StudyStream] = {
    stream.name: stream
    for stream in (
        _made("sea", Sea),
        _made("sea, drift", lambda: _turned(Sea(0), Sea(3, seed=1))),
        _made("agrawal 7", lambda: Agrawal(7)),
        _made("agrawal, drift", lambda: _turned(Agrawal(1), Agrawal(4, seed=1))),
        _made("led", Led),
        _made("led, drift", lambda: _turned(Led(), Led(n_swapped=4, seed=1))),
        _made("random rbf", RandomRbf),
        _made("hyperplane", Hyperplane),
        _made("hyperplane, drift", lambda: Hyperplane(n_drifting=5)),
        _of_river("phishing", datasets.Phishing, 2),
        _of_river("image segments", datasets.ImageSegments, 7),
        _made("friedman 1", Friedman),
        _made("friedman, drift", lambda: _turned(Friedman(0), Friedman(2, seed=1))),
        _of_river("trump approval", datasets.TrumpApproval, 0),
        _of_river("chick weights", datasets.ChickWeights, 0),
    )
}
