"""The first rows of the real data sets as blocks of numbers, in the form that the core takes."""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.oracle.configurations import Configuration
from tests.oracle.oracle import Settings

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Stream:
    """Rows with nominal columns as category numbers, targets as class numbers or numbers."""

    X: Floats
    y: Floats
    nominal: list[bool]


def numbers_by_first_appearance(values: NDArray[np.generic]) -> NDArray[np.intp]:
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.intp)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]


def folder() -> Path:
    given = os.environ.get("SGTREES_DATA")
    if given:
        return Path(given)
    return Path(__file__).resolve().parents[3] / "shared" / "data"


def require_file(name: str) -> Path:
    """Skips the test where the data or the means to read it are absent."""
    pytest.importorskip("pyarrow.parquet", reason="pyarrow reads the real data")
    path = folder() / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"{name}.parquet is not in ../shared/data, nor where SGTREES_DATA says")
    return path


def values_of(column: Any) -> NDArray[Any]:
    """Of a column of an Arrow table; those of a dictionary are strings."""
    column = column.combine_chunks()
    if str(column.type).startswith("dictionary"):
        column = column.cast("string")
    return np.asarray(column.to_numpy(zero_copy_only=False))


@functools.cache
def nominal_columns_of(path: Path) -> frozenset[str]:
    """Of strings, and of whole numbers that are all 0 or 1: that takes a look at every row."""
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(path)
    return frozenset(name for name in table.column_names if is_nominal(values_of(table[name])))


def is_nominal(values: NDArray[Any]) -> bool:
    if values.dtype == object:
        return True
    return np.issubdtype(values.dtype, np.integer) and bool(np.isin(values, (0, 1)).all())


def load(
    name: str,
    n_rows: int,
    *,
    shuffled: bool,
    classification: bool,
    more_targets: Sequence[str] = (),
) -> Stream:
    """Skips the test where `require_file` does.

    Nominal are the columns of strings, and the whole-number columns that hold only 0 and 1 in the
    whole file. ``more_targets`` are columns that are targets too, and features no longer.
    """
    path = require_file(name)
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(path)
    order = np.arange(table.num_rows)
    if shuffled:
        order = np.random.default_rng(0).permutation(table.num_rows)
    nominal_columns = nominal_columns_of(path)
    table = table.take(order[:n_rows])
    columns, nominal = [], []
    for column_name in table.column_names:
        if column_name == "target" or column_name in more_targets:
            continue
        values = values_of(table[column_name])
        nominal.append(column_name in nominal_columns)
        if nominal[-1]:
            values = numbers_by_first_appearance(values)
        columns.append(values.astype(np.float64))
    y = values_of(table["target"])
    if classification:
        y = numbers_by_first_appearance(y)
    y = y.astype(np.float64)
    if more_targets:
        others = [table[other].to_numpy().astype(np.float64) for other in more_targets]
        y = np.ascontiguousarray(np.column_stack([y, *others]))
    return Stream(np.ascontiguousarray(np.column_stack(columns)), y, nominal)


def real(
    name: str, task: str, n_rows: int, settings: Settings, *, shuffled: bool = False
) -> Configuration:
    """The first rows of a file, some of which are predicted again at the end."""
    stream = load(name, n_rows, shuffled=shuffled, classification=task != "regression")
    probes = np.ascontiguousarray(stream.X[:: max(1, n_rows // 100)])
    return Configuration(
        name, task, settings, stream.nominal, None, stream.X, stream.y, None, probes
    )
