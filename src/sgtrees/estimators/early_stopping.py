"""Rows that `fit` sets aside, and what they say: when to stop, and how many members to use."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.columns import Coded
from sgtrees.data.encoding import as_array
from sgtrees.data.weights import Weights
from sgtrees.models.batch import Batch


class SetAside:
    """Rows that are not learned, and the losses that models had on them.

    Parameters
    ----------
    rows, patience : Batch, int
        The rows, and the number of passes or stages without a lower loss after which it is over.

    Attributes
    ----------
    losses : list of float
        The loss after each pass, or stage.
    """

    def __init__(self, rows: Batch[Any], patience: int) -> None:
        self._rows = rows
        self._block = as_array(rows.block)
        self._patience = patience
        self.losses: list[float] = []

    def _loss(self, members: int) -> float:
        """Return the loss of the first members now; a model without stages has one."""
        rows = self._rows
        n = members if rows.model.n_stages > 1 else None
        return float(
            np.average(rows.model.row_losses(self._block, rows.y, n), weights=rows.weights)
        )

    def _since_best(self) -> int:
        return len(self.losses) - 1 - int(np.argmin(self.losses))

    def _is_patience_over(self) -> bool:
        return self._since_best() >= self._patience


class Validation(SetAside):
    """What rows that were set aside say after each pass over the others."""

    def __init__(self, rows: Batch[Any], patience: int) -> None:
        super().__init__(rows, patience)
        self._best: Any = None

    def is_over(self) -> bool:
        """Judge the model as it is now, and tell whether further passes are of no use."""
        model = self._rows.model
        of_stages = [self._loss(n) for n in range(1, model.n_stages + 1)]
        if len(of_stages) > 1:
            model.learner.judge_members(of_stages)
        loss = min(of_stages)
        if not self.losses or loss < min(self.losses):
            self._best = model.saved()
        self.losses.append(loss)
        return self._is_patience_over()

    def take_best(self) -> None:
        """Make the model that of the pass with the lowest loss; of equal ones, of the first."""
        if self._since_best() > 0:
            self._rows.model.take_back(*self._best)


class StageValidation(SetAside):
    """What rows that were set aside say after each stage of boosting."""

    def is_over(self) -> bool:
        """Judge the members that have learned, and tell whether further ones are of no use."""
        self.losses.append(self._loss(len(self.losses) + 1))
        return self._is_patience_over()

    def choose_members(self) -> None:
        """Let as many of the first members predict as had the lowest loss."""
        model = self._rows.model
        if model.n_stages > 1:
            # Those that have learned nothing are not to be chosen, even if all losses are equal.
            of_others = 2.0 * abs(max(self.losses)) + 1.0
            n_others = model.n_stages - len(self.losses)
            model.learner.judge_members(self.losses + [of_others] * n_others)


def set_aside(
    y: Any, weights: Weights | None, fraction: float, random: np.random.RandomState
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the numbers of the rows to be learned, and of those that are set aside.

    Parameters
    ----------
    y : Coded, Columns or ndarray
        What the caller's y was read into.
    weights : ndarray or None
        The rows' weights; rows of weight 0 are not set aside.
    fraction : float
        The share of the rows to be set aside.
    random : RandomState
        What draws them.

    Examples
    --------
    >>> learned, aside = set_aside(np.arange(10.0), None, 0.2, np.random.RandomState(0))
    >>> len(learned), sorted({*learned, *aside}) == list(range(10))
    (8, True)
    """
    n = len(y.codes) if isinstance(y, Coded) else len(getattr(y, "values", y))
    counts = np.ones(n, dtype=bool) if weights is None else weights > 0
    drawn = random.permutation(np.flatnonzero(counts))
    is_aside = np.zeros(n, dtype=bool)
    is_aside[drawn[: max(1, round(fraction * len(drawn)))]] = True
    if isinstance(y, Coded):
        # A class must not be known from these rows alone.
        is_aside &= np.isin(y.codes, np.unique(y.codes[~is_aside & counts]))
    if not is_aside.any() or not (~is_aside & counts).any():
        raise ValueError(
            f"validation_fraction={fraction} sets aside {is_aside.sum()} of {n} rows, and leaves "
            f"{(~is_aside & counts).sum()} to be learned; both need at least one"
        )
    return np.flatnonzero(~is_aside), np.flatnonzero(is_aside)
