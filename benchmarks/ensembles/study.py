"""`python -m benchmarks.ensembles.study`: what each setting of ensembles does, over all streams.

Real streams in both orders, generated ones with drifts and without. A setting is judged by the
geometric mean of its errors, each relative to that of the defaults on the same rows, so that no
stream counts more than another. Runs are kept for the present state of the library.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from math import exp, log
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from benchmarks.accuracy.records import Records, Run, spelled
from benchmarks.accuracy.runs import run_ours
from benchmarks.accuracy.settings import Settings, read_settings, titled
from benchmarks.accuracy.streams import FILE_ORDER
from benchmarks.accuracy.versions import state_of_library
from benchmarks.ensembles.learners import (
    CASES,
    DRIFTING_CASES,
    SHUFFLED,
    STATIONARY_CASES,
    Case,
    boosting,
    forest,
)
from benchmarks.isolation import ROOT
from benchmarks.report import markdown_table
from sgtrees_experiments.absent import AbsentError

_MAKERS = {"boosting": boosting, "forest": forest}
_OF_BOTH: list[Settings] = [
    {"n_estimators": 10},
    *({"poisson_mean": value} for value in (0.0, 1.0, 3.0, 6.0)),
    *({"max_features": share} for share in (0.5, 0.75)),
    *({"reg_lambda": value} for value in (0.03, 0.3, 1.0)),
    *({"delta": p} for p in (0.2, 0.01)),
    *({"n_bins": n} for n in (64,)),
    {"multiclass": "committee"},
    {"on_drift": "ignore"},
]
COMPARED: dict[str, list[Settings]] = {
    "boosting": [{}, *({"learning_rate": eta} for eta in (0.1, 0.15, 0.3)), *_OF_BOTH],
    "forest": [{}, *_OF_BOTH],
}


class Group(NamedTuple):
    """Streams that are judged together, in one order."""

    name: str
    cases: list[Case]
    order: str


GROUPS = [
    Group("file order", CASES, FILE_ORDER),
    Group("shuffled", CASES, SHUFFLED),
    Group("drifting", DRIFTING_CASES, FILE_ORDER),
    Group("still", STATIONARY_CASES, FILE_ORDER),
]


def main() -> None:
    """Run what is not there yet, and print a table for each kind of ensemble."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ensembles.study", description=__doc__
    )
    parser.add_argument("--rows", type=int, default=20_000, help="of each stream at most")
    parser.add_argument("--only", choices=sorted(_MAKERS), help="this kind alone")
    parser.add_argument(
        "--setting",
        action="append",
        type=read_settings,
        metavar="'NAME=VALUE ...'",
        help="compare these with the defaults, and nothing else (may be repeated)",
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "accuracy")
    options = parser.parse_args()
    records = Records(options.folder / f"ensembles-{state_of_library()}.jsonl")
    for kind in [options.only] if options.only else _MAKERS:
        compared = [{}, *options.setting] if options.setting else COMPARED[kind]
        for settings in compared:
            _run(records, kind, settings, options.rows, options.folder / "streams")
        print(f"### {kind.capitalize()}\n\n{table(records, kind, compared, options.rows)}\n")


def table(records: Records, kind: str, compared: list[Settings], rows: int) -> str:
    """Return the figures of some settings by those of the defaults, less than 1 being better."""
    heads = ["", *(f"error, {group.name}" for group in GROUPS), "error", "log loss", "CPU s"]
    lines = []
    for settings in compared:
        found = [_of_group(records, group, kind, settings, rows) for group in GROUPS]
        every = [pair for pairs in found for pair in pairs]
        if not every:
            continue
        classes = [pair for pair in every if "log_loss" in pair[0].measures]
        lines.append(
            [
                titled(settings),
                *(f"{_relative(pairs):.3f}" for pairs in found),
                f"{_relative(every):.3f}",
                f"{_relative(classes, 'log_loss'):.3f}",
                f"{sum(run.seconds for run, _ in every):.1f}",
            ]
        )
    return markdown_table(heads, lines)


def _run(records: Records, kind: str, settings: Settings, rows: int, folder: Path) -> None:
    for group, case in _every_case():
        stream, learner = case.stream, _learner(kind, settings)
        if not stream.classification and "multiclass" in settings:
            continue
        if (stream.name, group.order, learner, rows) in records.of:
            continue
        print(f"{kind}, {titled(settings)}: {stream.name}, {group.name}", file=sys.stderr)
        ours = _MAKERS[kind](**settings)
        try:
            run = run_ours(
                stream,
                stream.files(folder),
                group.order,
                ours.settings,
                rows if group.cases is CASES else 0,
                estimator=ours.classifier if stream.classification else ours.regressor,
            )
        except AbsentError:
            continue
        found: dict[str, Any] = run.__dict__ | {"learner": learner, "rows": rows, "curve": []}
        records.add(Run(**found))


def _every_case() -> Iterator[tuple[Group, Case]]:
    for group in GROUPS:
        for case in group.cases:
            yield group, case


def _learner(kind: str, settings: Settings) -> str:
    return f"{kind}: {spelled(settings)}"


def _of_group(
    records: Records, group: Group, kind: str, settings: Settings, rows: int
) -> list[tuple[Run, Run]]:
    """Return runs beside those of the defaults on the same rows."""
    pairs = []
    for case in group.cases:
        run, default = (
            records.of.get((case.stream.name, group.order, _learner(kind, of), rows))
            for of in (settings, {})
        )
        if run is not None and default is not None:
            pairs.append((run, default))
    return pairs


def _relative(pairs: list[tuple[Run, Run]], measure: str = "") -> float:
    """Return the geometric mean of what the first runs have by what the second ones have."""
    logarithms = []
    for run, default in pairs:
        name = measure or next(iter(run.measures))
        # Half an error more: a stream may be learned without any.
        some = 0.5 / (run.rows or 1)
        logarithms.append(log((run.measures[name] + some) / (default.measures[name] + some)))
    return exp(mean(logarithms)) if logarithms else float("nan")


if __name__ == "__main__":
    main()
