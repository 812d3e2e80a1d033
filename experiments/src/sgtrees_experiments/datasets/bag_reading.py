"""Readers of bags: Parquet with a bag in each row, and the original of the musk data."""

import csv
import zipfile
from collections.abc import Sequence
from io import TextIOWrapper
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sgtrees_experiments.datasets.known import Bags

_BAG, _LABEL = "bag", "label"


def read_bag_parquet(paths: Sequence[Path]) -> Bags:
    """Read rows with the columns ``bag``, ``label`` (0 or 1) and features."""
    (path,) = paths
    table = pq.read_table(path)
    names = [name for name in table.column_names if name not in (_BAG, _LABEL)]
    columns = [np.asarray(table[name].to_numpy(), dtype=np.float64) for name in names]
    return _by_bag(
        np.column_stack(columns), table[_BAG].to_numpy(), table[_LABEL].to_numpy().astype(np.int64)
    )


def read_musk(paths: Sequence[Path]) -> Bags:
    """Read UCI's file: molecule, conformation, 166 numbers and the class in each line."""
    (path,) = paths
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            name = next(name for name in archive.namelist() if name.endswith(".data"))
            with archive.open(name) as file:
                lines = list(csv.reader(TextIOWrapper(file)))
    else:
        with path.open(newline="") as text:
            lines = list(csv.reader(text))
    numbers = np.array([line[2:] for line in lines if line], dtype=np.float64)
    molecules = np.array([line[0] for line in lines if line])
    return _by_bag(numbers[:, :-1], molecules, numbers[:, -1].astype(np.int64))


def _by_bag(rows: NDArray[np.float64], bag: NDArray[np.generic], label: NDArray[np.int64]) -> Bags:
    _, first, number = np.unique(bag, return_index=True, return_inverse=True)
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number))[:-1]
    return Bags(np.split(rows[order], ends), label[first])
