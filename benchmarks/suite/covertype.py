"""Covertype, shuffled, its 44 0/1 columns nominal, a committee of 6 trees: error and speed."""

from __future__ import annotations

from benchmarks import datasets
from benchmarks.figures import Bar, Figure, error_rate, ratio, speed
from benchmarks.isolation import measure
from benchmarks.peers import moa
from benchmarks.settings import Settings

NAME = "covertype"
SGT = "MOA StochasticGradientTree, re-splits off"
LEARNERS = {SGT: moa.SGT, "MOA HoeffdingTree": moa.HOEFFDING}


def run(settings: Settings) -> list[Figure]:
    settings.say("sgtrees")
    ours = measure("benchmarks.ours:covertype", rows=settings.rows, repeats=settings.repeats)
    peers = moa.measure_all(lambda: stream(settings.rows), LEARNERS, settings)
    return [
        error_rate(NAME, "sgtrees, error over all rows", ours, Bar("<=", 25.5)),
        speed(NAME, "sgtrees", ours),
        *(speed(NAME, peer, outcome) for peer, outcome in peers.items()),
        ratio(NAME, f"sgtrees / {SGT}", ours, peers[SGT], Bar(">=", 6)),
    ]


def stream(rows: int | None) -> datasets.Coded:
    table = datasets.frame("covtype", rows, shuffled=True)
    return datasets.coded(table, datasets.covertype_nominal(table))
