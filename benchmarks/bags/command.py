"""The command line: how many repetitions, and where results and page go."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from benchmarks.bags.boosting import boosting, sets_there, tasks_of_boosting, with_section
from benchmarks.bags.page import page
from benchmarks.bags.paper import PAPER
from benchmarks.bags.parameters import (
    EARLIER,
    EARLIER_SEEDS,
    FIRST_FRESH_SEED,
    FIRST_SWEEP_SEED,
    HARDEST,
    HARDEST_SWEEP,
    LATER,
    LATER_SEEDS,
    LATER_SETS,
    PROMISING,
    REPORTED,
    SWEEP,
    Parameters,
)
from benchmarks.bags.results import Results, Task, task
from benchmarks.isolation import ROOT


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure what is missing, and write the page, or its section about boosting alone."""
    options = _parser().parse_args(arguments)
    if options.only_boosting:
        _write_boosting(options)
        return
    fresh = range(FIRST_FRESH_SEED, FIRST_FRESH_SEED + options.repetitions)
    sweep = range(FIRST_SWEEP_SEED, FIRST_SWEEP_SEED + options.sweep_repetitions)
    results = Results(options.results)
    results.measure(tasks(fresh, sweep), options.jobs)
    text = "\n\n".join(part.strip() for part in page(results, fresh, sweep)) + "\n"
    options.markdown.write_text(text)
    print(text)


def _write_boosting(options: argparse.Namespace) -> None:
    results, sets = Results(options.results), sets_there()
    results.measure(tasks_of_boosting(sets), options.jobs)
    section = boosting(results, sets)
    options.markdown.write_text(with_section(options.markdown.read_text(), section))
    print(section)


def tasks(fresh: range, sweep: range) -> list[Task]:
    """Return every cross-validation that the page needs."""
    on_all: list[tuple[Parameters, Sequence[int]]] = [(p, fresh) for p in REPORTED.values()]
    on_all += [(p, EARLIER_SEEDS) for p in EARLIER.values()]
    on_all += [(p, sweep) for p in SWEEP]
    on_all += [(PROMISING, LATER_SEEDS)]
    wanted = [task(p, dataset, seed) for p, seeds in on_all for seed in seeds for dataset in PAPER]
    wanted += tasks_of_boosting(sets_there())
    wanted += [task(p, d, seed) for p in LATER for seed in LATER_SEEDS for d in LATER_SETS]
    return wanted + [task(p, HARDEST, seed) for p, seeds in HARDEST_SWEEP for seed in seeds]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="multi_instance.py", description="Accuracy on bags, beside the paper's."
    )
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--repetitions", type=int, default=10, help="of what is reported")
    parser.add_argument(
        "--sweep-repetitions", type=int, default=3, help="of each line of the sweep"
    )
    parser.add_argument(
        "--only-boosting",
        action="store_true",
        help="measure boosting and the single tree beside it, and write their section alone",
    )
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "multi_instance.jsonl")
    parser.add_argument("--markdown", type=Path, default=ROOT / "docs" / "multi_instance.md")
    return parser
