"""The eight real streams of classes, shuffled, against the figures that were kept before."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from benchmarks.accuracy.streams import STREAMS
from benchmarks.figures import Bar, Figure
from benchmarks.keeping_up.context import Context
from benchmarks.keeping_up.figures import figure, skipped, tried

BEFORE = Path(__file__).resolve().parent / "before.json"
_STREAMS = [s.name for s in STREAMS.values() if s.classification and s.in_bars]
_MEASURES = ("error", "log_loss")
_MOST = {"error": 1.01, "log_loss": 1.0}

Figures = dict[str, dict[str, dict[str, float]]]  # by stream and shuffle: error and log loss


def run(context: Context) -> list[Figure]:
    """Return error and log loss by those before."""
    if not BEFORE.exists():
        return [skipped("shuffled", "x", "no before.json; --keep writes one")]
    before: Figures = json.loads(BEFORE.read_text())
    return [figure for name in _STREAMS for figure in _against(context, name, before)]


def keep(context: Context) -> None:
    """Write the figures that later ones are compared with."""
    measured = {name: measure(context, name) for name in _STREAMS}
    BEFORE.write_text(json.dumps(measured, indent=1) + "\n")


def measure(context: Context, name: str) -> dict[str, dict[str, float]]:
    """Return error and log loss of each shuffle."""
    return {
        str(seed): {
            key: value
            for key, value in context.ours(STREAMS[name], order=str(seed)).measures.items()
            if key in _MEASURES
        }
        for seed in context.seeds
    }


def _against(context: Context, name: str, before: Figures) -> list[Figure]:
    found: list[Figure] = []

    def compare() -> Figure:
        now = measure(context, name)
        for key in _MEASURES:
            new, old = (np.mean([of[seed][key] for seed in now]) for of in (now, before[name]))
            note = f"{new:.5f}, was {old:.5f}"
            bar = Bar("<=", _MOST[key])
            found.append(figure(f"{name}, {key}", float(new / old), "x", bar, note))
        return found.pop()

    last = tried(f"{name}, error and log loss", "x", compare)
    return [*found, last]
