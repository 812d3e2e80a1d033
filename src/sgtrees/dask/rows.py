"""Encoded rows with their targets and weights, as workers hold them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.dask.blocks import Numbers, joined, renumbered, rows_of
from sgtrees.data.weights import Weights


@dataclass(frozen=True)
class Rows:
    """Rows X, their targets y and weights (None: all 1)."""

    X: Any
    y: Any
    weights: Any = None

    def __getitem__(self, chosen: Any) -> "Rows":
        """Return the encoded rows that a NumPy index selects."""
        weights = None if self.weights is None else self.weights[chosen]
        return Rows(rows_of(self.X, chosen), self.y[chosen], weights)


@dataclass(frozen=True)
class Numbering:
    """The model's numbers of a partition's categories, by column, and of its labels."""

    categories: dict[int, NDArray[np.float64]]
    labels: NDArray[np.int32] | None

    def apply(self, rows: Rows) -> Rows:
        """Return rows with the model's numbers."""
        tables = {
            place: table
            for place, table in self.categories.items()
            if not np.array_equal(table, np.arange(len(table)))
        }
        y = rows.y if self.labels is None else self.labels[rows.y]
        return Rows(renumbered(rows.X, tables), y, rows.weights)


def concatenate_rows(parts: Sequence[Rows]) -> Rows:
    """Return rows that follow one another as one."""
    if len(parts) == 1:
        return parts[0]
    return Rows(joined([part.X for part in parts]), *concatenate_targets(parts))


def concatenate_targets(parts: Sequence[Rows]) -> tuple[Numbers, Weights | None]:
    """Return the targets and weights of rows that follow one another."""
    if len(parts) == 1:
        return parts[0].y, parts[0].weights
    weights: Weights | None = None
    if any(part.weights is not None for part in parts):
        weights = np.concatenate(
            [np.ones(len(p.y)) if p.weights is None else p.weights for p in parts]
        )
    return np.concatenate([part.y for part in parts]), weights
