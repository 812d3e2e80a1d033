"""Readers of bags: Parquet, the original of the musk data, and WEKA's relational ARFF."""

import csv
import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sgtrees_experiments.datasets.dataset import Bags

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


_ATTRIBUTE = re.compile(r"@attribute\s+('[^']*'|\"[^\"]*\"|\S+)\s+(.*)", re.IGNORECASE)


@dataclass(frozen=True)
class _Header:
    """The categories of each attribute of an instance (none: a number), and the two classes."""

    features: list[list[str]]
    classes: list[str]


def read_relational_arff(paths: Sequence[Path]) -> Bags:
    """Read bags; a nominal attribute becomes a 0/1 column for each of its categories.

    Parameters
    ----------
    paths : sequence of Path
        One file.

    Returns
    -------
    Bags
        The bags; the class that is declared last is the positive one.

    Raises
    ------
    ValueError
        If a line is not what it should be; the message names it.
    """
    (path,) = paths
    lines = enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
    header = _read_header(lines, path.name)
    bags, y = [], []
    for number, line in lines:
        if not line.strip() or line.startswith("%"):
            continue
        where = f"{path.name}, line {number}"
        fields = next(csv.reader([line], quotechar=_quote(line), skipinitialspace=True))
        if len(fields) != 3:
            raise ValueError(f"{where}: {len(fields)} fields instead of a name, a bag and a class")
        _, bag, label = fields
        if label.strip() not in header.classes:
            raise ValueError(f"{where}: the class {label.strip()!r} is not declared")
        bags.append(_bag(bag, header.features, where))
        y.append(header.classes.index(label.strip()))
    return Bags(bags, np.array(y, dtype=np.int64))


def _quote(line: str) -> str:
    """Return what quotes the bag: the kind of quote that comes last, before the class."""
    return "'" if line.rfind("'") > line.rfind('"') else '"'


def _read_header(lines: Iterator[tuple[int, str]], name: str) -> _Header:
    features: list[list[str]] = []
    classes: list[str] = []
    inside = False
    for _, line in lines:
        word = line.strip().lower()
        if word.startswith("@end"):
            inside = False
        elif word.startswith("@data"):
            break
        elif found := _ATTRIBUTE.match(line.strip()):
            kind = found[2].strip()
            if kind.lower() == "relational":
                inside = True
            elif inside:
                features.append(_categories(kind))
            else:
                # The bag's name comes first, the class last of all.
                classes = _categories(kind)
    if len(classes) != 2 or not features:
        raise ValueError(f"{name} is no file of bags: a relational attribute and two classes")
    return _Header(features, classes)


def _categories(kind: str) -> list[str]:
    if not kind.startswith("{"):
        return []
    return [value.strip().strip("'\"") for value in kind.strip("{} ").split(",")]


def _bag(text: str, features: list[list[str]], where: str) -> NDArray[np.float64]:
    instances = [line.split(",") for line in text.replace("\\n", "\n").splitlines() if line.strip()]
    rows = []
    for instance in instances:
        if len(instance) != len(features):
            raise ValueError(
                f"{where}: an instance has {len(instance)} values instead of {len(features)}"
            )
        row: list[float] = []
        for value, categories in zip(instance, features, strict=True):
            plain = value.strip().strip("'\"\\")
            if categories:
                row += [float(plain == category) for category in categories]
            else:
                row.append(np.nan if plain == "?" else float(plain))
        rows.append(row)
    return np.array(rows)
