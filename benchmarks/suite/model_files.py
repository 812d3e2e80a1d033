"""Saving and loading a Covertype committee with its statistics: seconds, bytes and memory."""

from __future__ import annotations

from typing import Any

from benchmarks.figures import Bar, Figure, Unavailable, missing
from benchmarks.isolation import call
from benchmarks.settings import Settings

NAME = "model-files"
SECONDS = Bar("<=", 0.3)
SMALL = Bar("<=", 300)


def run(settings: Settings) -> list[Figure]:
    settings.say("saving and loading")
    found = call("benchmarks.ours:model_files", rows=settings.rows, repeats=settings.repeats)
    if isinstance(found, Unavailable):
        return [
            missing(NAME, "save, whole state", "s", found, SECONDS),
            missing(NAME, "load, whole state", "s", found, SECONDS),
            missing(NAME, "to predict only", "kB", found, SMALL),
        ]
    return _figures(found)


def _figures(found: dict[str, Any]) -> list[Figure]:
    size, leaves = found["bytes"], found["leaves"]
    # What any file may take, however damaged: see tests/fuzz.
    memory = Bar("<=", (2 * size + (16 << 20)) / 1e6)
    return [
        Figure(NAME, "save, whole state", found["save"], "s", SECONDS, f"{size / 1e6:.1f} MB"),
        Figure(NAME, "load, whole state", found["load"], "s", SECONDS),
        Figure(NAME, "bytes per leaf", size / leaves, "B", None, f"{leaves:,} leaves"),
        Figure(NAME, "memory of a load", found["rise"] / 1e6, "MB", memory, "peak, model included"),
        Figure(NAME, "to predict only", found["small"] / 1e3, "kB", SMALL),
    ]
