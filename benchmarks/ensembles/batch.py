"""`python -m benchmarks.ensembles.batch`: `fit` on three quarters of the rows, beside RandomForest.

The rows are shuffled; the last quarter is predicted. RandomForest has 100 trees, one thread, and
columns of codes where features are nominal. The defaults of boosting are chosen for streams. Where
all rows are there and are learned in several passes, more members of smaller steps, finer bins
that are laid for more rows, and half of the features for each tree fit them less closely.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import accuracy_score, log_loss, root_mean_squared_error

from benchmarks.accuracy.streams import STREAMS, order_of
from benchmarks.ensembles.learners import OURS, SHUFFLED, boosting
from benchmarks.isolation import ROOT
from benchmarks.report import markdown_table


class Bar(NamedTuple):
    """A measure that our better class reaches."""

    stream: str
    measure: str
    text: str


_BARS = [
    Bar("adult", "log loss", "at most 0.29"),
    Bar("bike_sharing", "RMSE", "at most 45"),
    Bar("covtype", "accuracy", "at least 0.955"),
]
_PART_LEARNED = 0.75
_FOR_FIT = boosting(
    n_estimators=60,
    learning_rate=0.1,
    max_features=0.5,
    binning="quantile",
    n_bins=64,
    warm_up=2000,
    max_memory="5GB",
)


def main() -> None:
    """Print a table for each stream."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ensembles.batch", description=__doc__
    )
    parser.add_argument("--only", action="append", metavar="STREAM", help="this stream alone")
    parser.add_argument("--learner", action="append", help="this learner alone")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "accuracy" / "streams")
    options = parser.parse_args()
    for bar in _BARS:
        if options.only and bar.stream not in options.only:
            continue
        lines = []
        for name, make in _learners(bar.stream).items():
            if not options.learner or name in options.learner:
                lines.append([name, *_measured(bar.stream, make, options.folder)])
        print(f"### {bar.stream}: {bar.measure} {bar.text}\n")
        heads = ["", "accuracy", "log loss"] if STREAMS[bar.stream].classification else ["", "RMSE"]
        print(markdown_table([*heads, "fit, CPU s"], lines) + "\n", flush=True)


def _learners(stream: str) -> dict[str, Callable[[Any], Any]]:
    is_of_classes = STREAMS[stream].classification
    found: dict[str, Callable[[Any], Any]] = {}
    for name, ours in (OURS | {"boosting-60, for fit": _FOR_FIT}).items():
        kind = ours.classifier if is_of_classes else ours.regressor
        settings = {"random_state": 0} | ours.settings
        found[name] = lambda nominal, kind=kind, settings=settings: kind(
            categorical_features=nominal, n_threads=1, **settings
        )
    forest = RandomForestClassifier if is_of_classes else RandomForestRegressor
    found["RandomForest"] = lambda _: forest(random_state=0, n_jobs=1)
    return found


def _measured(name: str, make: Callable[[Any], Any], folder: Path) -> list[str]:
    stream = STREAMS[name]
    whole = stream.files(folder).read()
    order = order_of(SHUFFLED, len(whole.y))
    X, y = np.ascontiguousarray(whole.X[order]), whole.y[order]
    end = int(_PART_LEARNED * len(y))
    model = make(whole.nominal)
    began = time.process_time()
    model.fit(X[:end], y[:end].astype(int) if stream.classification else y[:end])
    seconds = f"{time.process_time() - began:.1f}"
    if not stream.classification:
        return [f"{root_mean_squared_error(y[end:], model.predict(X[end:])):.2f}", seconds]
    probabilities = model.predict_proba(X[end:])
    predicted = model.classes_[probabilities.argmax(axis=1)]
    of_classes = log_loss(y[end:], probabilities, labels=model.classes_)
    return [f"{accuracy_score(y[end:], predicted):.4f}", f"{of_classes:.4f}", seconds]


if __name__ == "__main__":
    main()
