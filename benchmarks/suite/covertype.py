"""Covertype, shuffled, its 44 0/1 columns nominal: a committee of 6 trees, and vector leaves."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks import datasets
from benchmarks.figures import Bar, Figure, Outcome, error_rate, ratio, speed
from benchmarks.isolation import measure
from benchmarks.peers import moa
from benchmarks.settings import Settings
from sgtrees_experiments.moa import NumericStream

NAME = "covertype"
SGT = "MOA StochasticGradientTree, re-splits off"
LEARNERS = {SGT: moa.SGT, "MOA HoeffdingTree": moa.HOEFFDING}


def run(settings: Settings) -> list[Figure]:
    ours = {}
    for multiclass in ("committee", "vector"):
        settings.say(f"sgtrees, {multiclass}")
        ours[multiclass] = measure(
            "benchmarks.ours:covertype",
            rows=settings.rows,
            repeats=settings.repeats,
            multiclass=multiclass,
        )
    peers = moa.measure_all(lambda: stream(settings.rows), LEARNERS, settings)
    return [
        *_figures("sgtrees, committee", ours["committee"], peers[SGT], most_error=25.5, least=6),
        *_figures("sgtrees, vector leaves", ours["vector"], peers[SGT], most_error=26.0, least=25),
        *(speed(NAME, peer, outcome) for peer, outcome in peers.items()),
    ]


def _figures(
    name: str, ours: Outcome, peer: Outcome, most_error: float, least: float
) -> Iterator[Figure]:
    yield error_rate(NAME, f"{name}: error over all rows", ours, Bar("<=", most_error))
    yield speed(NAME, name, ours)
    yield ratio(NAME, f"{name} / {SGT}", ours, peer, Bar(">=", least))


def stream(rows: int | None) -> NumericStream:
    table = datasets.frame("covtype", rows, shuffled=True)
    return datasets.coded(table, datasets.covertype_nominal(table))
