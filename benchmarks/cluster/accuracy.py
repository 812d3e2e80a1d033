"""What rounds cost in accuracy: `python -m benchmarks.cluster.accuracy` prints a table.

Test then train over all rows of a stream, shuffled with several seeds; the rows of a round are
predicted by the trees at its beginning.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

from benchmarks import datasets
from benchmarks.report import markdown_table
from sgtrees import SGTClassifier, SGTRegressor

AT_A_TIME = 100_000
ROUNDS: tuple[int | str, ...] = (1, "auto", 10_000, 50_000)


def learned(X: Any, y: Any, *, of_classes: bool, round_rows: int | str) -> tuple[float, int]:
    """Return the error and the leaves."""
    model: Any = (SGTClassifier if of_classes else SGTRegressor)(round_rows=round_rows)
    wrong = 0.0
    for begin in range(0, len(y), AT_A_TIME):
        rows = slice(begin, begin + AT_A_TIME)
        predicted = model.learn_predict(X[rows], y[rows])
        wrong += float(np.sum(predicted != y[rows] if of_classes else np.abs(predicted - y[rows])))
    return wrong / len(y), model.n_leaves_


def measured(name: str, seeds: int) -> list[list[str]]:
    of_classes = name == "covtype"
    table = datasets.frame(name)
    results: dict[Any, list[tuple[float, int]]] = {size: [] for size in ROUNDS}
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(len(table))
        shuffled = table.iloc[order].reset_index(drop=True)
        X, y = shuffled.drop(columns="target"), shuffled["target"].to_numpy()
        for size in ROUNDS:
            results[size].append(learned(X, y, of_classes=of_classes, round_rows=size))
            sys.stderr.write(f"{name}, seed {seed}, {size}: {results[size][-1]}\n")
    exact = np.mean([error for error, _ in results[1]])
    lines = []
    for size, found in results.items():
        errors = [error for error, _ in found]
        leaves = np.mean([leaves for _, leaves in found])
        lines.append(
            [
                name,
                "error" if of_classes else "MAE",
                f"{size:,}" if isinstance(size, int) else size,
                f"{np.mean(errors):.5g}",
                f"{np.std(errors):.2g}",
                f"{100 * (np.mean(errors) / exact - 1):+.2f} %",
                f"{leaves:,.0f}",
            ]
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--streams", nargs="*", default=["covtype", "airline_vega_2001_3m"])
    arguments = parser.parse_args()
    lines = [line for name in arguments.streams for line in measured(name, arguments.seeds)]
    head = ["stream", "figure", "round_rows", "mean", "std. dev.", "against 1", "leaves"]
    sys.stdout.write(markdown_table(head, lines) + "\n")


if __name__ == "__main__":
    main()
