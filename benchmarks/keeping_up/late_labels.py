"""Labels that come 100 rows late: following leaves against leaves that do not follow."""

from __future__ import annotations

import numpy as np

from benchmarks.accuracy.streams import STREAMS
from benchmarks.figures import Bar, Figure
from benchmarks.keeping_up.context import NO_FOLLOWING, Context, Settings, exists, say
from benchmarks.keeping_up.figures import figure, skipped, tried
from sgtrees.evaluation import prequential
from sgtrees.streams import open_stream

DELAY = 100
_MOST = 1.01
# Row by row, so of the long streams the first rows.
_ROWS = {"covtype": 100_000, "elec2": 0, "kdd99_10pct": 50_000, "fars": 50_000}
_ROWS |= {"bike_sharing": 0, "airline_nyc": 100_000, "aws": 100_000}
_QUICK = ("elec2", "bike_sharing")


def run(context: Context) -> list[Figure]:
    """Return error, or RMSE, by that without following."""
    if not exists(NO_FOLLOWING):
        return [skipped("late labels", "x", "there is no parameter following_rates")]
    names = _QUICK if context.quick else _ROWS
    return [tried(name, "x", _compared, context, name) for name in names]


def _compared(context: Context, name: str) -> Figure:
    on = _loss(context, name, {"label_delay": DELAY})
    off = _loss(context, name, NO_FOLLOWING)
    note = f"{on:.4g}, without {off:.4g}; delay {DELAY}"
    return figure(name, on / off, "x", Bar("<=", _MOST), note)


def _loss(context: Context, name: str, settings: Settings) -> float:
    stream = STREAMS[name]
    say(f"{name}, delay {DELAY} {settings}")
    whole = stream.files(context.folder).read()
    rows = slice(_ROWS[name] or None)
    y = np.asarray(whole.y[rows])
    given = settings | {"categorical_features": whole.nominal}
    model = context.model(given, classification=stream.classification)
    metric = "error" if stream.classification else "rmse"
    if stream.classification:
        y = y.astype(np.int64)
    source = open_stream(np.ascontiguousarray(whole.X[rows]), y=y)
    return prequential(source, model, metrics=[metric], delay=DELAY).total(metric)
