"""A quantile of a stream of numbers, in bounded memory."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

# More distinct values than twice this many are thinned out to about this many.
_KEPT = 4096
# The quantile is found anew when the rows have grown by this share ...
_GROWTH = 128
# ... or by this many rows, which wait in a buffer.
_LONGEST_WAIT = 4096
# Shares of a weight are not exact in floating point.
_ROUNDING = 1e-12


class QuantileSketch:
    """The values so far, sorted, each with the weight of those that it stands for.

    Up to 8,192 distinct values are kept as they are: the quantile is exact for as many rows, and
    for any number of rows with as few distinct values. Beyond, neighbours of about the same rank
    are replaced by one of them, a value that did occur, so that each stands for 1 / 4,096 of the
    weight at most.

    The quantile is found anew after every row at first, later whenever the rows have grown by
    1 / 128, and at least every 4,096 rows. When that happens depends on the number of rows, not on
    the blocks in which they come.

    A reservoir of 4,096 rows would do without the sorting, but the rank of its median has a
    standard deviation of 1 / 128; the P2 estimate needs a step for each row, and can be far off
    after a change.

    Parameters
    ----------
    alpha : float
        Which quantile, between 0 and 1.

    Examples
    --------
    >>> sketch = QuantileSketch(0.5)
    >>> sketch.learn(np.array([3.0, 1.0, 2.0]), np.ones(3)).tolist(), sketch.quantile
    ([0.0, 3.0, 1.0], 2.0)
    """

    def __init__(self, alpha: float) -> None:
        self.alpha = alpha
        self.quantile = 0.0
        """The lowest value at or below which a share alpha of the weight lies; 0 at first."""
        self._values: Floats = np.empty(0)
        self._weights: Floats = np.empty(0)
        self._waiting: list[tuple[Floats, Floats]] = []
        self._rows = 0
        self._rows_left = 1

    def learn(self, values: Floats, weights: Floats) -> Floats:
        """Learn values with weights above 0, and return the quantile before each of them."""
        before = np.empty(len(values))
        start = 0
        while start < len(values):
            stop = min(start + self._rows_left, len(values))
            before[start:stop] = self.quantile
            # Copied: the rest of the block must not be kept.
            self._waiting.append((values[start:stop].copy(), weights[start:stop].copy()))
            self._rows += stop - start
            self._rows_left -= stop - start
            if self._rows_left == 0:
                self._renew()
                self._rows_left = min(max(self._rows // _GROWTH, 1), _LONGEST_WAIT)
            start = stop
        return before

    def _renew(self) -> None:
        values, weights = (np.concatenate(parts) for parts in zip(*self._waiting, strict=True))
        self._waiting = []
        values = np.concatenate([self._values, values])
        weights = np.concatenate([self._weights, weights])
        # Stable sorts merge what is sorted already.
        order = np.argsort(values, kind="stable")
        self._values, self._weights = _without_repeats(values[order], weights[order])
        if len(self._values) > 2 * _KEPT:
            self._values, self._weights = _thinned(self._values, self._weights)
        until = np.cumsum(self._weights)
        wanted = self.alpha * until[-1] * (1.0 - _ROUNDING)
        self.quantile = float(self._values[np.searchsorted(until, wanted)])


def _without_repeats(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Combine equal neighbours."""
    is_new = np.concatenate([[True], values[1:] != values[:-1]])
    if is_new.all():
        return values, weights
    starts = np.flatnonzero(is_new)
    return values[starts], np.add.reduceat(weights, starts)


def _thinned(values: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """Replace neighbours that together have 1 / 4,096 of the weight by the middle one of them."""
    until = np.cumsum(weights)
    group = np.floor((until - 0.5 * weights) * (_KEPT / until[-1]))
    starts = np.flatnonzero(np.concatenate([[True], group[1:] != group[:-1]]))
    sums = np.add.reduceat(weights, starts)
    ends = np.cumsum(sums)
    middle = np.searchsorted(until, ends - 0.5 * sums)
    return values[np.minimum(middle, len(values) - 1)], sums
