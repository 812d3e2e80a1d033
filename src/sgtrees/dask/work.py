"""What a worker does: pure functions of rows, and of trees that stand still.

A lost worker costs what it held, and Dask computes that again.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from distributed import get_worker
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.dask.blocks import (
    Numbers,
    bytes_of,
    for_core,
    from_core,
    joined,
    renumbered,
    rows_of,
)
from sgtrees.data.columns import Floats, Kind, Value
from sgtrees.data.weights import Weights
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.models.classifier_model import ClassifierModel
from sgtrees.models.model import Model
from sgtrees.targets.labels import Label
from sgtrees.version import VERSION

Estimator: TypeAlias = SGTClassifier | SGTRegressor
State: TypeAlias = Mapping[str, NDArray[np.generic]]


class PartitionError(ValueError):
    """Rows that cannot be learned; the message names their partition, and what would be right."""

    @classmethod
    def of_memory(cls, where: str) -> "PartitionError":
        """Return the error of rows that are too many for this worker."""
        try:
            worker = f"worker {get_worker().address}"
        except ValueError:
            worker = "this process"
        return cls(
            f"{where}: {worker} has too little memory for it; make partitions (row groups, files) "
            "smaller, or give workers more"
        )


# --------------------------------------------------------------------------------------------------
# Rows, checked and in numbers
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rows:
    """Rows X, y and their weights (None: all 1), or some that the caller has yet to check."""

    X: Any
    y: Any
    weights: Any = None

    def __getitem__(self, chosen: Any) -> "Rows":
        """Return the checked rows that NumPy's index chooses."""
        weights = None if self.weights is None else self.weights[chosen]
        return Rows(rows_of(self.X, chosen), self.y[chosen], weights)


@dataclass(frozen=True)
class Template:
    """An estimator that has learned nothing, but knows its columns: what all workers start from.

    Attributes
    ----------
    pickled : bytes
        The estimator; each task makes one of its own.
    coding : tuple of dict and mapping, optional
        The core's settings and its state, as much as predicting needs, once it knows its ranges:
        rows then become codes when they are read.
    version : str
        The version of the library that made it.
    """

    pickled: bytes
    coding: tuple[dict[str, Any], State] | None = None
    version: str = VERSION

    def __getstate__(self) -> dict[str, Any]:
        """Return what goes to others: not the coder, which each process makes for itself."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def coder(self) -> Any:
        """A core that makes codes of rows; None where the ranges are not known."""
        if self.coding is None:
            return None
        model: Any = self.estimator().model_
        options, state = self.coding
        return model.core_from(_core.Options(**options), state)

    def estimator(self) -> Estimator:
        """Return a new estimator; refuse to be used by another version of the library."""
        if self.version != VERSION:
            raise PartitionError(
                f"a worker has sgtrees {VERSION}, and the client {self.version}; install the "
                "same version everywhere"
            )
        estimator: Estimator = pickle.loads(self.pickled)
        return estimator


@dataclass(frozen=True)
class Summary:
    """What the leader must know of a partition to number its categories and classes.

    Attributes
    ----------
    name : str
        What the partition is called.
    n_rows : int
        Rows of a weight above 0.
    categories : dict
        Of each nominal column its categories in order of first appearance, and their kind.
    labels : tuple or None
        The labels in order of first appearance, and their kind; None where there are no classes.
    first_rows : list of int
        The first row of each label.
    first_weights : list of float
        The weights of those rows.
    worker : str, default=""
        Where the partition is.
    """

    name: str
    n_rows: int
    categories: dict[int, tuple[list[Value], Kind | None]]
    labels: tuple[list[Label], Kind | None] | None
    first_rows: list[int]
    first_weights: list[float]
    worker: str = ""


@dataclass(frozen=True)
class Partition:
    """Checked rows, without those of weight 0, in which categories and labels have own numbers."""

    summary: Summary
    rows: Rows

    def __sizeof__(self) -> int:
        """Count bytes, for Dask: tasks go to their rows where it knows how large these are."""
        rows = self.rows
        weights = 0 if rows.weights is None else rows.weights.nbytes
        return int(bytes_of(rows.X) + rows.y.nbytes + weights)


@dataclass(frozen=True)
class Numbering:
    """The numbers that the model gives to a partition's categories, by column, and labels."""

    categories: dict[int, NDArray[np.float64]]
    labels: NDArray[np.int32] | None


@dataclass(frozen=True)
class Cut:
    """Rows ``begin`` to before ``end`` of a partition, in the model's numbers.

    Attributes
    ----------
    begin, end : int
        The rows.
    numbering : Numbering
        The model's numbers.
    """

    begin: int
    end: int
    numbering: Numbering


def prepare(template: Template, read: Callable[[], Iterator[Rows]], name: str) -> Partition:
    """Read a partition and check it, as an estimator checks its first block."""
    try:
        estimator, coder = template.estimator(), template.coder
        parts = [_checked(estimator, coder, rows, name) for rows in read() if len(rows.X) > 0]
        return _joined(parts, name)
    except MemoryError:
        raise PartitionError.of_memory(name) from None


def prepare_rows(template: Template, name: str, X: Any, y: Any, weights: Any = None) -> Partition:
    """Check rows that the worker has in memory."""
    return prepare(template, lambda: iter([Rows(X, y, weights)]), name)


def summary_of(partition: Partition) -> Summary:
    """Return what the leader must know; it is found out where the partition is."""
    return replace(partition.summary, worker=get_worker().address)


@dataclass(frozen=True)
class _Part:
    rows: Rows
    categories: dict[int, tuple[list[Value], Kind | None]]
    labels: tuple[list[Label], Kind | None] | None


def _checked(estimator: Estimator, coder: Any, rows: Rows, name: str) -> _Part:
    try:
        batch = estimator.prepare(rows.X, rows.y, rows.weights)
    except (ValueError, TypeError) as error:
        raise PartitionError(f"{name}: {error}") from error
    checked = Rows(from_core(batch.block), batch.y, batch.weights)
    if batch.weights is not None and not batch.weights.all():
        # Before they are coded: their categories may have no numbers.
        checked = checked[batch.weights > 0]
    if coder is not None:
        checked = replace(checked, X=coder.encode(for_core(checked.X)))
    labels = None if batch.labels is None else (batch.labels.seen, batch.labels.kind)
    return _Part(checked, batch.additions.categories, labels)


def _joined(parts: Sequence[_Part], name: str) -> Partition:
    """Join blocks, each of which has numbered its categories and labels for itself."""
    if not parts:
        nothing = Rows(np.empty((0, 0)), np.empty(0), None)
        return Partition(Summary(name, 0, {}, None, [], []), nothing)
    categories: dict[int, tuple[list[Value], Kind | None]] = {}
    labels: tuple[list[Label], Kind | None] | None = None
    pieces = []
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
        pieces.append(_renumbered(part.rows, Numbering(tables, of_labels)))
    rows = _concatenated(pieces)
    first_rows: list[int] = []
    if labels is not None:
        first_rows = [int(np.argmax(rows.y == number)) for number in range(len(labels[0]))]
    weights = [1.0 if rows.weights is None else float(rows.weights[row]) for row in first_rows]
    return Partition(Summary(name, len(rows.y), categories, labels, first_rows, weights), rows)


def _numbers_of(values: Any, known: list[Any], same_kind: bool, name: str) -> NDArray[np.float64]:
    if not same_kind:
        raise PartitionError(f"{name}: values of a column are of several kinds")
    numbers = {value: number for number, value in enumerate(known)}
    for value in values:
        if value not in numbers:
            numbers[value] = len(known)
            known.append(value)
    return np.array([numbers[value] for value in values], dtype=np.float64)


def _renumbered(rows: Rows, numbering: Numbering) -> Rows:
    tables = {
        place: table
        for place, table in numbering.categories.items()
        if not np.array_equal(table, np.arange(len(table)))
    }
    y = rows.y if numbering.labels is None else numbering.labels[rows.y]
    return Rows(renumbered(rows.X, tables), y, rows.weights)


def _concatenated(pieces: Sequence[Rows]) -> Rows:
    if len(pieces) == 1:
        return pieces[0]
    return Rows(joined([piece.X for piece in pieces]), *_targets(pieces))


def _targets(pieces: Sequence[Rows]) -> tuple[Numbers, Weights | None]:
    """Return the targets and weights of rows that follow one another."""
    if len(pieces) == 1:
        return pieces[0].y, pieces[0].weights
    weights: Weights | None = None
    if any(piece.weights is not None for piece in pieces):
        weights = np.concatenate(
            [np.ones(len(p.y)) if p.weights is None else p.weights for p in pieces]
        )
    return np.concatenate([piece.y for piece in pieces]), weights


def cut(cuts: Sequence[Cut], *partitions: Partition) -> list[Rows]:
    """Return the rows of cuts, in the model's numbers."""
    return _pieces(cuts, partitions)


def _pieces(cuts: Sequence[Cut], partitions: Sequence[Partition]) -> list[Rows]:
    pieces = []
    for place, partition in zip(cuts, partitions, strict=True):
        rows = partition.rows[place.begin : place.end]
        pieces.append(_renumbered(rows, place.numbering))
    return pieces


# --------------------------------------------------------------------------------------------------
# Partial statistics
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Frozen:
    """Trees that stand still.

    Attributes
    ----------
    template : Template
        The estimator that they belong to.
    options : dict
        The core's settings.
    state : mapping from str to ndarray
        As much of the core's state as predicting needs.
    """

    template: Template
    options: dict[str, Any]
    state: State

    def model(self) -> Model[Any]:
        """Return the estimator's model with these trees; of its schema it knows the columns."""
        model: Any = self.template.estimator().model_
        model.core = model.core_from(_core.Options(**self.options), self.state)
        return model  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Gathered:
    """Partial statistics of some rows, and how wrong the trees were about these.

    Attributes
    ----------
    partial : mapping from str to ndarray
        What the core's ``gather`` gives.
    error : float
        Summed over the rows: 1 for a wrong label, the absolute error of a number.
    weight : float
        The rows' weight; 0 where the error was not asked for.
    """

    partial: State
    error: float = 0.0
    weight: float = 0.0

    def __sizeof__(self) -> int:
        """Count bytes, for Dask."""
        return sum(array.nbytes for array in self.partial.values())


def freeze(frozen: Frozen) -> Frozen:
    """Stand for the trees in Dask's graph, so that they can be had again."""
    return frozen


def gather(frozen: Frozen, cuts: Sequence[Cut], measures: bool, *partitions: Partition) -> Gathered:
    """Return the partial statistics of the rows of cuts, which are whole blocks of a round."""
    first, last = partitions[0].summary.name, partitions[-1].summary.name
    where = first if first == last else f"{first} to {last}"
    model = frozen.model()
    try:
        pieces = _pieces(cuts, partitions)
        partial = model.core.gather([for_core(piece.X) for piece in pieces], *_targets(pieces))
    except MemoryError:
        raise PartitionError.of_memory(where) from None
    except Exception as error:
        raise PartitionError(
            f"{where}, from row {cuts[0].begin} of the first on: {error}"
        ) from error
    if not measures:
        return Gathered(partial)
    errors, weights = zip(*(_error(model, piece) for piece in pieces), strict=True)
    return Gathered(partial, sum(errors), sum(weights))


def add(frozen: Frozen, first: Gathered, later: Gathered) -> Gathered:
    """Add the partial statistics of rows that follow one another."""
    return Gathered(
        frozen.model().core.add_partials(first.partial, later.partial),
        first.error + later.error,
        first.weight + later.weight,
    )


def _error(model: Model[Any], rows: Rows) -> tuple[float, float]:
    weights = np.ones(len(rows.y)) if rows.weights is None else rows.weights
    if isinstance(model, ClassifierModel):
        rank = np.arange(max(model.core.n_classes, 1), dtype=np.int32)
        wrong: Floats = (model.core.predict_labels(for_core(rows.X), rank) != rows.y).astype(
            np.float64
        )
    else:
        raw = model.core.predict(for_core(rows.X))
        wrong = np.abs(model.link(raw) - rows.y).reshape(len(rows.y), -1).mean(axis=1)
    return float(weights @ wrong), float(weights.sum())
