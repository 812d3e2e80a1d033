"""Regression, 500,000 x 13, beside MOA's regression trees; no bar."""

from __future__ import annotations

import numpy as np

from benchmarks import streams
from benchmarks.figures import Figure, speed
from benchmarks.isolation import measure
from benchmarks.peers import moa
from benchmarks.settings import Settings
from sgtrees_experiments.moa import NumericStream

NAME = "friedman"
ROWS = 500_000
LEARNERS = {
    "MOA StochasticGradientTree, re-splits off": moa.SGT,
    "MOA FIMT-DD": moa.FIMTDD,
    "MOA ORTO": moa.ORTO,
}


def run(settings: Settings) -> list[Figure]:
    rows = settings.capped(ROWS)
    settings.say("sgtrees")
    ours = measure("benchmarks.ours:friedman", rows=rows, repeats=settings.repeats)
    outcomes = {"sgtrees": ours, **moa.measure_all(lambda: stream(rows), LEARNERS, settings)}
    return [speed(NAME, name, outcome, measure="MAE") for name, outcome in outcomes.items()]


def stream(rows: int) -> NumericStream:
    X, y = streams.friedman(rows)
    return NumericStream(X.astype(np.float64), y, [0] * X.shape[1], classes=0)
