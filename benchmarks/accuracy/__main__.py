"""`python -m benchmarks.accuracy`: run what is not there yet, and write docs/accuracy.md."""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.accuracy.page import write_page
from benchmarks.accuracy.records import Records
from benchmarks.accuracy.study import Extent, run_study
from benchmarks.isolation import ROOT
from benchmarks.machine import describe


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--seeds", type=int, default=Extent().seeds, help="shuffles of a stream")
    parser.add_argument("--rows", type=int, default=Extent().rows, help="of the settings' runs")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "accuracy")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "accuracy.md")
    arguments = parser.parse_args()
    extent = Extent(arguments.seeds, arguments.rows)
    records = Records(arguments.folder / "runs.jsonl")
    run_study(records, arguments.folder / "streams", extent)
    facts = describe()
    machine = "; ".join(facts[name] for name in ("Date", "Processor", "System"))
    arguments.page.write_text(write_page(records, extent, machine), encoding="utf-8")


if __name__ == "__main__":
    main()
