"""Real streams in the order of their files."""

from __future__ import annotations

from benchmarks.accuracy.streams import STREAMS
from benchmarks.figures import Bar, Figure
from benchmarks.keeping_up.context import Context, Settings, last_label_error
from benchmarks.keeping_up.figures import figure, tried

_ERRORS = {"covtype": 10.0, "elec2": 14.0, "kdd99_10pct": 0.15, "fars": 22.0}
_ABSOLUTE_ERROR: Settings = {"loss": "absolute_error"}
# Stream, measure, bar, rows (0: all), settings.
_NUMBERS: list[tuple[str, str, float, int, Settings]] = [
    ("bike_sharing", "mae", 41.0, 0, {}),
    ("airline_nyc", "rmse", 45.2, 200_000, {}),
    ("aws", "mae", 0.05, 200_000, _ABSOLUTE_ERROR),
]


def run(context: Context) -> list[Figure]:
    """Return errors in per cent, MAE and RMSE."""
    found = [tried(f"{name}, error", "%", _error, context, name) for name in _ERRORS]
    return found + [
        tried(f"{name}, {measure.upper()}", "", _number, context, name, measure, bar, rows, given)
        for name, measure, bar, rows, given in _NUMBERS
    ]


def _error(context: Context, name: str) -> Figure:
    stream = STREAMS[name]
    done = context.ours(stream)
    last = 100 * last_label_error(stream, context.folder)
    value = 100 * done.measures["error"]
    note = f"{value:.3f} %, last label {last:.2f} %"
    note += f"; log loss {done.measures['log_loss']:.4f}, {done.nodes:,} nodes"
    return figure(f"{name}, error", value, "%", Bar("<=", _ERRORS[name]), note)


def _number(
    context: Context, name: str, measure: str, bar: float, rows: int, given: Settings
) -> Figure:
    done = context.ours(STREAMS[name], given, rows=rows)
    note = ", ".join(f"{key.upper()} {value:.4g}" for key, value in done.measures.items())
    note += f"; first {rows:,} rows" if rows else ""
    note += f"; {given['loss']}" if given else ""
    value = done.measures[measure]
    return figure(f"{name}, {measure.upper()}", value, "", Bar("<=", bar), note)
