"""sgtrees over each stream, one thread; each function is the body of a fresh process."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import sgtrees
from benchmarks import datasets, isolation, own_losses, streams
from benchmarks.figures import Measurement
from benchmarks.peak_memory import PeakMemory
from benchmarks.timing import best_of
from sgtrees import SGTBoostingClassifier, SGTClassifier, SGTRegressor
from sgtrees.parameters.constructors import paper_settings
from sgtrees.parameters.table.targets import ClassifierParameters, RegressorParameters

# The paper's, as those of the peers.
_FOR_ALL: dict[str, Any] = {"start": "data", "n_threads": 1}
SETTINGS: dict[str, Any] = {**paper_settings(ClassifierParameters), **_FOR_ALL}
OF_NUMBERS: dict[str, Any] = {**paper_settings(RegressorParameters), **_FOR_ALL}


def collider(rows: int, repeats: int) -> dict[str, Any]:
    return _classify(*streams.collider(rows), repeats)


def collider_by_default(rows: int, repeats: int) -> dict[str, Any]:
    return _collider_by(SGTClassifier, rows, repeats)


def collider_boosted(rows: int, repeats: int, members: int) -> dict[str, Any]:
    def make() -> SGTBoostingClassifier:
        return SGTBoostingClassifier(n_estimators=members, random_state=0)

    return _collider_by(make, rows, repeats)


def _collider_by(make: Callable[[], Any], rows: int, repeats: int) -> dict[str, Any]:
    X, y = streams.collider(rows)
    seconds, model, wrong = best_of(
        repeats, make, lambda model: int((model.learn_predict(X, y) != y).sum())
    )
    return asdict(Measurement(rows, seconds, wrong / rows, _nodes(model)))


def collider_in_blocks(rows: int, repeats: int, block_rows: int, loss: str) -> dict[str, Any]:
    """Learn the stream block by block under log loss: the built-in one, or written in Python."""
    X, y = streams.collider(rows)
    of_estimator = own_losses.make(loss)
    blocks = [slice(begin, begin + block_rows) for begin in range(0, rows, block_rows)]

    def loop(model: Any) -> int:
        return sum(int((model.learn_predict(X[b], y[b]) != y[b]).sum()) for b in blocks)

    seconds, model, wrong = best_of(
        repeats, lambda: SGTClassifier(**SETTINGS, loss=of_estimator), loop
    )
    return asdict(Measurement(rows, seconds, wrong / rows, _nodes(model)))


def friedman(rows: int, repeats: int) -> dict[str, Any]:
    return _regress(*streams.friedman(rows), repeats)


def covertype(rows: int | None, repeats: int, multiclass: str) -> dict[str, Any]:
    table = datasets.frame("covtype", rows, shuffled=True)
    X = table.drop(columns="target").to_numpy(dtype=np.float32)
    nominal = list(range(datasets.COVERTYPE_NUMERIC, X.shape[1]))
    y = table["target"].to_numpy(dtype=np.int64)
    return _classify(X, y, repeats, multiclass=multiclass, categorical_features=nominal)


def model_files(rows: int | None, repeats: int) -> dict[str, Any]:
    """Save and load a committee; seconds by the clock, the file flushed to the disk."""
    table = datasets.frame("covtype", rows, shuffled=True)
    X = table.drop(columns="target").to_numpy(dtype=np.float32)
    nominal = list(range(datasets.COVERTYPE_NUMERIC, X.shape[1]))
    model = SGTClassifier(**SETTINGS, categorical_features=nominal)
    model.partial_fit(X, table["target"].to_numpy(dtype=np.int64))
    with TemporaryDirectory() as folder:
        whole, small = Path(folder) / "whole", Path(folder) / "small"
        model.save(small, inference_only=True)
        save = min(_seconds(lambda: model.save(whole)) for _ in range(repeats))
        load = min(_seconds(lambda: sgtrees.load(whole)) for _ in range(repeats))
        # Elsewhere, since memory that this process has freed would be taken first.
        rise = isolation.call("benchmarks.ours:memory_of_loading", path=str(whole))
        return {
            "save": save,
            "load": load,
            "rise": rise,
            "leaves": model.n_leaves_,
            "bytes": whole.stat().st_size,
            "small": small.stat().st_size,
        }


def memory_of_loading(path: str) -> int:
    with PeakMemory() as memory:
        model = sgtrees.load(path)
    assert model.n_leaves_
    return memory.rise


def _seconds(call: Callable[[], object]) -> float:
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def kdd99(rows: int | None, repeats: int) -> dict[str, Any]:
    table = datasets.frame("kdd99_10pct", rows, shuffled=True)
    X, y = table.drop(columns="target"), np.asarray(table["target"]).astype(str)
    nominal = list(datasets.KDD99_NOMINAL)
    return _classify(X, y, repeats, multiclass="committee", categorical_features=nominal)


def airline(rows: int | None, repeats: int) -> dict[str, Any]:
    table = datasets.frame("airline_vega_2001_3m", rows)
    return _regress(table.drop(columns="target"), _float_target(table), repeats)


def airline_memory(rows: int | None) -> dict[str, Any]:
    """Return how far the process's peak memory rose while it learned, in bytes."""
    table = datasets.frame("airline_vega_2001_3m", rows)
    X, y = table.drop(columns="target"), _float_target(table)
    del table
    with PeakMemory() as memory:
        SGTRegressor(**OF_NUMBERS).learn_predict(X, y)
    return {"bytes": memory.rise, "rows": len(y)}


def single_rows(rows: int, repeats: int) -> dict[str, Any]:
    """Predict and learn row by row, from dictionaries; the warm-up's rows are not timed."""
    warm_up = 1_000
    X, y = streams.collider(rows + warm_up)
    names = [f"x{j}" for j in range(X.shape[1])]
    events = [
        (dict(zip(names, row, strict=True)), label)
        for row, label in zip(X.tolist(), y.tolist(), strict=True)
    ]

    def prepare() -> Any:
        model = SGTClassifier(**SETTINGS)
        for x, label in events[:warm_up]:
            model.learn_one(x, label)
        return model

    def loop(model: Any) -> int:
        predict, learn, wrong = model.predict_one, model.learn_one, 0
        for x, label in events[warm_up:]:
            wrong += predict(x) != label
            learn(x, label)
        return wrong

    seconds, model, wrong = best_of(repeats, prepare, loop)
    return asdict(Measurement(rows, seconds, wrong / rows, _nodes(model)))


def _classify(X: Any, y: Any, repeats: int, **parameters: Any) -> dict[str, Any]:
    seconds, model, predictions = best_of(
        repeats,
        lambda: SGTClassifier(**SETTINGS, **parameters),
        lambda model: model.learn_predict(X, y),
    )
    error = float(np.mean(np.asarray(predictions) != y))
    return asdict(Measurement(len(y), seconds, error, _nodes(model)))


def _regress(X: Any, y: Any, repeats: int) -> dict[str, Any]:
    seconds, model, predictions = best_of(
        repeats, lambda: SGTRegressor(**OF_NUMBERS), lambda model: model.learn_predict(X, y)
    )
    error = float(np.mean(np.abs(np.asarray(predictions) - y)))
    return asdict(Measurement(len(y), seconds, error, _nodes(model)))


def _float_target(table: Any) -> Any:
    return table["target"].to_numpy(dtype=np.float64)


def _nodes(model: Any) -> int:
    return int(np.sum(model.n_nodes_))
