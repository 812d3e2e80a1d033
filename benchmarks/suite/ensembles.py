"""Ensembles of 30 trees: beside ARF, on two threads, predictions beside LightGBM's, and memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.accuracy.runs import run_peer
from benchmarks.accuracy.streams import FILE_ORDER, STREAMS
from benchmarks.figures import (
    Bar,
    Figure,
    Measurement,
    Outcome,
    Unavailable,
    missing,
    ratio,
    speed,
)
from benchmarks.isolation import ROOT, call, measure
from benchmarks.peers import lightgbm_predictions
from benchmarks.settings import Settings
from sgtrees_experiments.absent import AbsentError

NAME = "ensembles"
MEMBERS = 30
KINDS = ("boosting", "forest")
ARF = f"meta.AdaptiveRandomForest -s {MEMBERS}"
# Rows of real streams (0: all), in the order of the file.
BESIDE_ARF = {"elec2": 0, "covtype": 50_000}
ROWS = 200_000
FOLDER = ROOT / "build" / "accuracy" / "streams"


def run(settings: Settings) -> list[Figure]:
    return [
        *(figure for name in BESIDE_ARF for figure in _beside_arf(name, settings)),
        *(_two_threads(kind, settings) for kind in KINDS),
        *_predictions(settings),
        *(_memory(kind, settings) for kind in KINDS),
    ]


def _beside_arf(stream: str, settings: Settings) -> list[Figure]:
    rows = settings.capped(BESIDE_ARF[stream]) if BESIDE_ARF[stream] else settings.rows or 0
    settings.say(f"{stream}: MOA's ARF")
    theirs = _arf(stream, rows)
    figures = [speed(NAME, f"MOA ARF, {MEMBERS} trees, {stream}", theirs)]
    for kind in KINDS:
        settings.say(f"{stream}: {kind}")
        ours = measure(
            "benchmarks.our_ensembles:in_file_order",
            kind=kind,
            stream=stream,
            rows=rows,
            repeats=settings.repeats,
            members=MEMBERS,
            folder=str(FOLDER),
        )
        figures.append(speed(NAME, f"{kind}, {stream}", ours))
        figures.append(ratio(NAME, f"{kind} / MOA ARF, {stream}", ours, theirs, Bar(">=", 40)))
    return figures


def _arf(stream: str, rows: int) -> Outcome:
    try:
        files = STREAMS[stream].files(FOLDER)
        (found,) = run_peer(STREAMS[stream], files, [FILE_ORDER], ARF, rows, warm_up=1000)
    except AbsentError as absent:
        return Unavailable(str(absent))
    except RuntimeError as failure:
        return Unavailable(str(failure), broken=True)
    n_rows = rows or len(files.read().y)
    return Measurement(n_rows, found.seconds, found.measures["error"], found.nodes)


def _two_threads(kind: str, settings: Settings) -> Figure:
    """Compare one learner on two threads with two of one thread, side by side; by the clock."""
    name = f"{kind}: two threads / two learners of one thread"
    settings.say(name)
    rows = settings.capped(ROWS)
    arguments = {"kind": kind, "rows": rows, "members": MEMBERS}
    ratios, notes = [], []
    for _ in range(settings.repeats):
        together = _by_the_clock(arguments | {"threads": 2}, processes=1)
        apart = _by_the_clock(arguments | {"threads": 1}, processes=2)
        for found in (together, apart):
            if isinstance(found, Unavailable):
                return missing(NAME, name, "x", found)
        ratios.append(together / apart)
        notes.append(f"{together:,.0f} and {apart:,.0f} rows/s")
    best = max(range(len(ratios)), key=ratios.__getitem__)
    return Figure(NAME, name, ratios[best], "x", Bar(">=", 0.9), notes[best])


def _by_the_clock(arguments: dict[str, Any], *, processes: int) -> Any:
    """Return the rows a second of all processes together, or why one could not."""
    with ThreadPoolExecutor(processes) as pool:
        calls = [
            pool.submit(call, "benchmarks.our_ensembles:learned_by_the_clock", **arguments)
            for _ in range(processes)
        ]
        found = [each.result() for each in calls]
    broken = [rate for rate in found if isinstance(rate, Unavailable)]
    return broken[0] if broken else sum(found)


def _predictions(settings: Settings) -> list[Figure]:
    name = "predictions of boosting / of LightGBM"
    settings.say("predictions")
    with TemporaryDirectory() as scratch:
        data = Path(scratch, "rows.npz")
        ours = call(
            "benchmarks.our_ensembles:predicted",
            rows=settings.capped(ROWS),
            repeats=settings.repeats,
            members=MEMBERS,
            data=str(data),
        )
        if isinstance(ours, Unavailable):
            return [missing(NAME, name, "x", ours)]
        leaves, trees = ours.pop("leaves"), ours.pop("trees")
        settings.say("predictions of LightGBM")
        theirs = lightgbm_predictions.measure(data, trees, round(leaves / trees), settings.repeats)
    mine = Measurement(**ours)
    figures = [speed(NAME, f"predictions of boosting, {trees} trees of {leaves:,} leaves", mine)]
    if isinstance(theirs, Unavailable):
        return [*figures, missing(NAME, name, "x", theirs)]
    of_all = f"{trees} trees of {theirs.pop('leaves'):,} leaves"
    peer = Measurement(**theirs)
    return [
        *figures,
        speed(NAME, f"predictions of LightGBM, {of_all}", peer),
        ratio(NAME, name, mine, peer, Bar(">=", 2)),
    ]


def _memory(kind: str, settings: Settings) -> Figure:
    name = f"{kind}: memory of {MEMBERS} trees / {MEMBERS} x that of one"
    settings.say(name)
    rows = settings.capped(ROWS)
    # Single members differ in how many cells they have.
    found = [
        call("benchmarks.our_ensembles:memory", kind=kind, rows=rows, members=members, seeds=seeds)
        for members, seeds in ((MEMBERS, 1), (1, MEMBERS))
    ]
    for each in found:
        if isinstance(each, Unavailable):
            return missing(NAME, name, "x", each)
    many, one = found
    note = f"{many / 1e6:.0f} MB, one tree {one / 1e6:.1f} MB"
    return Figure(NAME, name, many / (MEMBERS * one), "x", Bar("<=", 1), note)
