"""Data sets in several orders, and a model over one of them."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import datasets
from sgtrees import SGTRegressor

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Stream:
    """Rows in one order; weights are exposures."""

    name: str
    order: str
    X: Any
    y: Floats
    weights: Floats | None


@dataclass(frozen=True)
class Run:
    """One model over one stream."""

    predictions: Floats
    nodes: int


def streams(name: str, rows: int | None, seeds: Sequence[int]) -> Iterator[Stream]:
    """Yield a data set in the order of its file, then shuffled with each seed."""
    table = datasets.frame(name)
    weights = None
    if "Exposure" in table:
        weights = table.pop("Exposure").to_numpy(dtype=np.float64)
    y = table.pop("target").to_numpy(dtype=np.float64)
    for seed in (None, *seeds):
        order = (
            np.arange(len(y)) if seed is None else np.random.default_rng(seed).permutation(len(y))
        )
        order = order[:rows]
        yield Stream(
            name,
            "file" if seed is None else f"shuffled, seed {seed}",
            table.iloc[order].reset_index(drop=True),
            y[order],
            None if weights is None else weights[order],
        )


def learn(stream: Stream, loss: Any, **parameters: Any) -> Run:
    model = SGTRegressor(loss=loss, **parameters)
    began = time.process_time()
    predictions = model.learn_predict(stream.X, stream.y, sample_weight=stream.weights)
    seconds = time.process_time() - began
    print(
        f"  {stream.name}, {stream.order}: {loss} in {seconds:.1f} s", file=sys.stderr, flush=True
    )
    return Run(predictions, model.n_nodes_)
