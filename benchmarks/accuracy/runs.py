"""Learners over a stream in some orders: ours in this process, MOA's in Java."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.accuracy.measures import Measures, calibration_error, of_numbers, of_probabilities
from benchmarks.accuracy.records import Run, spelled
from benchmarks.accuracy.streams import FILE_ORDER, StudyStream, order_of
from sgtrees import SGTClassifier, SGTRegressor
from sgtrees_experiments.moa import MoaRun, StreamFiles, run_moa
from sgtrees_experiments.moa.stream_files import write_numbers

CURVE_PARTS = 50


def run_ours(
    stream: StudyStream,
    files: StreamFiles,
    order: str,
    settings: dict[str, Any],
    rows: int = 0,
    *,
    estimator: type[SGTClassifier | SGTRegressor] | None = None,
) -> Run:
    """Run our trees, one thread, over the first rows of an order (0: all), in memory.

    By default a single tree; other estimators are those of ensembles.
    """
    whole = files.read()
    numbers = order_of(order, len(whole.y))[: rows or None]
    X, y = np.ascontiguousarray(whole.X[numbers]), np.array(whole.y[numbers])
    if stream.classification:  # not all classes need be among the first rows
        y = np.unique(y, return_inverse=True)[1]
    estimator = estimator or (SGTClassifier if stream.classification else SGTRegressor)
    model: Any = estimator(categorical_features=whole.nominal, n_threads=1, **settings)
    began = time.process_time()
    if stream.classification:
        probabilities = model.learn_predict(X, y, method="predict_proba")
        seconds = time.process_time() - began
        measures = of_probabilities(probabilities, y)
        losses = (probabilities.argmax(axis=1) != y).astype(np.float64)
    else:
        predicted = model.learn_predict(X, y)
        seconds = time.process_time() - began
        measures = of_numbers(predicted, y)
        losses = np.abs(predicted - y)
    sums = np.cumsum(losses)[ends_of_parts(len(y)) - 1]
    curve = _curve(order, sums, len(y))
    name = spelled(settings)
    return Run(stream.name, order, name, measures, model.n_nodes_, seconds, rows, curve)


def run_peer(
    stream: StudyStream,
    files: StreamFiles,
    orders: Sequence[str],
    learner: str,
    rows: int = 0,
    **limits: Any,
) -> Iterator[Run]:
    """Run a learner of MOA over the first rows of some orders (0: all).

    `limits` are those of `run_moa`. A run that takes too long ends early: its measures are those of
    the rows up to there, and its curve has fewer parts.
    """
    whole = files.read()
    n_rows = min(rows or len(whole.y), len(whole.y))
    with TemporaryDirectory() as scratch:
        numbers = [order_of(order, len(whole.y))[:n_rows] for order in orders]
        if n_rows < len(whole.y):
            # Only these rows are written, so that Java need not read all of them.
            files = StreamFiles.write(whole.take(np.concatenate(numbers)), Path(scratch))
            numbers = [n_rows * place + np.arange(n_rows) for place in range(len(orders))]
        ends = write_numbers(ends_of_parts(n_rows), Path(scratch, "ends"))
        paths = [
            write_numbers(rows_in_order, Path(scratch, f"order {order}"))
            for order, rows_in_order in zip(orders, numbers, strict=True)
        ]
        runs = run_moa(learner, files, ends, paths, **limits)
        for order, run in zip(orders, runs, strict=True):
            reached = int(ends_of_parts(n_rows)[len(run.losses) - 1])
            measures = _measures(stream, run, reached)
            curve = _curve(order, np.array(run.losses), n_rows)
            yield Run(
                stream.name,
                order,
                learner,
                measures,
                run.nodes,
                run.seconds,
                rows,
                curve,
                ended=reached if reached < n_rows else 0,
            )


def ends_of_parts(n_rows: int) -> NDArray[np.int64]:
    """Return the ends of the parts of a stream that a curve has; all but the last of one length."""
    return np.unique(np.linspace(0, n_rows, min(CURVE_PARTS, n_rows) + 1).astype(np.int64)[1:])


def _curve(order: str, sums: NDArray[np.float64], n_rows: int) -> list[float]:
    """Return the mean loss of each part; of a shuffled stream, in which nothing changes, none."""
    if order != FILE_ORDER:
        return []
    lengths = np.diff(ends_of_parts(n_rows), prepend=0)
    means: list[float] = (np.diff(sums, prepend=0.0) / lengths[: len(sums)]).round(6).tolist()
    return means


def _measures(stream: StudyStream, run: MoaRun, n_rows: int) -> Measures:
    first, second = run.losses[-1] / n_rows, run.second_loss / n_rows
    if stream.classification:
        calibration = calibration_error(run.confidence)
        return {"error": first, "log_loss": second, "calibration": calibration}
    return {"mae": first, "rmse": float(np.sqrt(second))}
