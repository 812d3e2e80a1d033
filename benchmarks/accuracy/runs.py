"""Learners over a stream in some orders: ours in this process, MOA's in Java."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.accuracy.measures import Measures, calibration_error, of_numbers, of_probabilities
from benchmarks.accuracy.records import Run, spelled
from benchmarks.accuracy.streams import StudyStream, order_of
from sgtrees import SGTClassifier, SGTRegressor
from sgtrees_experiments.moa import MoaRun, StreamFiles, run_moa
from sgtrees_experiments.moa.stream_files import write_numbers


def run_ours(
    stream: StudyStream,
    files: StreamFiles,
    order: str,
    settings: dict[str, Any],
    rows: int = 0,
) -> Run:
    """Run our trees, one thread, over the first rows of an order (0: all), in memory."""
    whole = files.read()
    numbers = order_of(order, len(whole.y))[: rows or None]
    X, y = np.ascontiguousarray(whole.X[numbers]), np.array(whole.y[numbers])
    if stream.classification:  # not all classes need be among the first rows
        y = np.unique(y, return_inverse=True)[1]
    estimator = SGTClassifier if stream.classification else SGTRegressor
    model: Any = estimator(categorical_features=whole.nominal, n_threads=1, **settings)
    began = time.process_time()
    if stream.classification:
        probabilities = model.learn_predict(X, y, method="predict_proba")
        seconds = time.process_time() - began
        measures = of_probabilities(probabilities, y)
    else:
        predicted = model.learn_predict(X, y)
        seconds = time.process_time() - began
        measures = of_numbers(predicted, y)
    return Run(stream.name, order, spelled(settings), measures, model.n_nodes_, seconds, rows)


def run_peer(
    stream: StudyStream, files: StreamFiles, orders: Sequence[str], learner: str
) -> Iterator[Run]:
    """Run a learner of MOA."""
    n_rows = len(files.read().y)
    with TemporaryDirectory() as scratch:
        ends = write_numbers([n_rows], Path(scratch, "ends"))
        paths = [write_numbers(order_of(order, n_rows), Path(scratch, order)) for order in orders]
        for order, run in zip(orders, run_moa(learner, files, ends, paths), strict=True):
            measures = _measures(stream, run, n_rows)
            yield Run(stream.name, order, learner, measures, run.nodes, run.seconds)


def _measures(stream: StudyStream, run: MoaRun, n_rows: int) -> Measures:
    first, second = run.losses[-1] / n_rows, run.second_loss / n_rows
    if stream.classification:
        calibration = calibration_error(run.confidence)
        return {"error": first, "log_loss": second, "calibration": calibration}
    return {"mae": first, "rmse": float(np.sqrt(second))}
