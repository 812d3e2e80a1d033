"""Errors of losses, and the rows that they name."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core


class LossError(RuntimeError):
    """A loss gave derivatives, a start or a scale that cannot be used.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> def wrong(y, raw):
    ...     return y - raw, 0.0 * raw + 1.0  # the gradient has the wrong sign
    >>> SGTRegressor(loss=wrong).fit([[0.0], [1.0]] * 100, [0.0, 4.0] * 100)
    Traceback (most recent call last):
    sgtrees.losses.errors.LossError: the gradient has the wrong sign: ...
    """


@dataclass(frozen=True)
class LearnedRows:
    """Rows that are being learned, as an error message names them.

    Attributes
    ----------
    weights : ndarray or None
        Weights of the caller's rows.
    order : ndarray or None
        The caller's numbers of the rows, in the order in which they are learned; None: 0, 1, ...
    first : int
        The place in that order at which the call to the core begins.
    is_kept : bool
        Whether the rows learned before a loss failed are kept. Not so in `fit`, whose first pass
        holds the whole warm-up.
    is_taken_back : bool
        Whether the model is afterwards as it was before the call, unless a row of an earlier call
        failed.
    """

    weights: NDArray[np.float64] | None = None
    order: NDArray[np.intp] | None = None
    first: int = 0
    is_kept: bool = True
    is_taken_back: bool = False

    def name(self, failure: _core.LossFailure, came_before: int) -> str:
        """Name a row by the caller's number; ``came_before`` rows are those of earlier calls."""
        if failure.left_out is None:
            return f"row {self._number(self.first + failure.row)}"
        place = failure.row - came_before if self.is_kept else failure.row
        if place < 0:
            return f"row {failure.row} of the warm-up, from an earlier call,"
        return f"row {self._number(self._place_with_weight(place))}"

    def describe_learned(self, learned: int, left_out: int = 0) -> str:
        """Return a sentence on what has been learned.

        Parameters
        ----------
        learned : int
            Rows of the call that have been learned.
        left_out : int, default=0
            Rows of the warm-up, from earlier calls, that have not; the first is the one that
            failed.
        """
        if not self.is_kept:
            return "nothing has been learned: fit leaves the estimator as it was"
        if self.is_taken_back and not left_out:
            return "nothing of the block has been learned: the model is as it was before the call"
        of_block = f"{learned} rows of the block have been learned"
        if not left_out:
            return of_block
        others = f" and {left_out - 1} more of the warm-up" if left_out > 1 else ""
        are = "are" if others else "is"
        return f"it{others} {are} left out; the others of the warm-up and {of_block}"

    def _number(self, place: int) -> int:
        return place if self.order is None else int(self.order[place])

    def _place_with_weight(self, count: int) -> int:
        """Return the place of a row among all, given that among those whose weight is not 0."""
        if self.weights is None:
            return count
        weights = self.weights if self.order is None else self.weights[self.order]
        return int(np.flatnonzero(weights)[count])
