"""`python -m benchmarks.ensembles.batch`: `fit` on three quarters of the rows, beside RandomForest.

The rows are shuffled; the last quarter is predicted. RandomForest has 100 trees, one thread, and
columns of codes where features are nominal. "in passes" are the same boosted trees, which learn the
rows as a stream, four times; "then `partial_fit` once" learns them so after `fit`. ``--study``
compares settings of `fit` over more sets, a part of their rows, and two shuffles: geometric means,
relative to the passes.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import accuracy_score, log_loss, mean_absolute_error, root_mean_squared_error

from benchmarks.accuracy.settings import Settings, titled
from benchmarks.accuracy.streams import STREAMS
from benchmarks.ensembles.learners import OURS, Ours, boosting
from benchmarks.isolation import ROOT
from benchmarks.report import markdown_table


class Bar(NamedTuple):
    """A measure that our better class reaches."""

    stream: str
    measure: str
    text: str


class Figures(NamedTuple):
    """Of a model on rows that it has not learned."""

    error: float  # share of wrong labels, or RMSE
    loss: float  # log loss, or MAE
    seconds: float  # CPU, of learning


Make = Callable[[list[int]], Any]

_BARS = [
    Bar("adult", "log loss", "at most 0.29"),
    Bar("bike_sharing", "RMSE", "at most 45"),
    Bar("covtype", "accuracy", "at least 0.955"),
]
_PART_LEARNED = 0.75
_PASSES = 4
_SHUFFLES = (0, 1)  # of the study
_IN_PASSES = "boosting-30, in passes"
_ONCE_MORE = "default, then `partial_fit` once"
# The sets of the study, and how many of their rows.
_STUDIED = {
    "adult": 48_842,
    "bike_sharing": 17_379,
    "letter": 20_000,
    "higgs_16k": 16_000,
    "fars": 30_000,
    "elec2": 45_000,
    "airline_nyc": 40_000,
    "gmsc": 40_000,
    "covtype": 30_000,
}
_SETTINGS: list[Settings] = [
    {},
    *({"epochs": n} for n in (1, 2)),
    {"n_bins": 64},
    {"n_estimators": 60},
    {"n_estimators": 100, "learning_rate": 0.1},
    *({"gamma": value} for value in (0.2, 1.0)),
]


def main() -> None:
    """Print a table for each stream, or that of the study."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ensembles.batch", description=__doc__
    )
    parser.add_argument("--only", action="append", metavar="STREAM", help="this stream alone")
    parser.add_argument("--learner", action="append", help="this learner alone")
    parser.add_argument("--shuffle", type=int, default=0, help="the seed of the order")
    parser.add_argument("--study", action="store_true", help="compare settings")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "accuracy" / "streams")
    options = parser.parse_args()
    if options.study:
        _print_study([name for name in _STUDIED if name in (options.only or _STUDIED)], options)
        return
    for bar in _BARS:
        if options.only and bar.stream not in options.only:
            continue
        is_of_classes = STREAMS[bar.stream].classification
        lines = []
        for name, make in _learners(bar.stream).items():
            if not options.learner or name in options.learner:
                found = _measured(bar.stream, make, options.folder, seed=options.shuffle)
                error = f"{1.0 - found.error:.4f}" if is_of_classes else f"{found.error:.2f}"
                lines.append([name, error, f"{found.loss:.4f}", f"{found.seconds:.1f}"])
        print(f"### {bar.stream}: {bar.measure} {bar.text}\n")
        heads = ["", "accuracy", "log loss"] if is_of_classes else ["", "RMSE", "MAE"]
        print(markdown_table([*heads, "fit, CPU s"], lines) + "\n", flush=True)


def _learners(stream: str) -> dict[str, Make]:
    is_of_classes = STREAMS[stream].classification
    found = {name: _maker(ours, is_of_classes) for name, ours in OURS.items()}
    found[_IN_PASSES] = _maker(OURS["boosting-30"], is_of_classes, in_passes=True)
    more = boosting(n_estimators=100, learning_rate=0.1)
    found["boosting-100, learning_rate=0.1"] = _maker(more, is_of_classes)
    forest = RandomForestClassifier if is_of_classes else RandomForestRegressor
    found["RandomForest"] = lambda _: forest(random_state=0, n_jobs=1)
    return found


def _maker(
    ours: Ours, is_of_classes: bool, *, in_passes: bool = False, once_more: bool = False
) -> Make:
    kind = ours.classifier if is_of_classes else ours.regressor
    settings = {"random_state": 0, "n_threads": 1} | ours.settings

    def make(nominal: list[int]) -> Any:
        model = kind(categorical_features=nominal, **settings)
        if once_more:
            return _OnceMore(model)
        return _InPasses(model) if in_passes else model

    return make


class _InPasses:
    """A model that learns all rows as a stream, several times, each time in another order."""

    def __init__(self, model: Any) -> None:
        self._model = model

    def fit(self, X: Any, y: Any) -> None:
        random = np.random.RandomState(0)
        for _ in range(_PASSES):
            order = random.permutation(len(y))
            self._model.partial_fit(X[order], y[order])

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


class _OnceMore(_InPasses):
    """A model that learns all rows by `fit`, and then once as a stream."""

    def fit(self, X: Any, y: Any) -> None:
        self._model.fit(X, y)
        order = np.random.RandomState(1).permutation(len(y))
        self._model.partial_fit(X[order], y[order])


def _measured(
    name: str, make: Make, folder: Path, *, rows: int | None = None, seed: int = 0
) -> Figures:
    stream = STREAMS[name]
    whole = stream.files(folder).read()
    order = np.random.default_rng(seed).permutation(len(whole.y))[:rows]
    X, y = np.ascontiguousarray(whole.X[order]), whole.y[order]
    end = int(_PART_LEARNED * len(y))
    model = make(whole.nominal)
    began = time.process_time()
    model.fit(X[:end], y[:end].astype(int) if stream.classification else y[:end])
    seconds = time.process_time() - began
    if not stream.classification:
        predicted = model.predict(X[end:])
        error = root_mean_squared_error(y[end:], predicted)
        return Figures(error, mean_absolute_error(y[end:], predicted), seconds)
    probabilities = model.predict_proba(X[end:])
    predicted = model.classes_[probabilities.argmax(axis=1)]
    of_classes = log_loss(y[end:], probabilities, labels=model.classes_)
    return Figures(1.0 - accuracy_score(y[end:], predicted), of_classes, seconds)


def _print_study(names: list[str], options: argparse.Namespace) -> None:
    compared = {_IN_PASSES: OURS["boosting-30"], _ONCE_MORE: OURS["boosting-30"]}
    compared |= {titled(settings): boosting(**settings) for settings in _SETTINGS}
    lines: list[list[str]] = []
    base: list[Figures] = []
    for title, ours in compared.items():
        if options.learner and title not in (_IN_PASSES, *options.learner):
            continue
        found = _figures(names, ours, options.folder, title)
        base = base or found
        lines.append([title, *(f"{figure:.3f}" for figure in _relative(found, base))])
    heads = ["", "error or RMSE", "log loss or MAE", "CPU time"]
    print(markdown_table(heads, lines))


def _figures(names: list[str], ours: Ours, folder: Path, title: str) -> list[Figures]:
    found: list[Figures] = []
    for name in names:
        make = _maker(
            ours,
            STREAMS[name].classification,
            in_passes=title == _IN_PASSES,
            once_more=title == _ONCE_MORE,
        )
        found += [
            _measured(name, make, folder, rows=_STUDIED[name], seed=seed) for seed in _SHUFFLES
        ]
    return found


def _relative(found: list[Figures], base: list[Figures]) -> list[float]:
    """Return geometric means over all runs, figure by figure."""
    ratios = [np.log(one) - np.log(other) for one, other in zip(found, base, strict=True)]
    means: list[float] = np.exp(np.mean(ratios, axis=0)).tolist()
    return means


if __name__ == "__main__":
    main()
