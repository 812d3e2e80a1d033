"""`python -m benchmarks.keeping_up`: what the default tree reaches on streams with an order.

One tree, default settings, test then train; a line for each figure, with its bar if it has one.
Parameters that the estimators do not have are not passed, and what needs them is skipped.
"""

from __future__ import annotations

import argparse
import ast
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks import machine, report
from benchmarks.figures import Figure
from benchmarks.isolation import ROOT
from benchmarks.keeping_up import (
    bands,
    drifts,
    file_order,
    late_labels,
    ranges,
    shuffled,
    speed,
)
from benchmarks.keeping_up.context import Context, parameters

SECTIONS: dict[str, Callable[[Context], list[Figure]]] = {
    "file-order": file_order.run,
    "bands": bands.run,
    "shuffled": shuffled.run,
    "drift": drifts.run,
    "ranges": ranges.run,
    "late-labels": late_labels.run,
    "speed": speed.run,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; return 1 where a bar was missed."""
    parser = _parser()
    options = parser.parse_args(arguments)
    settings = dict(options.set or ())
    known = parameters(classification=True) | parameters(classification=False)
    if unknown := sorted(set(settings) - known):
        parser.error(f"there is no parameter {', '.join(unknown)}")
    context = Context(options.folder, options.quick, settings)
    if options.keep:
        shuffled.keep(replace(context, quick=False))
        return 0
    figures = []
    for name in options.only or SECTIONS:
        print(f"[{name}]", file=sys.stderr, flush=True)
        figures += [replace(found, benchmark=name) for found in SECTIONS[name](context)]
    print(report.as_table(figures))
    missed = [figure for figure in figures if figure.status in {"FAIL", "ERROR"}]
    held = sum(figure.status == "pass" for figure in figures)
    print(f"\n{held} bars hold, {len(missed)} do not, with {settings or 'default settings'}")
    if options.json:
        options.json.write_text(report.as_json(figures, machine.describe()))
    return int(bool(missed))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.keeping_up", description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="one shuffle, few streams with late labels"
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=list(SECTIONS),
        metavar="NAME",
        help=f"this section alone (may be repeated): {', '.join(SECTIONS)}",
    )
    parser.add_argument(
        "--set",
        action="append",
        type=_setting,
        metavar="NAME=VALUE",
        help="a parameter of our trees (may be repeated)",
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "accuracy" / "streams")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures as JSON")
    parser.add_argument(
        "--keep",
        action="store_true",
        help="only write before.json, which shuffled runs are held to",
    )
    return parser


def _setting(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError("must be NAME=VALUE")
    try:
        return name, ast.literal_eval(value)
    except (SyntaxError, ValueError):
        return name, value  # a word


if __name__ == "__main__":
    sys.exit(main())
