"""`python -m benchmarks.accuracy.linear_leaves`: the tables of docs/linear_leaves.md.

Constant against linear leaves, default settings, test then train, shuffled; for numbers beside
FIMT-DD, whose leaves are linear too. The runs are those of the study, and kept with them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean

from benchmarks.accuracy.records import PEERS, Records, Run, spelled
from benchmarks.accuracy.runs import run_ours, run_peer
from benchmarks.accuracy.settings import PEERS_OF_NUMBERS, Settings
from benchmarks.accuracy.streams import STREAMS
from benchmarks.accuracy.versions import state_of_library
from benchmarks.isolation import ROOT
from benchmarks.machine import describe

NUMBERS = ("friedman", "bike_sharing", "aws", "airline_nyc")
CLASSES = ("covtype", "elec2", "adult", "collider")
MODELS: dict[str, Settings] = {"constant": {}, "linear": {"leaf_model": "linear"}}
BEGIN, END = "<!-- tables: begin -->\n", "<!-- tables: end -->\n"


def run_missing(ours: Records, peers: Records, data: Path, seeds: int) -> None:
    """Run what is not there yet."""
    for name in (*NUMBERS, *CLASSES):
        stream = STREAMS[name]
        for order in orders(seeds):
            for leaf_model, settings in MODELS.items():
                if (name, order, spelled(settings), 0) not in ours.of:
                    print(f"{name}, shuffle {order}: {leaf_model}", file=sys.stderr)
                    ours.add(run_ours(stream, stream.files(data), order, settings))
        for learner in () if stream.classification else PEERS_OF_NUMBERS:
            todo = [o for o in orders(seeds) if (name, o, learner, 0) not in peers.of]
            if todo:
                print(f"{name}: {learner}", file=sys.stderr)
                for run in run_peer(stream, stream.files(data), todo, learner):
                    peers.add(run)


def orders(seeds: int) -> list[str]:
    return [str(seed) for seed in range(seeds)]


def table(
    records: Records,
    names: tuple[str, ...],
    learners: dict[str, str],
    measures: dict[str, str],
    seeds: int,
) -> Iterator[str]:
    """A row for each stream: every measure of every learner, then nodes and rows a second."""
    titles = [f"{title}, {measure}" for measure in measures.values() for title in learners]
    sizes = [f"nodes, {title}" for title in MODELS]
    speeds = [f"CPU s, {title}" for title in MODELS]
    yield "| stream | " + " | ".join([*titles, *sizes, *speeds]) + " |"
    yield "|" + "---|" * (1 + len(titles) + len(sizes) + len(speeds))
    for name in names:
        runs = {
            title: [records.of[name, order, key, 0] for order in orders(seeds)]
            for title, key in learners.items()
        }
        cells = [_mean(runs[title], measure) for measure in measures for title in learners]
        cells += [f"{fmean(run.nodes or 0 for run in runs[title]):,.0f}" for title in MODELS]
        cells += [f"{fmean(run.seconds for run in runs[title]):.2f}" for title in MODELS]
        yield f"| {name} | " + " | ".join(cells) + " |"


def _mean(runs: list[Run], measure: str) -> str:
    return f"{fmean(run.measures[measure] for run in runs):.4g}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="shuffles of a stream")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "accuracy")
    parser.add_argument("--page", type=Path, default=ROOT / "docs" / "linear_leaves.md")
    arguments = parser.parse_args()
    records = Records(arguments.folder / f"ours-{state_of_library()}.jsonl"), Records(PEERS)
    run_missing(*records, arguments.folder / "streams", arguments.seeds)
    runs = Records.together(*records)
    ours = {title: spelled(settings) for title, settings in MODELS.items()}
    peers = {title: learner for learner, title in PEERS_OF_NUMBERS.items()}
    facts = describe()
    machine = "; ".join(facts[name] for name in ("Date", "Processor", "System"))
    lines = [
        f"Shuffles: {arguments.seeds}; all rows; {machine}.\n",
        *table(runs, NUMBERS, {**ours, **peers}, {"mae": "MAE", "rmse": "RMSE"}, arguments.seeds),
        "",
        *table(runs, CLASSES, ours, {"error": "error", "log_loss": "log loss"}, arguments.seeds),
    ]
    page = arguments.page.read_text(encoding="utf-8")
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    text = before + BEGIN + "\n" + "\n".join(lines) + "\n\n" + END + after
    arguments.page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
