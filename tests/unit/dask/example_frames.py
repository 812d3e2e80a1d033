"""Rows to be learned here and on a cluster, and how the two are compared."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd

COLOURS = np.array(["red", "green", "blue", "grey", "pink", "gold", "teal", "lime"])


def frame(n_rows: int = 120_000, seed: int = 0) -> pd.DataFrame:
    """Numbers, categories that come late, missing values, weights of which some are 0."""
    random = np.random.default_rng(seed)
    late = np.arange(n_rows) > 0.6 * n_rows
    place = np.where(late, random.integers(0, 8, n_rows), random.integers(0, 5, n_rows))
    a, b = random.normal(size=n_rows), random.random(n_rows)
    score = np.sin(2 * a) + (place % 3) * b + random.normal(size=n_rows) / 4
    a[random.random(n_rows) < 0.02] = np.nan
    label = np.array(["low", "middle", "high", "top"])[np.digitize(score, [0.0, 1.0, 2.5])]
    return pd.DataFrame(
        {
            "a": a,
            "colour": COLOURS[place],
            "b": b.astype(np.float32),
            "score": score,
            "label": label,
            "weight": random.integers(0, 3, n_rows).astype(float),
        }
    )


def cut_at(data: pd.DataFrame, places: Sequence[int]) -> Any:
    """Partitions of any size, empty ones too."""
    ends = [0, *places, len(data)]
    parts = [data.iloc[a:b] for a, b in itertools.pairwise(ends)]
    return of_parts(parts)


def of_parts(parts: Sequence[pd.DataFrame]) -> Any:
    return dd.from_map(_same, parts, meta=parts[0].iloc[:0], enforce_metadata=False)


def _same(part: pd.DataFrame) -> pd.DataFrame:
    return part


def array_of(values: Any, rows: Sequence[int]) -> Any:
    chunks = (tuple(rows), values.shape[1]) if values.ndim == 2 else (tuple(rows),)
    return da.from_array(values, chunks=chunks)


def assert_same(here: Any, there: Any) -> None:
    """Bit for bit."""
    first, second = here.model_.core.state(), there.model_.core.state()
    assert first.keys() == second.keys()
    for key, array in first.items():
        assert np.array_equal(array, second[key], equal_nan=True), key
    mine, other = here.model_.schema, there.model_.schema
    assert mine.category_numbers == other.category_numbers
    assert [f.name for f in mine.features] == [f.name for f in other.features]
    if hasattr(here.model_, "labels"):
        assert here.model_.labels.seen == there.model_.labels.seen
