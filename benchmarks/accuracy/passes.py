"""`python -m benchmarks.accuracy.passes`: how many passes `fit` should make over few rows.

Trees are fitted to the first rows of shuffled data, and predict up to 20,000 others. It prints,
for each number of rows, geometric means of error or RMSE over the data sets, relative to two
passes.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

from benchmarks.accuracy.streams import STREAMS
from benchmarks.isolation import ROOT
from sgtrees import SGTClassifier, SGTRegressor

_SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
_PASSES = (1, 2, 3, 4, 6, 10, 20, "auto")
_TOYS = (load_iris, load_wine, load_breast_cancer, load_digits, load_diabetes)
_TEST_ROWS = 20_000
Data = tuple[NDArray[Any], NDArray[Any], Any, bool]


def data_sets(folder: Path) -> list[Data]:
    """Return X, y, the nominal columns, and whether y are classes."""
    found: list[Data] = []
    for stream in STREAMS.values():
        whole = stream.files(folder).read()
        found.append((whole.X, whole.y, whole.nominal, stream.classification))
    for load in _TOYS:
        X, y = load(return_X_y=True)
        found.append((X, y, None, load is not load_diabetes))
    return found


def loss(data: Data, rows: int, passes: int | str, seed: int) -> float:
    """Return the error, or the RMSE, on rows that were not fitted."""
    X, y, nominal, classification = data
    order = np.random.default_rng(seed).permutation(len(y))
    fitted, tested = order[:rows], order[rows : rows + _TEST_ROWS]
    make = SGTClassifier if classification else SGTRegressor
    model: Any = make(categorical_features=nominal, random_state=0, epochs=passes)
    predicted = model.fit(X[fitted], y[fitted]).predict(X[tested])
    if classification:
        return float(np.mean(predicted != y[tested]))
    return float(np.sqrt(np.mean((predicted - y[tested]) ** 2)))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy.passes")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "accuracy" / "streams")
    parser.add_argument("--seeds", type=int, default=3)
    arguments = parser.parse_args()
    everything = data_sets(arguments.folder)
    print("rows", "sets", *_PASSES, sep="\t")
    for rows in _SIZES:
        large_enough = [data for data in everything if len(data[1]) >= 1.3 * rows]
        losses = np.array(
            [
                [
                    np.mean([loss(data, rows, n, seed) for seed in range(arguments.seeds)])
                    for n in _PASSES
                ]
                for data in large_enough
            ]
        )
        relative = np.log(np.maximum(losses, 1e-4))
        means = np.exp((relative - relative[:, [1]]).mean(axis=0))
        print(rows, len(large_enough), *(f"{mean:.3f}" for mean in means), sep="\t", flush=True)


if __name__ == "__main__":
    main()
