"""Partitions on a worker: read, checked and encoded.

All functions are pure, so that Dask can repeat them if a worker is lost.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from sgtrees.dask.blocks import bytes_of, for_core, from_core
from sgtrees.dask.errors import PartitionError
from sgtrees.dask.rows import Numbering, Rows, concatenate_rows
from sgtrees.dask.template import Estimator, Template
from sgtrees.data.columns import Kind, Value
from sgtrees.targets.labels import Label

# Values in order of first appearance, and their kind.
Categories = tuple[list[Value], Kind | None]
LabelValues = tuple[list[Label], Kind | None]


@dataclass(frozen=True)
class Summary:
    """What the leader needs to know of a partition.

    Attributes
    ----------
    name, n_rows : str, int
        The name of the partition, and the number of its rows with a weight above 0.
    categories : dict
        The categories of each nominal column, in order of first appearance, and their kind.
    labels : tuple or None
        The labels in order of first appearance, and their kind; None in regression.
    first_rows : list of int
        The first row of each label.
    first_weights : list of float
        The weights of those rows.
    worker : str, default=""
        The worker that holds the partition.
    """

    name: str
    n_rows: int
    categories: dict[int, Categories]
    labels: LabelValues | None
    first_rows: list[int]
    first_weights: list[float]
    worker: str = ""


@dataclass(frozen=True)
class Partition:
    """Encoded rows with a weight above 0; their categories and labels have own numbers."""

    summary: Summary
    rows: Rows

    def __sizeof__(self) -> int:
        """Return the bytes: Dask moves tasks to their data if it knows its size."""
        rows = self.rows
        weights = 0 if rows.weights is None else rows.weights.nbytes
        return int(bytes_of(rows.X) + rows.y.nbytes + weights)


@dataclass(frozen=True)
class RowRange:
    """Rows ``begin`` to before ``end`` of a partition, and the model's numbers for them."""

    begin: int
    end: int
    numbering: Numbering

    def __len__(self) -> int:
        return self.end - self.begin


def prepare(template: Template, read: Callable[[], Iterator[Rows]], name: str) -> Partition:
    """Read and check a partition, as an estimator checks its first block."""
    try:
        estimator, encoder = template.estimator(), template.encoder
        parts = [_checked(estimator, encoder, rows, name) for rows in read() if len(rows.X) > 0]
        return _joined(parts, name)
    except MemoryError:
        raise PartitionError.of_memory(name) from None


def prepare_rows(template: Template, name: str, X: Any, y: Any, weights: Any = None) -> Partition:
    """Check rows that are in this worker's memory."""
    return prepare(template, lambda: iter([Rows(X, y, weights)]), name)


def summary_of(partition: Partition) -> Summary:
    """Return the summary of a partition that this worker holds."""
    return replace(partition.summary, worker=get_worker().address)


def select_rows(ranges: Sequence[RowRange], *partitions: Partition) -> list[Rows]:
    """Return ranges of partitions, with the model's numbers."""
    return [
        chosen.numbering.apply(partition.rows[chosen.begin : chosen.end])
        for chosen, partition in zip(ranges, partitions, strict=True)
    ]


@dataclass(frozen=True)
class _Part:
    rows: Rows
    categories: dict[int, Categories]
    labels: LabelValues | None


def _checked(estimator: Estimator, encoder: Any, rows: Rows, name: str) -> _Part:
    try:
        batch = estimator.prepare(rows.X, rows.y, rows.weights)
    except (ValueError, TypeError) as error:
        raise PartitionError(f"{name}: {error}") from error
    checked = Rows(from_core(batch.block), batch.y, batch.weights)
    if batch.weights is not None and not batch.weights.all():
        # Before they are encoded: their categories may have no numbers.
        checked = checked[batch.weights > 0]
    if encoder is not None:
        checked = replace(checked, X=encoder.encode(for_core(checked.X)))
    labels = None if batch.labels is None else (batch.labels.seen, batch.labels.kind)
    return _Part(checked, batch.additions.categories, labels)


def _joined(parts: Sequence[_Part], name: str) -> Partition:
    """Join blocks, each of which has numbered its categories and labels for itself."""
    if not parts:
        no_rows = Rows(np.empty((0, 0)), np.empty(0), None)
        return Partition(Summary(name, 0, {}, None, [], []), no_rows)
    categories: dict[int, Categories] = {}
    labels: LabelValues | None = None
    renumbered = []
    for part in parts:
        tables = {}
        for place, (values, kind) in part.categories.items():
            known, known_kind = categories.setdefault(place, ([], kind))
            tables[place] = _numbers_of(values, known, known_kind is kind, name)
        of_labels = None
        if part.labels is not None:
            labels = labels or ([], part.labels[1])
            same = part.labels[1] is None or labels[1] is part.labels[1]
            of_labels = _numbers_of(part.labels[0], labels[0], same, name).astype(np.int32)
        renumbered.append(Numbering(tables, of_labels).apply(part.rows))
    rows = concatenate_rows(renumbered)
    first_rows: list[int] = []
    if labels is not None:
        first_rows = [int(np.argmax(rows.y == number)) for number in range(len(labels[0]))]
    weights = [1.0 if rows.weights is None else float(rows.weights[row]) for row in first_rows]
    return Partition(Summary(name, len(rows.y), categories, labels, first_rows, weights), rows)


def _numbers_of(values: Any, known: list[Any], same_kind: bool, name: str) -> NDArray[np.float64]:
    """Return the numbers of values among the known ones, which are extended by new ones."""
    if not same_kind:
        raise PartitionError(f"{name}: values of a column are of several kinds")
    numbers = {value: number for number, value in enumerate(known)}
    for value in values:
        if value not in numbers:
            numbers[value] = len(known)
            known.append(value)
    return np.array([numbers[value] for value in values], dtype=np.float64)
