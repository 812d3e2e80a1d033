"""`sgtrees train` on files: time that is not parsing, speed relative to memory, memory use."""

from __future__ import annotations

import tempfile
from typing import Any

from benchmarks.figures import Bar, Figure, Unavailable, missing
from benchmarks.isolation import call
from benchmarks.settings import Settings

NAME = "files"
ROWS = 3_900_000  # a gigabyte of CSV
COPIES = 5
SHARE = "CSV: CPU time that is not parsing"
RATIO = "Parquet: rows/s, against the same rows in memory"
MEMORY = "CSV: peak memory of the process"


def run(settings: Settings) -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="sgtrees-files-") as folder:
        settings.say("writing files")
        rows = settings.capped(ROWS)
        files = call("benchmarks.files:write", folder=folder, rows=rows, copies=COPIES)
        if isinstance(files, Unavailable):
            return [missing(NAME, name, "", files) for name in (SHARE, RATIO, MEMORY)]
        return [
            *_csv(files["csv"], folder, settings),
            *_parquet(files["parquet"], folder, settings),
            *_large(files["large"], folder, settings),
        ]


def _best(settings: Settings, function: str, key: str, **arguments: Any) -> dict | Unavailable:
    found: list[dict] = []
    for _ in range(settings.repeats):
        result = call(function, **arguments)
        if isinstance(result, Unavailable):
            return result
        found.append(result)
    return min(found, key=lambda result: result[key])


def _csv(file: dict, folder: str, settings: Settings) -> list[Figure]:
    settings.say("CSV")
    path = file["path"]
    parsed = _best(settings, "benchmarks.files:parse", "seconds", path=path)
    figures, bar = [], Bar("<=", 35.0)
    for paper in (True, False):
        name = f"{SHARE}, {_title(paper=paper)}"
        trained = _best(
            settings, "benchmarks.files:train", "cpu_seconds", path=path, folder=folder, paper=paper
        )
        absent = next((r for r in (parsed, trained) if isinstance(r, Unavailable)), None)
        if absent is not None:
            figures.append(missing(NAME, name, "%", absent, bar))
            continue
        share = 100.0 * (1.0 - parsed["seconds"] / trained["cpu_seconds"])
        note = (
            f"{file['bytes'] / 1e9:.2f} GB, {trained['rows']:,} rows: "
            f"{trained['cpu_seconds']:.1f} s of CPU time in all, imports too; "
            f"{parsed['seconds']:.1f} s for parsing alone; "
            f"{trained['rows'] / trained['seconds']:,.0f} rows/s by the clock (a thread parses)"
        )
        figures.append(Figure(NAME, name, share, "%", bar, note))
    return figures


def _parquet(file: dict, folder: str, settings: Settings) -> list[Figure]:
    settings.say("Parquet")
    path, bar = file["path"], Bar(">=", 0.5)
    figures = []
    for paper in (True, False):
        name = f"{RATIO}, {_title(paper=paper)}"
        memory = _best(settings, "benchmarks.files:in_memory", "seconds", path=path, paper=paper)
        trained = _best(
            settings, "benchmarks.files:train", "seconds", path=path, folder=folder, paper=paper
        )
        absent = next((r for r in (memory, trained) if isinstance(r, Unavailable)), None)
        if absent is not None:
            figures.append(missing(NAME, name, "x", absent, bar))
            continue
        ours, theirs = (result["rows"] / result["seconds"] for result in (trained, memory))
        note = f"{ours:,.0f} rows/s from the file, {theirs:,.0f} from memory, by the clock"
        figures.append(Figure(NAME, name, ours / theirs, "x", bar, note))
    return figures


def _large(file: dict, folder: str, settings: Settings) -> list[Figure]:
    settings.say(f"{file['bytes'] / 1e9:.1f} GB")
    bar = Bar("<=", 500.0)
    trained = call("benchmarks.files:train", path=file["path"], folder=folder, paper=False)
    if isinstance(trained, Unavailable):
        return [missing(NAME, MEMORY, "MB", trained, bar)]
    note = f"{file['bytes'] / 1e9:.2f} GB of CSV, {trained['rows']:,} rows, default settings"
    return [Figure(NAME, MEMORY, trained["peak_bytes"] / 1e6, "MB", bar, note)]


def _title(*, paper: bool) -> str:
    return "the paper's settings" if paper else "default settings"
