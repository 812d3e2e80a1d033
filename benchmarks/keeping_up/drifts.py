"""Generated streams: below HAT where they drift, nothing lost by the detector where they do not."""

from __future__ import annotations

from pathlib import Path

from benchmarks.accuracy.generated import drifting, stationary
from benchmarks.accuracy.records import Records
from benchmarks.accuracy.runs import run_peer
from benchmarks.accuracy.streams import FILE_ORDER, StudyStream
from benchmarks.figures import Bar, Figure
from benchmarks.keeping_up.context import NO_REPLACEMENT, Context, exists, say
from benchmarks.keeping_up.figures import figure, skipped, tried

HAT = "trees.HoeffdingAdaptiveTree"
# HAT needs Java and minutes; its figures do not change with our code.
_PEERS = Path(__file__).resolve().parent / "peers.jsonl"
_LEAST_WON = 6
_MOST_LOST = 0.3  # points


def run(context: Context) -> list[Figure]:
    """Return errors in per cent beside HAT's, then what the detector costs on still streams."""
    found = [tried(f"{name}, error", "%", _beside_hat, context, name) for name in drifting()]
    known = [figure for figure in found if figure.value is not None]
    won = sum(figure.note.startswith("below") for figure in known)
    bar = Bar(">=", _LEAST_WON)
    found.append(figure("below HAT on", won, f"of {len(known)}", bar))
    return found + [_cost_of_detector(context, stream) for stream in stationary().values()]


def _beside_hat(context: Context, name: str) -> Figure:
    stream = drifting()[name]
    ours = 100 * context.ours(stream).measures["error"]
    hat = 100 * error_of_hat(stream, context.folder)
    note = f"{'below' if ours < hat else 'above'} HAT, {hat:.2f} %"
    return figure(f"{name}, error", ours, "%", note=note)


def error_of_hat(stream: StudyStream, folder: Path) -> float:
    """Return the share of rows that HAT predicts wrongly; measured once."""
    records = Records(_PEERS)
    key = (stream.name, FILE_ORDER, HAT, 0)
    if key not in records.of:
        say(f"{stream.name}: HAT")
        for done in run_peer(stream, stream.files(folder), [FILE_ORDER], HAT):
            records.add(done)
    return records.of[key].measures["error"]


def _cost_of_detector(context: Context, stream: StudyStream) -> Figure:
    name = f"{stream.name}, detector costs"
    if not exists(NO_REPLACEMENT):
        return skipped(name, "points", "there is no parameter on_drift")
    on, off = (
        100 * context.ours(stream, given).measures["error"] for given in ({}, NO_REPLACEMENT)
    )
    note = f"{on:.2f} %, {off:.2f} % without it"
    return figure(name, on - off, "points", Bar("<=", _MOST_LOST), note)
