"""Log loss written in Python, in blocks of 8,192 rows, beside the built-in one, 500,000 x 28."""

from __future__ import annotations

from benchmarks.figures import Bar, Figure, ratio, speed
from benchmarks.isolation import measure
from benchmarks.own_losses import BUILT_IN, JAX, NUMPY
from benchmarks.settings import Settings
from benchmarks.suite import collider

NAME = "own-losses"
BLOCK_ROWS = 8192
BARS = {NUMPY: Bar(">=", 0.2), JAX: Bar(">=", 0.1)}


def run(settings: Settings) -> list[Figure]:
    rows = settings.capped(collider.ROWS)
    outcomes = {}
    for loss in (BUILT_IN, *BARS):
        settings.say(f"sgtrees, {loss}")
        outcomes[loss] = measure(
            "benchmarks.ours:collider_in_blocks",
            rows=rows,
            repeats=settings.repeats,
            block_rows=BLOCK_ROWS,
            loss=loss,
        )
    figures = [speed(NAME, f"{loss} log loss", outcome) for loss, outcome in outcomes.items()]
    for loss, bar in BARS.items():
        figures.append(ratio(NAME, f"{loss} / {BUILT_IN}", outcomes[loss], outcomes[BUILT_IN], bar))
    return figures
