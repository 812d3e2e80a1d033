"""Cross-validations, each of them kept in a file as soon as it is done."""

from __future__ import annotations

import json
import multiprocessing
import sys
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold, cross_val_score

from benchmarks.bags.paper import PAPER
from benchmarks.bags.parameters import Parameters
from benchmarks.datasets import directory, frame
from sgtrees import SGTBoostingMultiInstanceClassifier, SGTMultiInstanceClassifier

N_FOLDS = 10


@dataclass(frozen=True)
class Task:
    """One cross-validation."""

    parameters: str
    dataset: str
    seed: int


def new_model(parameters: Parameters) -> SGTMultiInstanceClassifier:
    """Return boosted trees if their number is among the parameters, otherwise a single one."""
    is_boosted = "n_estimators" in parameters
    kind = SGTBoostingMultiInstanceClassifier if is_boosted else SGTMultiInstanceClassifier
    return kind(**parameters)


def task(changed: Parameters, dataset: str, seed: int) -> Task:
    """Return the task for the defaults with some parameters changed; it names all of them."""
    parameters = new_model(changed).get_params()
    del parameters["random_state"]
    return Task(json.dumps(parameters, sort_keys=True), dataset, seed)


def is_there(dataset: str) -> bool:
    return (directory() / f"mil_{dataset}.parquet").exists()


@cache
def load(dataset: str) -> tuple[list[Any], Any]:
    """Return a data set's bags as arrays, and their labels."""
    table = frame(f"mil_{dataset}")
    rows = table.drop(columns=["bag", "label"]).to_numpy(np.float64)
    _, first, number = np.unique(table["bag"], return_index=True, return_inverse=True)
    return [rows[number == i] for i in range(len(first))], table["label"].to_numpy()[first]


def measure(wanted: Task) -> float:
    """Return the accuracy over all bags, each predicted by the model that did not learn it."""
    bags, y = load(wanted.dataset)
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=wanted.seed)
    model = new_model({**json.loads(wanted.parameters), "random_state": wanted.seed})
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
        """Measure what is missing, and report progress."""
        missing = [t for t in dict.fromkeys(tasks) if t not in self.of]
        self.path.parent.mkdir(parents=True, exist_ok=True)
        began = time.perf_counter()
        # (A fork of a process with threads, as of JAX or BLAS, may hang.)
        spawn = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(jobs, spawn) as pool, self.path.open("a") as file:
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

    def accuracies(self, parameters: Parameters, dataset: str, seeds: Iterable[int]) -> list[float]:
        return [self.of[task(parameters, dataset, seed)] for seed in seeds]

    def means(
        self, parameters: Parameters, seeds: Sequence[int], sets: Iterable[str] = tuple(PAPER)
    ) -> dict[str, float]:
        """Return the mean accuracy on each set."""
        return {d: float(np.mean(self.accuracies(parameters, d, seeds))) for d in sets}
