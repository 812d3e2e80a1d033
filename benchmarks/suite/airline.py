"""Flight delays, 3,000,000 rows of a data frame in memory: regression speed, and memory."""

from __future__ import annotations

from benchmarks.figures import Bar, Figure, Unavailable, missing, speed
from benchmarks.isolation import call, measure
from benchmarks.settings import Settings

NAME = "airline"
MEMORY = "sgtrees, rise of the peak memory"
MEMORY_BAR = Bar("<=", 1000)


def run(settings: Settings) -> list[Figure]:
    settings.say("sgtrees, speed")
    ours = measure("benchmarks.ours:airline", rows=settings.rows, repeats=settings.repeats)
    settings.say("sgtrees, memory")
    memory = call("benchmarks.ours:airline_memory", rows=settings.rows)
    return [speed(NAME, "sgtrees", ours, Bar(">=", 1e6), measure="MAE"), _memory(memory)]


def _memory(result: dict[str, int] | Unavailable) -> Figure:
    if isinstance(result, Unavailable):
        return missing(NAME, MEMORY, "MB", result, MEMORY_BAR)
    note = f"over {result['rows']:,} rows, beyond the data frame"
    return Figure(NAME, MEMORY, result["bytes"] / 1e6, "MB", MEMORY_BAR, note)
