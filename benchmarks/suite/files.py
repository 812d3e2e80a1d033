"""`sgtrees train` on files: how much of its time is not parsing, against memory, and its memory."""

from __future__ import annotations

import tempfile

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


def _best(settings: Settings, function: str, key: str, **arguments: str) -> dict | Unavailable:
    found: list[dict] = []
    for _ in range(settings.repeats):
        result = call(function, **arguments)
        if isinstance(result, Unavailable):
            return result
        found.append(result)
    return min(found, key=lambda result: result[key])


def _csv(file: dict, folder: str, settings: Settings) -> list[Figure]:
    settings.say("CSV")
    bar = Bar("<=", 35.0)
    parsed = _best(settings, "benchmarks.files:parse", "seconds", path=file["path"])
    trained = _best(
        settings, "benchmarks.files:train", "cpu_seconds", path=file["path"], folder=folder
    )
    for result in (parsed, trained):
        if isinstance(result, Unavailable):
            return [missing(NAME, SHARE, "%", result, bar)]
    share = 100.0 * (1.0 - parsed["seconds"] / trained["cpu_seconds"])
    note = (
        f"{file['bytes'] / 1e9:.2f} GB, {trained['rows']:,} rows: {trained['cpu_seconds']:.1f} s "
        f"of CPU time in all, imports too; {parsed['seconds']:.1f} s for parsing alone"
    )
    speed = trained["rows"] / trained["seconds"]
    return [
        Figure(NAME, SHARE, share, "%", bar, note),
        Figure(NAME, "CSV: wall-clock speed", speed, "rows/s", None, "two threads: one parses"),
    ]


def _parquet(file: dict, folder: str, settings: Settings) -> list[Figure]:
    settings.say("Parquet")
    bar = Bar(">=", 0.5)
    memory = _best(settings, "benchmarks.files:in_memory", "seconds", path=file["path"])
    trained = _best(settings, "benchmarks.files:train", "seconds", path=file["path"], folder=folder)
    for result in (memory, trained):
        if isinstance(result, Unavailable):
            return [missing(NAME, RATIO, "x", result, bar)]
    ours, theirs = (result["rows"] / result["seconds"] for result in (trained, memory))
    note = f"{ours:,.0f} rows/s from the file, {theirs:,.0f} from memory, by the wall clock"
    return [Figure(NAME, RATIO, ours / theirs, "x", bar, note)]


def _large(file: dict, folder: str, settings: Settings) -> list[Figure]:
    settings.say(f"{file['bytes'] / 1e9:.1f} GB")
    bar = Bar("<=", 500.0)
    trained = call("benchmarks.files:train", path=file["path"], folder=folder)
    if isinstance(trained, Unavailable):
        return [missing(NAME, MEMORY, "MB", trained, bar)]
    note = f"{file['bytes'] / 1e9:.2f} GB of CSV, {trained['rows']:,} rows"
    return [Figure(NAME, MEMORY, trained["peak_bytes"] / 1e6, "MB", bar, note)]
