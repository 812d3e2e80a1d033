"""The command line: which benchmarks, how many rows, and where the results go."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import machine, report
from benchmarks.figures import Figure
from benchmarks.isolation import ROOT
from benchmarks.settings import Settings
from benchmarks.suite import BENCHMARKS

PAGE = ROOT / "docs" / "benchmarks.md"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, report, and return 1 where a bar was missed or a measurement crashed."""
    options = _parser().parse_args(arguments)
    chosen = options.only or list(BENCHMARKS)
    figures = run(chosen, Settings(options.rows, options.repeats))
    print(report.as_table(figures))
    _write(figures, options, complete=not (options.only or options.rows))
    return int(any(figure.status in {"FAIL", "ERROR"} for figure in figures))


def run(names: Sequence[str], settings: Settings) -> list[Figure]:
    figures = []
    for number, name in enumerate(names, start=1):
        print(f"[{number}/{len(names)}] {name}", file=sys.stderr, flush=True)
        figures += BENCHMARKS[name](settings)
    return figures


def _write(figures: list[Figure], options: argparse.Namespace, *, complete: bool) -> None:
    facts = machine.describe()
    if options.rows:
        facts["Rows"] = f"at most {options.rows:,} of each stream: a quick look, not a result"
    if options.json:
        options.json.write_text(report.as_json(figures, facts))
    # Part of a run never replaces the page that the README's figures come from.
    page = options.markdown or (PAGE if complete else None)
    if page:
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(report.as_markdown(figures, facts, _summaries()))
        print(f"wrote {page}", file=sys.stderr)


def _summaries() -> dict[str, str]:
    """Return each benchmark's one-line description: the docstring of its module."""
    modules = {name: sys.modules[function.__module__] for name, function in BENCHMARKS.items()}
    return {name: (module.__doc__ or "").strip() for name, module in modules.items()}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description="Compare sgtrees with its peers, side by side in one run."
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=list(BENCHMARKS),
        metavar="NAME",
        help=f"run this benchmark alone (may be repeated): {', '.join(BENCHMARKS)}",
    )
    parser.add_argument("--rows", type=_positive, help="at most so many rows of every stream")
    parser.add_argument("--repeats", type=_positive, default=3, help="best of so many (default 3)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument(
        "--markdown",
        type=Path,
        metavar="FILE",
        help="where the page goes (default: docs/benchmarks.md, for a complete run only)",
    )
    return parser


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
