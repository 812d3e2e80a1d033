"""Accuracy on bags: `python benchmarks/multi_instance.py` writes docs/multi_instance.md.

Ten-fold stratified cross-validation over bags on the nine data sets of the paper that can be had.
Settings were chosen on some fold seeds (the sweep), and are reported on others. Each finished
cross-validation is a line in a file of results: a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
from sklearn.model_selection import StratifiedKFold, cross_val_score

from sgtrees import SGTMultiInstanceClassifier

ROOT = Path(__file__).resolve().parent.parent
N_FOLDS = 10
FIRST_SWEEP_SEED, FIRST_FRESH_SEED = 0, 100

# Accuracies that the paper reports (Table 3): SGT, and the best of its peers on average.
PAPER = {
    "atoms": (73.36, 84.06),
    "bonds": (75.58, 81.93),
    "chains": (81.99, 88.42),
    "elephant": (77.00, 76.50),
    "fox": (55.00, 60.00),
    "musk1": (82.22, 82.56),
    "musk2": (71.64, 74.64),
    "tiger": (77.00, 76.00),
    "thioredoxin": (87.08, 80.87),
}

Parameters = Mapping[str, Any]

# What is reported, on fresh folds.
REPORTED: dict[str, Parameters] = {
    "defaults": {},
    "best": {"binning": "quantile", "grace_period": 200},
}

# What was tried, as changes of the defaults. The search went on around a grace period of 200.
SWEEP: list[Parameters] = [
    {},
    *(
        {"grace_period": 200} | changed
        for changed in (
            {},
            {"sharpness": 1.0},
            {"sharpness": 3.0},
            {"pooling": "max"},
            {"reg_lambda": 0.1},
            {"reg_lambda": 0.03},
            {"reg_lambda": 0.03, "delta": 1e-4},
            {"delta": 1e-2},
            {"delta": 1e-4},
            {"delta": 1e-5},
            {"delta": 1e-4, "sharpness": 1.0},
            {"delta": 1e-4, "grace_period": 100},
            {"gamma": 0.3},
            {"start": "neutral"},
            {"binning": "quantile"},
            {"binning": "quantile", "delta": 1e-4, "grace_period": 100},
        )
    ),
]


@dataclass(frozen=True)
class Task:
    """One cross-validation."""

    parameters: str
    dataset: str
    seed: int


def task(changed: Parameters, dataset: str, seed: int) -> Task:
    """Return the task for the defaults with some parameters changed; it names all of them."""
    parameters = SGTMultiInstanceClassifier(**changed).get_params()
    del parameters["random_state"]
    return Task(json.dumps(parameters, sort_keys=True), dataset, seed)


# ---- measuring -----------------------------------------------------------------------------------


def data_folder() -> Path:
    given = os.environ.get("SGTREES_DATA")
    return Path(given) if given else ROOT.parent / "shared" / "data"


@cache
def load(dataset: str) -> tuple[list[Any], Any]:
    """Return a data set's bags as arrays, and their labels."""
    table = pq.read_table(data_folder() / f"mil_{dataset}.parquet")
    bag, label = (table[name].to_numpy() for name in ("bag", "label"))
    rows = np.column_stack(
        [table[name].to_numpy() for name in table.column_names if name not in ("bag", "label")]
    ).astype(np.float64)
    _, first, number = np.unique(bag, return_index=True, return_inverse=True)
    return [rows[number == i] for i in range(len(first))], label[first]


def measure(wanted: Task) -> float:
    """Return the accuracy over all bags, each predicted by the model that did not learn it."""
    bags, y = load(wanted.dataset)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=wanted.seed)
    model = SGTMultiInstanceClassifier(random_state=wanted.seed, **json.loads(wanted.parameters))
    return 100 * float(cross_val_score(model, bags, y, cv=folds).mean())


class Results:
    """Finished cross-validations, kept in a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.of: dict[Task, float] = {}
        if path.exists():
            for line in path.read_text().splitlines():
                entry = json.loads(line)
                accuracy = entry.pop("accuracy")
                self.of[Task(**entry)] = accuracy

    def measure(self, tasks: Sequence[Task], jobs: int) -> None:
        """Measure what is not there yet, and say how far it is."""
        missing = [t for t in dict.fromkeys(tasks) if t not in self.of]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        began = time.perf_counter()
        with ProcessPoolExecutor(jobs) as pool, self.path.open("a") as file:
            running = {pool.submit(measure, t): t for t in missing}
            for count, done in enumerate(as_completed(running), start=1):
                found = running[done]
                self.of[found] = done.result()
                file.write(json.dumps(vars(found) | {"accuracy": self.of[found]}) + "\n")
                file.flush()
                left = (time.perf_counter() - began) / count * (len(missing) - count)
                print(
                    f"{count} of {len(missing)}: {found.dataset}, seed {found.seed}: "
                    f"{self.of[found]:.1f} %; about {left / 60:.0f} min left",
                    file=sys.stderr,
                )

    def accuracies(self, parameters: Parameters, dataset: str, seeds: range) -> list[float]:
        return [self.of[task(parameters, dataset, seed)] for seed in seeds]


# ---- telling -------------------------------------------------------------------------------------


def markdown_table(lines: Sequence[Sequence[str]]) -> str:
    head, *body = lines
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, rule, *body))


def in_words(parameters: Parameters) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in parameters.items()) or "the defaults"


def reported_table(results: Results, seeds: range) -> str:
    lines = [["", "paper: SGT", "paper: MITI", *REPORTED]]
    means: dict[str, list[float]] = {name: [] for name in REPORTED}
    for dataset, paper in PAPER.items():
        cells = [f"{value:.2f}" for value in paper]
        for name, parameters in REPORTED.items():
            found = results.accuracies(parameters, dataset, seeds)
            means[name].append(float(np.mean(found)))
            cells.append(f"{np.mean(found):.2f} ± {np.std(found):.2f}")
        lines.append([dataset, *cells])
    ours = [f"**{np.mean(values):.2f}**" for values in means.values()]
    published = [f"**{np.mean([row[i] for row in PAPER.values()]):.2f}**" for i in (0, 1)]
    lines.append(["**average**", *published, *ours])
    behind = [_worst(values) for values in means.values()]
    lines.append(["farthest behind the paper's SGT", "", "", *behind])
    return markdown_table(lines)


def _worst(means: Sequence[float]) -> str:
    differences = {
        dataset: mean - paper[0]
        for (dataset, paper), mean in zip(PAPER.items(), means, strict=True)
    }
    worst = min(differences, key=lambda dataset: differences[dataset])
    return f"{differences[worst]:+.2f} ({worst})"


def sweep_table(results: Results, seeds: range) -> str:
    lines = [["changed", "average", *PAPER]]
    for parameters in SWEEP:
        means = [np.mean(results.accuracies(parameters, dataset, seeds)) for dataset in PAPER]
        cells = [f"{mean:.1f}" for mean in means]
        lines.append([in_words(parameters), f"**{np.mean(means):.2f}**", *cells])
    return markdown_table(lines)


def page(results: Results, fresh: range, sweep: range) -> Iterator[str]:
    yield "# Bags: accuracy"
    yield "<!-- Generated by `python benchmarks/multi_instance.py`; edits here are overwritten. -->"
    yield (
        f"`SGTMultiInstanceClassifier` on nine of the paper's twelve multi-instance data sets (the"
        f" others cannot be had), in per cent of bags told right: {N_FOLDS}-fold stratified"
        f" cross-validation over bags, mean ± standard deviation over {len(fresh)} repetitions with"
        " different folds. The same settings for all sets."
    )
    yield "## Result"
    yield reported_table(results, fresh)
    yield (
        "The folds above (seeds"
        f" {fresh[0]} to {fresh[-1]}) had no part in any choice. The paper made one"
        " cross-validation for each figure; MITI is the best of its peers on average."
    )
    yield "## The sweep"
    yield (
        "What the defaults were chosen from: one thing changed at a time, mean over"
        f" {len(sweep)} repetition(s) on folds of their own (seeds {sweep[0]} to {sweep[-1]})."
        " An average moves by about a point with the folds."
    )
    yield sweep_table(results, sweep)
    yield NOTES


NOTES = """\
## What it shows

- Most instances of a bag have little or no say in its score, but each adds `reg_lambda` to the
  denominator of its leaf's value. The 0.1 that is right for rows makes steps too small here.
- As long as all instances of a bag share a leaf its highest instance is the first one. Under the
  maximum the first splits are therefore made from whatever instance the file lists first; the soft
  maximum lets all instances of a bag speak until the tree tells them apart. It gains most on the
  mutagenesis sets (atoms, bonds, chains), and loses on musk1, where the first instance is a good
  choice.
- 168 of thioredoxin's 193 bags are negative (87.05 %), and neither setting finds more there.
- musk1 and musk2 have about 100 bags: their figures move by several points with the folds. The
  longer grace period is the default because it is the steadier one on musk1.
- Data sets differ in their number of instances by a factor of 50. As many passes as the small ones
  need may overfit large ones (under the maximum thioredoxin fell from 86 % after 10 passes to 80 %
  after 200), so `epochs="auto"` goes by the number of instances.
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=2, help="processes (default: 2)")
    parser.add_argument("--repetitions", type=int, default=10, help="of what is reported")
    parser.add_argument(
        "--sweep-repetitions", type=int, default=1, help="of each line of the sweep"
    )
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "multi_instance.jsonl")
    parser.add_argument("--markdown", type=Path, default=ROOT / "docs" / "multi_instance.md")
    options = parser.parse_args()
    fresh = range(FIRST_FRESH_SEED, FIRST_FRESH_SEED + options.repetitions)
    sweep = range(FIRST_SWEEP_SEED, FIRST_SWEEP_SEED + options.sweep_repetitions)
    tasks = [task(p, d, seed) for p in REPORTED.values() for seed in fresh for d in PAPER]
    tasks += [task(p, d, seed) for p in SWEEP for seed in sweep for d in PAPER]
    results = Results(options.results)
    results.measure(tasks, options.jobs)
    text = "\n\n".join(part.strip() for part in page(results, fresh, sweep)) + "\n"
    options.markdown.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
