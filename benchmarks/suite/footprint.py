"""The import time of the package, without scikit-learn's, and the size of its wheel."""

from __future__ import annotations

from benchmarks.figures import Bar, Figure, Unavailable, missing
from benchmarks.isolation import call
from benchmarks.settings import Settings

NAME = "footprint"
IMPORT_BAR = Bar("<=", 0.5)
WHEEL_BAR = Bar("<=", 3)


def run(settings: Settings) -> list[Figure]:
    settings.say("import")
    modules = call("benchmarks.footprint:scikit_learn_modules")
    beyond = modules
    if not isinstance(modules, Unavailable):
        beyond = _import(modules, settings)
    whole = _import([], settings)
    settings.say("wheel")
    return [
        _seconds("import, without scikit-learn's own", beyond, IMPORT_BAR),
        _seconds("import, whole", whole, None),
        _wheel(),
    ]


def _import(beforehand: list[str], settings: Settings) -> float | Unavailable:
    seconds: list[float] = []
    for _ in range(settings.repeats):
        result = call("benchmarks.footprint:import_seconds", beforehand=beforehand)
        if isinstance(result, Unavailable):
            return result
        seconds.append(result["seconds"])
    return min(seconds)


def _seconds(name: str, value: float | Unavailable, bar: Bar | None) -> Figure:
    if isinstance(value, Unavailable):
        return missing(NAME, name, "s", value, bar)
    return Figure(NAME, name, value, "s", bar)


def _wheel() -> Figure:
    result = call("benchmarks.footprint:wheel")
    if isinstance(result, Unavailable):
        return missing(NAME, "wheel", "MB", result, WHEEL_BAR)
    return Figure(NAME, "wheel", result["bytes"] / 1e6, "MB", WHEEL_BAR, result["name"])
