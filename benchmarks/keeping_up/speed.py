"""What following, detector and the watch over ranges cost in time and memory."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from benchmarks import streams as synthetic
from benchmarks.accuracy.streams import STREAMS
from benchmarks.figures import Bar, Figure
from benchmarks.keeping_up.context import (
    ALL_OFF,
    Context,
    Settings,
    exists,
    say,
)
from benchmarks.keeping_up.figures import figure, skipped, tried

_MOST_TIME = 1.2
_MOST_MEMORY = 1.2
_BIN28_ROWS = 500_000
# The best of so many counts: bin28 takes a fraction of a second, covtype some.
_TURNS = {"bin28": 20, "covtype": 5}


def run(context: Context) -> list[Figure]:
    """Return CPU time, and memory, by those with all of it off."""
    off = {name: value for name, value in ALL_OFF.items() if exists({name: value})}
    if not off:
        return [skipped("time and memory", "x", f"none of {', '.join(ALL_OFF)} is a parameter")]
    return [*_bin28(context, off), *_covtype(context, off)]


def _bin28(context: Context, off: Settings) -> list[Figure]:
    X, y = synthetic.collider(_BIN28_ROWS // (5 if context.quick else 1))
    return _compared("bin28", context, X.astype(np.float64), y, {}, off)


def _covtype(context: Context, off: Settings) -> list[Figure]:
    found: list[Figure] = []

    def compare() -> Figure:
        whole = STREAMS["covtype"].files(context.folder).read()
        rows = slice(100_000 if context.quick else None)
        X, y = np.ascontiguousarray(whole.X[rows]), np.array(whole.y[rows]).astype(np.int64)
        given = {"categorical_features": whole.nominal}
        found.extend(_compared("covtype", context, X, y, given, off))
        return found.pop()

    last = tried("covtype, time and memory", "x", compare)
    return [*found, last]


def _compared(
    name: str, context: Context, X: Any, y: Any, given: Settings, off: Settings
) -> list[Figure]:
    best = {"on": np.inf, "off": np.inf}
    memory = {}
    for turn in range(2 if context.quick else _TURNS[name]):
        for which, settings in (("on", given), ("off", given | off)):
            say(f"{name}, turn {turn}, {which}")
            model = context.model(settings, classification=True)
            began = time.process_time()
            model.learn_predict(X, y)
            best[which] = min(best[which], time.process_time() - began)
            memory[which] = model.memory_bytes_
    note = f"{best['on']:.2f} s, all off {best['off']:.2f} s ({', '.join(off)})"
    sizes = f"{memory['on'] / 1e6:.1f} MB, all off {memory['off'] / 1e6:.1f} MB"
    ratios = best["on"] / best["off"], memory["on"] / memory["off"]
    return [
        figure(f"{name}, time", ratios[0], "x", Bar("<=", _MOST_TIME), note),
        figure(f"{name}, memory", ratios[1], "x", Bar("<=", _MOST_MEMORY), sizes),
    ]
