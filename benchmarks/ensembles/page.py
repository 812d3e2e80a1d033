"""The page: a row for each stream, a column for each learner."""

from __future__ import annotations

from benchmarks.accuracy.records import Records, Run
from benchmarks.accuracy.streams import FILE_ORDER, STREAMS
from benchmarks.ensembles.learners import (
    CASES,
    LONG_CASES,
    OURS,
    PEERS_OF_CLASSES,
    PEERS_OF_NUMBERS,
    Case,
)

OurRuns = dict[tuple[str, int, str], Run]

_HEAD = """# What ensembles reach

Real streams in the order of their files, each row predicted before it is learned, one thread, one
setting for all: `n_estimators` as the names say, everything else at its default. In parentheses CPU
seconds, with those of the garbage collector for MOA's learners. `python -m benchmarks.ensembles`
writes this page; `--peers` measures MOA's learners, whose figures are kept.

Measured on: {machine}.

![Error against CPU seconds](ensembles.png)
"""


def write_page(ours: OurRuns, peers: Records, machine: str) -> str:
    """Return the page as Markdown."""
    parts = [_HEAD.format(machine=machine)]
    parts += ["## Errors in %", "", *_table(ours, peers, "error", PEERS_OF_CLASSES), ""]
    parts += ["## Log loss", "", *_table(ours, peers, "log_loss", PEERS_OF_CLASSES), ""]
    parts += ["## MAE", "", *_table(ours, peers, "mae", PEERS_OF_NUMBERS), ""]
    parts += ["## RMSE", "", *_table(ours, peers, "rmse", PEERS_OF_NUMBERS), ""]
    return "\n".join(parts)


def _table(ours: OurRuns, peers: Records, measure: str, of_moa: dict[str, str]) -> list[str]:
    is_of_classes = of_moa is PEERS_OF_CLASSES
    lines = [
        "| |" + "|".join([*OURS, *of_moa]) + "|",
        "|---|" + "---|" * (len(OURS) + len(of_moa)),
    ]
    for case in [*CASES, *LONG_CASES]:
        if STREAMS[case.stream].classification != is_of_classes:
            continue
        runs = [ours.get((case.stream, case.rows, name)) for name in OURS]
        if all(run is None for run in runs):
            continue
        runs += [
            peers.of.get((case.stream, FILE_ORDER, learner, case.rows))
            for learner in of_moa.values()
        ]
        lines.append(f"| {_title(case)} | " + " | ".join(_cells(runs, measure)) + " |")
    return lines


def _title(case: Case) -> str:
    return case.stream + (f", first {case.rows:,}" if case.rows else "")


def _cells(runs: list[Run | None], measure: str) -> list[str]:
    values = [None if run is None else run.measures[measure] for run in runs]
    best = min(value for value in values if value is not None)
    return [
        ""
        if run is None or value is None
        else (f"**{_number(value, measure)}**" if value == best else _number(value, measure))
        + f" ({run.seconds:.1f})"
        for run, value in zip(runs, values, strict=True)
    ]


def _number(value: float, measure: str) -> str:
    return f"{100 * value:.3g}" if measure == "error" else f"{value:.4g}"
