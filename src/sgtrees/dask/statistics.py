"""Partial statistics of rows, which workers gather for trees that do not change."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sgtrees import _core
from sgtrees.dask.blocks import for_core
from sgtrees.dask.errors import PartitionError
from sgtrees.dask.partition import Partition, RowRange, select_rows
from sgtrees.dask.rows import Rows, concatenate_targets
from sgtrees.dask.template import State, Template
from sgtrees.models.model import Model


@dataclass(frozen=True)
class FrozenTrees:
    """The trees of a round, which do not change in it.

    Attributes
    ----------
    template : Template
        The estimator that they belong to.
    options : dict
        The options of the core.
    state : mapping from str to ndarray
        The inference state of the core.
    n_categories : list of int
        How many categories each feature has: what workers add has no others.
    """

    template: Template
    options: dict[str, Any]
    state: State
    n_categories: list[int]

    def model(self) -> Model[Any]:
        """Return the estimator's model with these trees."""
        model: Model[Any] = self.template.estimator().model_
        model.core = model.core_from(_core.Options(**self.options), self.state)
        return model


@dataclass(frozen=True)
class Gathered:
    """Partial statistics of some rows, and the error of the trees on them.

    Attributes
    ----------
    partial : mapping from str to ndarray
        The result of the core's ``gather``.
    error : float
        The sum over rows of 1 for a wrong label, or of the absolute error.
    weight : float
        The sum of weights; 0 if the error was not measured.
    """

    partial: State
    error: float = 0.0
    weight: float = 0.0

    def __sizeof__(self) -> int:
        """Return the bytes, for Dask."""
        return self.n_bytes

    @property
    def n_bytes(self) -> int:
        """The bytes of the partial statistics."""
        return sum(array.nbytes for array in self.partial.values())


def gather(
    trees: FrozenTrees, ranges: Sequence[RowRange], measures: bool, *partitions: Partition
) -> Gathered:
    """Return the partial statistics of ranges of rows, which are whole blocks of a round."""
    first, last = partitions[0].summary.name, partitions[-1].summary.name
    where = first if first == last else f"{first} to {last}"
    model = trees.model()
    try:
        parts = select_rows(ranges, *partitions)
        partial = model.core.gather([for_core(p.X) for p in parts], *concatenate_targets(parts))
    except MemoryError:
        raise PartitionError.of_memory(where) from None
    except Exception as error:
        raise PartitionError(
            f"{where}, from row {ranges[0].begin} of the first on: {error}"
        ) from error
    if not measures:
        return Gathered(partial)
    errors, weights = zip(*(_error(model, part) for part in parts), strict=True)
    return Gathered(partial, sum(errors), sum(weights))


def add(trees: FrozenTrees, first: Gathered, later: Gathered) -> Gathered:
    """Add the partial statistics of rows that follow one another."""
    return Gathered(
        trees.model().core.add_partials(first.partial, later.partial, trees.n_categories),
        first.error + later.error,
        first.weight + later.weight,
    )


def _error(model: Model[Any], rows: Rows) -> tuple[float, float]:
    """Return the weighted sum of the rows' errors, and the sum of weights."""
    weights = np.ones(len(rows.y)) if rows.weights is None else rows.weights
    errors = model.row_errors(for_core(rows.X), rows.y)
    return float(weights @ errors), float(weights.sum())
