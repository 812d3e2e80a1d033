"""KDD'99, the 10 % file, shuffled, a committee of 22 trees: the error over all rows."""

from __future__ import annotations

from benchmarks import datasets
from benchmarks.figures import Bar, Figure, error_rate, speed
from benchmarks.isolation import measure
from benchmarks.peers import moa
from benchmarks.settings import Settings
from sgtrees_experiments.moa import NumericStream

NAME = "kdd99"
LEARNERS = {"MOA HoeffdingTree": moa.HOEFFDING}


def run(settings: Settings) -> list[Figure]:
    settings.say("sgtrees")
    ours = measure("benchmarks.ours:kdd99", rows=settings.rows, repeats=settings.repeats)
    peers = moa.measure_all(lambda: stream(settings.rows), LEARNERS, settings)
    return [
        error_rate(NAME, "sgtrees, error over all rows", ours, Bar("<=", 0.50)),
        speed(NAME, "sgtrees", ours),
        *(speed(NAME, peer, outcome) for peer, outcome in peers.items()),
    ]


def stream(rows: int | None) -> NumericStream:
    table = datasets.frame("kdd99_10pct", rows, shuffled=True)
    return datasets.coded(table, list(datasets.KDD99_NOMINAL))
