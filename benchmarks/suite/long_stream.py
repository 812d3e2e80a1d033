"""Eight times as many rows of the same stream: a large tree must not slow learning down."""

from __future__ import annotations

from benchmarks.figures import Bar, Figure, ratio, speed
from benchmarks.isolation import measure
from benchmarks.settings import Settings
from benchmarks.suite import collider

NAME = "long-stream"
TIMES = 8


def run(settings: Settings) -> list[Figure]:
    rows = settings.capped(collider.ROWS)
    outcomes = []
    for length in (rows, TIMES * rows):
        settings.say(f"sgtrees, {length:,} rows")
        arguments = {"rows": length, "repeats": settings.repeats}
        outcomes.append(measure("benchmarks.ours:collider", **arguments))
    short, long = outcomes
    return [
        speed(NAME, "sgtrees", long),
        ratio(NAME, "long stream / short stream", long, short, Bar(">=", 0.5)),
    ]
