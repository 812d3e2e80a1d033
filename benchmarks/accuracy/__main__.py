"""`python -m benchmarks.accuracy`: run what is not there yet, and write docs/accuracy.md.

The peers' runs are kept in a file of this folder. Ours are kept for the present state of the
library only: after a change of the core or of the parameters they are run again.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.accuracy.page import write_page
from benchmarks.accuracy.pictures import draw_drifts
from benchmarks.accuracy.records import PEERS, Records
from benchmarks.accuracy.settings import read_settings
from benchmarks.accuracy.study import Extent, run_study
from benchmarks.accuracy.versions import state_of_library
from benchmarks.isolation import ROOT
from benchmarks.machine import describe


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a look: few rows, few settings")
    parser.add_argument("--seeds", type=int, help="shuffles of a stream")
    parser.add_argument(
        "--setting",
        action="append",
        type=read_settings,
        metavar="'NAME=VALUE ...'",
        default=[],
        help="settings to compare beside those of settings.py (may be repeated)",
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "accuracy")
    parser.add_argument("--page", type=Path, help="default: docs/accuracy.md, if not --quick")
    arguments = parser.parse_args()
    extent = _extent(arguments)
    ours = Records(arguments.folder / f"ours-{state_of_library()}.jsonl")
    peers = Records(PEERS)
    absent = run_study(ours, peers, arguments.folder / "streams", extent)
    facts = describe()
    machine = "; ".join(facts[name] for name in ("Date", "Processor", "System"))
    page = arguments.page
    if page is None:
        page = arguments.folder / "quick.md" if extent.quick else ROOT / "docs" / "accuracy.md"
    runs = Records.together(ours, peers)
    page.write_text(write_page(runs, extent, machine, absent), encoding="utf-8")
    draw_drifts(runs, extent, page.with_name("accuracy-drifts.png"))
    print(f"wrote {page}")


def _extent(arguments: argparse.Namespace) -> Extent:
    if arguments.quick:
        return Extent.quick_look(arguments.setting)
    seeds = arguments.seeds or Extent().seeds
    return Extent(seeds=seeds, added=arguments.setting)


if __name__ == "__main__":
    main()
