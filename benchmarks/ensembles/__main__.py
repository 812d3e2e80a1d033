"""`python -m benchmarks.ensembles`: errors and CPU time of ensembles, beside MOA's.

Test then train, one thread, one setting for all streams, in the order of the file and shuffled.
What MOA's ensembles reach is measured once (`--peers`: it needs Java, and an hour) and kept in
`peers.jsonl`; ours are kept for the present state of the library. An interrupted run continues.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks import machine
from benchmarks.accuracy.records import Records
from benchmarks.accuracy.runs import run_ours, run_peer
from benchmarks.accuracy.versions import state_of_library
from benchmarks.ensembles.learners import (
    CASES,
    DRIFTING_CASES,
    LIMITS,
    LONG_CASES,
    OURS,
    STATIONARY_CASES,
    Case,
    peer_jobs,
)
from benchmarks.ensembles.page import OurRuns, write_page
from benchmarks.ensembles.picture import draw
from benchmarks.isolation import ROOT
from sgtrees_experiments.absent import AbsentError

_PEERS = Path(__file__).resolve().parent / "peers.jsonl"
_PAGE = ROOT / "docs" / "ensemble_figures.md"
_PICTURE = ROOT / "docs" / "ensembles.png"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run what is asked for; write the page unless only parts were run."""
    options = _parser().parse_args(arguments)
    if options.peers:
        return _run_peers(options.only, options.folder)
    cases = [*CASES, *DRIFTING_CASES, *STATIONARY_CASES, *([] if options.quick else LONG_CASES)]
    kept = Records(options.folder.parent / f"ensembles-page-{state_of_library()}.jsonl")
    ours = _run_ours(
        [case for case in cases if not options.only or case.stream.name in options.only],
        options.folder,
        kept,
    )
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


def _run_ours(cases: list[Case], folder: Path, kept: Records) -> OurRuns:
    for case in cases:
        stream = case.stream
        try:
            files = stream.files(folder)
        except AbsentError as absent:
            _say(str(absent))
            continue
        for order in case.orders:
            for name, learner in OURS.items():
                if (stream.name, order, name, case.rows) in kept.of:
                    continue
                _say(f"{case.title}, {order}, {name}")
                kind = learner.classifier if stream.classification else learner.regressor
                run = run_ours(stream, files, order, learner.settings, case.rows, estimator=kind)
                kept.add(replace(run, learner=name))
    return {(run.stream, run.order, run.rows, run.learner): run for run in kept.of.values()}


def _run_peers(only: list[str] | None, folder: Path) -> int:
    records = Records(_PEERS)
    for case, order, learner in peer_jobs():
        stream = case.stream
        if only and stream.name not in only:
            continue
        if (stream.name, order, learner, case.rows) in records.of:
            continue
        _say(f"{case.title}, {order}, {learner}")
        try:
            for run in run_peer(
                stream, stream.files(folder), [order], learner, case.rows, **LIMITS
            ):
                records.add(run)
        except RuntimeError as failure:  # MOA's SGBT stops at missing values
            _say(str(failure).splitlines()[0])
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
