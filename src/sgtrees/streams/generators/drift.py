"""A stream that turns into another: abruptly or gradually."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from sgtrees.streams.block import Block, Column
from sgtrees.streams.generators.generator import Generator


class Drift(Generator):
    """Rows of one stream, and from some row on rows of another with the same columns.

    For several drifts pass a `Drift` as one of the two streams.

    Parameters
    ----------
    before, after : Generator
        The streams before and after the drift.
    at : int
        The row of the drift.
    width : int, default=0
        0: every row from ``at`` on is one of ``after``. Otherwise the probability of that grows
        along a logistic curve around ``at``, from 0.12 to 0.88 within ``width`` rows.
    seed : int, default=0
        Seed of the choice between the two.

    Examples
    --------
    >>> from sgtrees.streams import Drift, Sea
    >>> abrupt = Drift(Sea(0), Sea(3, seed=1), at=5_000)
    >>> gradual = Drift(Sea(0), Sea(3, seed=1), at=5_000, width=1_000)
    >>> gradual.take(10_000).X.shape
    (10000, 3)
    """

    def __init__(
        self, before: Generator, after: Generator, *, at: int, width: int = 0, seed: int = 0
    ) -> None:
        super().__init__(seed)
        if (before.columns, before.target) != (after.columns, after.target):
            raise ValueError("before and after must have the same columns and the same target")
        self.at = at
        self.width = width
        self._before = before.fresh()
        self._after = after.fresh()

    def _columns(self) -> tuple[Column, ...]:
        return self._before.columns

    def _target(self) -> Column:
        return self._before.target

    def _make(self, n_rows: int, first_row: int) -> Block:
        later = self._is_later(n_rows, first_row)
        # Both advance, so that a row does not depend on which one the rows before it came from.
        before, after = self._before.take(n_rows), self._after.take(n_rows)
        if not later.any():
            return before
        if later.all():
            return after
        X = np.where(later[:, None], after.X, before.X)
        y = np.where(later, after.y, before.y)
        return replace(before, X=X, y=y, best_error=_best_error(before, after, later))

    def _is_later(self, n_rows: int, first_row: int) -> NDArray[np.bool_]:
        distance = np.arange(first_row, first_row + n_rows) - self.at
        if self.width == 0:
            return distance >= 0
        # Written so that no exponential overflows.
        probability = 0.5 * (1.0 + np.tanh(2.0 * distance / self.width))
        later: NDArray[np.bool_] = self._uniform.random(n_rows) < probability
        return later


def _best_error(before: Block, after: Block, later: NDArray[np.bool_]) -> float | None:
    if before.best_error is None or after.best_error is None:
        return None
    share = float(later.mean())
    return (1.0 - share) * before.best_error + share * after.best_error
