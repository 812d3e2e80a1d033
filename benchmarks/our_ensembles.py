"""Ensembles of sgtrees; each function is the body of a fresh process."""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np

from benchmarks import streams
from benchmarks.accuracy.runs import run_ours
from benchmarks.accuracy.streams import FILE_ORDER, STREAMS
from benchmarks.figures import Measurement
from benchmarks.timing import best_of
from sgtrees import SGTBoostingClassifier, SGTForestClassifier

_KINDS = {"boosting": SGTBoostingClassifier, "forest": SGTForestClassifier}


def learned_by_the_clock(kind: str, rows: int, members: int, threads: int) -> float:
    """Return the rows that it learns in a second of the clock."""
    X, y = streams.collider(rows)
    model = _KINDS[kind](n_estimators=members, random_state=0, n_threads=threads)
    began = time.perf_counter()
    model.learn_predict(X, y)
    return rows / (time.perf_counter() - began)


def predicted(rows: int, repeats: int, members: int, data: str) -> dict[str, Any]:
    """Learn rows, write them to a file for a peer, and predict them."""
    X, y = streams.collider(rows)
    X = X.astype(np.float64)
    np.savez(data, X=X, y=y)
    model = SGTBoostingClassifier(n_estimators=members, random_state=0, n_threads=1)
    model.partial_fit(X, y)
    seconds, _, _ = best_of(repeats, lambda: model, lambda fitted: fitted.predict_proba(X))
    measurement = Measurement(rows, seconds, nodes=model.n_nodes_)
    return asdict(measurement) | {"leaves": model.n_leaves_, "trees": model.n_trees_}


def memory(kind: str, rows: int, members: int, seeds: int) -> float:
    """Return the bytes that an ensemble takes: the mean over some seeds."""
    X, y = streams.collider(rows)
    return mean(
        _KINDS[kind](n_estimators=members, random_state=seed).partial_fit(X, y).memory_bytes_
        for seed in range(seeds)
    )


def in_file_order(
    kind: str, stream: str, rows: int, repeats: int, members: int, folder: str
) -> dict[str, Any]:
    """Predict and learn the first rows of a real stream (0: all)."""
    files = STREAMS[stream].files(Path(folder))
    settings = {"n_estimators": members, "random_state": 0}
    runs = [
        run_ours(STREAMS[stream], files, FILE_ORDER, settings, rows, estimator=_KINDS[kind])
        for _ in range(repeats)
    ]
    best = min(runs, key=lambda run: run.seconds)
    n_rows = rows or len(files.read().y)
    return asdict(Measurement(n_rows, best.seconds, best.measures["error"], best.nodes))
