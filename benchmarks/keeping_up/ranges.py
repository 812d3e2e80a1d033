"""Features whose ranges are not those of the first rows, and the credit scores of gmsc."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from benchmarks.accuracy.streams import STREAMS, order_of
from benchmarks.figures import Bar, Figure
from benchmarks.keeping_up.context import Context, say
from benchmarks.keeping_up.figures import figure, tried

Floats = NDArray[np.float64]
Rows = tuple[Floats, Floats]

_ROWS = 20_000
_STAMPED_ROWS = 100_000
_LEAST_R2 = 0.9
_LEAST_AUC = 0.85


def shifted() -> Rows:
    """Return a feature whose scale is another after row 1,000."""
    place, y, rest = _signal(1)
    x = np.where(np.arange(_ROWS) < 1_000, place, 100.0 + 1_000.0 * place)
    return np.column_stack([x, rest]), y


def outlier() -> Rows:
    """Return a feature with one huge value among the first rows."""
    place, y, rest = _signal(2)
    place[5] = 1e9
    return np.column_stack([place, rest]), y


def log_normal() -> Rows:
    """Return a feature with a long tail, of which the logarithm matters."""
    rng = np.random.default_rng(3)
    z = rng.normal(size=_ROWS)
    y = 5.0 * np.tanh(2.0 * z) + 0.3 * rng.normal(size=_ROWS)
    return np.column_stack([np.exp(3.0 * z), rng.random((_ROWS, 2))]), y


def time_stamp() -> Rows:
    """Return rows that come up to 5,000 late, with a level for every 5,000 stamps.

    At any time rows of two levels come mixed: only the stamp, which grows without bound, tells
    them apart.
    """
    rng = np.random.default_rng(4)
    stamp = np.arange(_STAMPED_ROWS) - rng.integers(5_000, size=_STAMPED_ROWS)
    levels = rng.normal(size=_STAMPED_ROWS // 5_000 + 1) * 5.0
    y = levels[stamp // 5_000] + 0.3 * rng.normal(size=_STAMPED_ROWS)
    return np.column_stack([1.7e9 + stamp, rng.random((_STAMPED_ROWS, 2))]), y


def _signal(seed: int) -> tuple[Floats, Floats, Floats]:
    """Return a place in the unit interval, a wave over it with noise, and two idle features."""
    rng = np.random.default_rng(seed)
    place = rng.random(_ROWS)
    y = 5.0 * np.sin(6.0 * place) + 0.3 * rng.normal(size=_ROWS)
    return place, y, rng.random((_ROWS, 2))


STREAMS_OF_RANGES: dict[str, Callable[[], Rows]] = {
    "scale shifts": shifted,
    "one outlier": outlier,
    "log-normal": log_normal,
    "time stamp": time_stamp,
}


def run(context: Context) -> list[Figure]:
    """Return R2 over the second half of each, and the area under the curve of gmsc."""
    found = [_r2(context, name, make) for name, make in STREAMS_OF_RANGES.items()]
    return [*found, tried("gmsc, AUC", "", _auc, context)]


def _r2(context: Context, name: str, make: Callable[[], Rows]) -> Figure:
    say(name)
    X, y = make()
    predicted = context.model(classification=False).learn_predict(X, y)
    half = slice(len(y) // 2, None)
    value = 1.0 - float(np.mean((predicted[half] - y[half]) ** 2) / np.var(y[half]))
    return figure(f"{name}, R2", value, "", Bar(">=", _LEAST_R2))


def _auc(context: Context) -> Figure:
    """One pass over three quarters, then the last one; the mean over the shuffles."""
    whole = STREAMS["gmsc"].files(context.folder).read()
    found = {}
    for seed in range(2 if context.quick else 5):
        say(f"gmsc, AUC, shuffle {seed}")
        rows = order_of(str(seed), len(whole.y))
        X, y = np.ascontiguousarray(whole.X[rows]), np.array(whole.y[rows])
        model = context.model({"categorical_features": whole.nominal}, classification=True)
        learned = 3 * len(y) // 4
        model.partial_fit(X[:learned], y[:learned])
        found[seed] = float(roc_auc_score(y[learned:], model.predict_proba(X[learned:])[:, 1]))
    note = "one pass over 3/4, the last 1/4; shuffles " + " ".join(
        f"{value:.3f}" for value in found.values()
    )
    mean = float(np.mean(list(found.values())))
    return figure("gmsc, AUC", mean, "", Bar(">=", _LEAST_AUC), note)
