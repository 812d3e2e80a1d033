"""What went wrong where a loss could not answer: for which row, and what has been learned."""

import re
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sgtrees.losses.answers import Floats

# How the core says what it stopped for, and where.
_STOP = re.compile(
    r"gave gradient (?P<g>\S+) and hessian (?P<h>\S+), .*"
    r"for y = (?P<y>\S+), raw score = (?P<raw>\S+), row (?P<row>\d+)"
    r"(?: of the warm-up; rows left out: (?P<left_out>\d+))?"
)


@dataclass(frozen=True)
class Stop:
    """A row at which the core stopped, because it got no derivatives for it.

    Attributes
    ----------
    row : int
        Its number in the call or, where the warm-up was being learned, in the warm-up.
    y, raw, g, h : float
        Its target and raw score, and what the loss gave for them.
    left_out : int or None
        Where the warm-up was being learned: how many of the rows that had come before were left
        out of it; the first of them is this one.
    """

    row: int
    y: float
    raw: float
    g: float
    h: float
    left_out: int | None

    @classmethod
    def read(cls, error: Exception) -> Self | None:
        """Read the core's message; None where it tells of something else.

        Examples
        --------
        >>> Stop.read(ValueError("X has 3 columns")) is None
        True
        """
        found = _STOP.search(str(error)) if isinstance(error, RuntimeError) else None
        if found is None:
            return None
        y, raw, g, h = (float(found[name]) for name in ("y", "raw", "g", "h"))
        left_out = found["left_out"]
        return cls(int(found["row"]), y, raw, g, h, None if left_out is None else int(left_out))


@dataclass(frozen=True)
class LearnedRows:
    """Rows that are being learned, and what an error message needs to know of them.

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
    """

    weights: Floats | None = None
    order: NDArray[np.intp] | None = None
    first: int = 0
    is_kept: bool = True

    def name(self, stop: Stop, came_before: int) -> str:
        """Name a row by the caller's number; ``came_before`` rows are those of earlier calls."""
        if stop.left_out is None:
            return f"row {self._number(self.first + stop.row)}"
        place = stop.row - came_before if self.is_kept else stop.row
        if place < 0:
            return f"row {stop.row} of the warm-up, which had come before,"
        return f"row {self._number(self._place_with_weight(place))}"

    def tell(self, stop: Stop | None, learned: int) -> str:
        """Say what has been learned; ``learned`` counts rows of the call."""
        if not self.is_kept:
            return "nothing has been learned: fit leaves the estimator as it was"
        of_block = f"{learned} rows of the block have been learned"
        if stop is None or not stop.left_out:
            return of_block
        others = f" and {stop.left_out - 1} more of the warm-up" if stop.left_out > 1 else ""
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
