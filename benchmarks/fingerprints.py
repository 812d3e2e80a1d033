"""Fingerprints of models, to compare two versions of this library bit for bit.

Learns the real data sets with many settings, test then train, and writes for each model the number
of its nodes and leaves and a checksum of all of its predictions. It uses the public interface only,
so that the same file runs in a checkout of either version:

    python benchmarks/fingerprints.py --out before.json        # in the old checkout
    python benchmarks/fingerprints.py --compare before.json    # in the new one

The second command lists the models that differ, and ends with an error if there are any. Data come
from $SGTREES_DATA or ../shared/data; sets that are not there are left out, and said so.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from sgtrees import SGTClassifier, SGTMultiInstanceClassifier, SGTRegressor

ROOT = Path(__file__).resolve().parent.parent
CLASSES = ("covtype", "kdd99_10pct", "elec2", "adult", "letter", "fars", "gmsc", "higgs_16k")
NUMBERS = {
    "aws_spot_us_east_1_2016": ("squared_error", "absolute_error"),
    "airline_nyc_2013": ("squared_error", "huber", "quantile", "log_cosh"),
    "airline_vega_2001_3m": ("squared_error",),
    "bike_sharing_hour": ("squared_error", "poisson", "tweedie"),
    "fremtpl2_freq": ("poisson", "squared_error"),
}
BAGS = ("mil_musk1", "mil_atoms", "mil_fox")

Learned = tuple[Any, np.ndarray]


def folder() -> Path:
    """Where the data are."""
    return Path(os.environ.get("SGTREES_DATA") or ROOT.parent / "shared" / "data")


def read(name: str, rows: int) -> tuple[pd.DataFrame, pd.Series]:
    """Return the first rows of a set: features and target."""
    table = pd.read_parquet(folder() / f"{name}.parquet").iloc[:rows]
    return table.drop(columns="target"), table["target"]


def classifier(name: str, rows: int, make: Callable[[], SGTClassifier]) -> Learned:
    """Learn labels, and predict probabilities before each row."""
    X, y = read(name, rows)
    model = make()
    half = len(X) // 2
    labels = model.learn_predict(X[:half], y[:half])
    after = model.learn_predict(X[half:], y[half:])
    codes = np.concatenate([pd.factorize(np.concatenate([labels, after]))[0].astype(np.float64)])
    return model, np.concatenate([codes, model.predict_proba(X[: min(half, 20_000)]).ravel()])


def regressor(name: str, rows: int, make: Callable[[], SGTRegressor]) -> Learned:
    """Learn numbers, and predict them before each row."""
    X, y = read(name, rows)
    model = make()
    half = len(X) // 2
    before = model.learn_predict(X[:half], y[:half])
    after = model.learn_predict(X[half:], y[half:])
    return model, np.concatenate([before, after, model.predict(X[: min(half, 20_000)])])


def bags(name: str, make: Callable[[], SGTMultiInstanceClassifier]) -> Learned:
    """Learn bags, and predict them."""
    table = pd.read_parquet(folder() / f"{name}.parquet")
    labels = table.groupby("bag", sort=False)["label"].first()
    X = table.drop(columns=["bag", "label"])
    model = make().fit(X, labels.to_numpy(), table["bag"].to_numpy())
    return model, model.predict_proba(X, table["bag"].to_numpy()).ravel()


def models(rows: int) -> Iterator[tuple[str, Callable[[], Learned]]]:
    """Yield each model's name, and the function that learns it."""
    settings: dict[str, dict[str, Any]] = {
        "defaults": {},
        "vector": {"multiclass": "vector"},
        "linear": {"leaf_model": "linear"},
        "rounds": {"round_rows": 2000},
        "bounded": {"max_memory": 2_000_000, "max_leaves": 40},
        "quantile_bins": {"binning": "quantile", "n_threads": 2},
    }
    for name in CLASSES:
        for setting, parameters in settings.items():
            n = min(rows, 10_000) if setting == "linear" else rows
            yield (
                f"{name}/{setting}",
                lambda name=name, n=n, p=parameters: classifier(
                    name, n, lambda: SGTClassifier(**p)
                ),
            )
        yield f"{name}/paper", lambda name=name: classifier(name, rows, SGTClassifier.paper)
    for name, losses in NUMBERS.items():
        for loss in losses:
            yield (
                f"{name}/{loss}",
                lambda name=name, loss=loss: regressor(name, rows, lambda: SGTRegressor(loss=loss)),
            )
        yield (
            f"{name}/linear",
            lambda name=name: regressor(
                name, min(rows, 10_000), lambda: SGTRegressor(leaf_model="linear")
            ),
        )
        yield f"{name}/paper", lambda name=name: regressor(name, rows, SGTRegressor.paper)
    for name in BAGS:
        yield (
            f"{name}/bags",
            lambda name=name: bags(name, lambda: SGTMultiInstanceClassifier(random_state=0)),
        )


def fingerprint(learned: Learned) -> dict[str, Any]:
    """Return what identifies a model: its size, and its predictions to the last bit."""
    model, predictions = learned
    digest = hashlib.sha256(np.ascontiguousarray(predictions, dtype=np.float64).tobytes())
    return {
        "nodes": int(model.n_nodes_),
        "leaves": int(model.n_leaves_),
        "predictions": digest.hexdigest()[:16],
    }


def fingerprints(rows: int) -> dict[str, dict[str, Any]]:
    """Learn all models, and say how far it is."""
    found = {}
    for name, learn in models(rows):
        if not (folder() / f"{name.split('/')[0]}.parquet").exists():
            print(f"{name}: left out, the data are not there", file=sys.stderr)
            continue
        found[name] = fingerprint(learn())
        print(f"{name}: {found[name]}", file=sys.stderr)
    return found


def main() -> int:
    """Write fingerprints, or compare them with those of another version."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--out", type=Path, help="file to write fingerprints to")
    parser.add_argument("--compare", type=Path, help="file of another version's fingerprints")
    parser.add_argument("--rows", type=int, default=50_000, help="rows of each set at most")
    arguments = parser.parse_args()
    here = fingerprints(arguments.rows)
    if arguments.out:
        arguments.out.write_text(json.dumps(here, indent=1) + "\n")
    if not arguments.compare:
        return 0
    there = json.loads(arguments.compare.read_text())
    differing = sorted(name for name in here.keys() & there.keys() if here[name] != there[name])
    for name in differing:
        print(f"{name}: {there[name]} became {here[name]}")
    print(f"{len(here.keys() & there.keys())} models compared, {len(differing)} differ")
    return 1 if differing else 0


if __name__ == "__main__":
    raise SystemExit(main())
