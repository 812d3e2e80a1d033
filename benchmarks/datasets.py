"""Real streams from Parquet files in $SGTREES_DATA or ../shared/data; the target is `target`."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.isolation import ROOT
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.moa import NumericStream

COVERTYPE_NUMERIC = 10
# The symbolic columns, as the data set's own list of names declares them.
KDD99_NOMINAL = (
    "protocol_type",
    "service",
    "flag",
    "land",
    "logged_in",
    "is_host_login",
    "is_guest_login",
)


def frame(name: str, rows: int | None = None, *, shuffled: bool = False) -> Any:
    """Read the first `rows` of a data set, after the shuffle if there is one, as a data frame."""
    # The synthetic streams do without these two.
    pandas = importlib.import_module("pandas")
    importlib.import_module("pyarrow")  # what pandas reads Parquet with

    path = directory() / f"{name}.parquet"
    if not path.exists():
        raise AbsentError(f"no {name}.parquet in $SGTREES_DATA or ../shared/data")
    table = pandas.read_parquet(path)
    if shuffled:
        table = table.iloc[np.random.default_rng(0).permutation(len(table))]
    return table.iloc[:rows].reset_index(drop=True)


def coded(table: Any, nominal: list[str], *, classification: bool = True) -> NumericStream:
    """Turn a data frame into numbers, for peers that read nothing else."""
    features = table.drop(columns="target")
    columns, cardinalities = [], []
    for name in features:
        codes, count = _codes(features[name]) if name in nominal else (features[name], 0)
        columns.append(np.asarray(codes, dtype=np.float64))
        cardinalities.append(count)
    target, classes = _codes(table["target"]) if classification else (table["target"], 0)
    y = np.asarray(target, dtype=np.float64)
    return NumericStream(np.column_stack(columns), y, cardinalities, classes)


def covertype_nominal(table: Any) -> list[str]:
    return list(table.columns[COVERTYPE_NUMERIC:-1])


def directory() -> Path:
    return Path(os.environ.get("SGTREES_DATA") or ROOT.parent / "shared" / "data")


def _codes(column: Any) -> tuple[NDArray[np.int64], int]:
    values, codes = np.unique(np.asarray(column), return_inverse=True)
    return codes, len(values)
