"""`python -m benchmarks.ensembles`: errors and CPU time of ensembles in the order of the files.

Test then train, one thread, one setting for all streams. What MOA's ensembles reach is measured
once (`--peers`: it needs Java, and an hour) and kept in `peers.jsonl`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import machine
from benchmarks.accuracy.records import Records, Run
from benchmarks.accuracy.runs import run_ours, run_peer
from benchmarks.accuracy.streams import FILE_ORDER, STREAMS
from benchmarks.ensembles.learners import (
    CASES,
    LONG_CASES,
    OURS,
    PEERS_OF_CLASSES,
    PEERS_OF_NUMBERS,
    Case,
)
from benchmarks.ensembles.page import write_page
from benchmarks.ensembles.picture import draw
from benchmarks.isolation import ROOT
from sgtrees_experiments.absent import AbsentError

_PEERS = Path(__file__).resolve().parent / "peers.jsonl"
_PAGE = ROOT / "docs" / "ensemble_figures.md"
_PICTURE = ROOT / "docs" / "ensembles.png"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; write the page unless only parts were run."""
    options = _parser().parse_args(arguments)
    cases = [case for case in CASES if not options.only or case.stream in options.only]
    long_cases = [] if options.quick else LONG_CASES
    if options.peers:
        return _run_peers(cases, options.folder)
    ours = _run_ours([*cases, *(c for c in long_cases if not options.only)], options.folder)
    peers = Records(_PEERS)
    facts = machine.describe()
    page = write_page(
        ours, peers, ", ".join(facts[name] for name in ("Date", "Processor", "System"))
    )
    print(page)
    if options.only or options.quick:
        return 0
    _PAGE.write_text(page, encoding="utf-8")
    draw(ours, peers, _PICTURE)
    return 0


def _run_ours(cases: list[Case], folder: Path) -> dict[tuple[str, int, str], Run]:
    found = {}
    for case in cases:
        stream = STREAMS[case.stream]
        for name, learner in OURS.items():
            _say(f"{case.stream}, {name}")
            kind = learner.classifier if stream.classification else learner.regressor
            try:
                found[case.stream, case.rows, name] = run_ours(
                    stream,
                    stream.files(folder),
                    FILE_ORDER,
                    learner.settings,
                    case.rows,
                    estimator=kind,
                )
            except AbsentError as absent:
                _say(str(absent))
                break
    return found


def _run_peers(cases: list[Case], folder: Path) -> int:
    records = Records(_PEERS)
    for case in cases:
        stream = STREAMS[case.stream]
        peers = PEERS_OF_CLASSES if stream.classification else PEERS_OF_NUMBERS
        for name, learner in peers.items():
            if (case.stream, FILE_ORDER, learner, case.rows) in records.of:
                continue
            _say(f"{case.stream}, {name}")
            for done in run_peer(stream, stream.files(folder), [FILE_ORDER], learner, case.rows):
                records.add(done)
    return 0


def _say(message: str) -> None:
    print(f"  {message} ...", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ensembles", description=__doc__)
    parser.add_argument("--peers", action="store_true", help="only run MOA's ensembles")
    parser.add_argument("--quick", action="store_true", help="without the long streams")
    parser.add_argument("--only", action="append", metavar="STREAM", help="this stream alone")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "accuracy" / "streams")
    return parser


if __name__ == "__main__":
    sys.exit(main())
