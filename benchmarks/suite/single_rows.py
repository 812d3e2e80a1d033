"""Single events from dictionaries of 28 values: predict_one, then learn_one."""

from __future__ import annotations

from benchmarks.figures import Bar, Figure, Unavailable, describe, missing
from benchmarks.isolation import measure
from benchmarks.settings import Settings

NAME = "single-rows"
ROWS = 50_000
FIGURE = "predict_one and learn_one together"
BAR = Bar("<=", 8)


def run(settings: Settings) -> list[Figure]:
    settings.say("sgtrees")
    rows = settings.capped(ROWS)
    ours = measure("benchmarks.ours:single_rows", rows=rows, repeats=settings.repeats)
    if isinstance(ours, Unavailable):
        return [missing(NAME, FIGURE, "us", ours, BAR)]
    return [Figure(NAME, FIGURE, 1e6 / ours.rows_per_second, "us", BAR, describe(ours))]
