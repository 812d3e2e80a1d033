"""The digits of a faulty display (Breiman and others, 1984)."""

import numpy as np

from sgtrees.streams.block import Block, Column
from sgtrees.streams.generators.generator import Generator, named, pick

_SEGMENTS = ("top", "upper_left", "upper_right", "middle", "lower_left", "lower_right", "bottom")
# Which segments are lit, in the order above, for the digits 0 to 9.
_LIT = ("1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010",
        "1111111", "1111011")  # fmt: skip
_DIGITS = np.array([[int(segment) for segment in digit] for digit in _LIT], dtype=np.float64)
_IDLE = 17


class Led(Generator):
    """Digits of a display with seven segments that fail at random.

    All columns are nominal, with the categories "off" and "on"; 17 of them are irrelevant.

    Parameters
    ----------
    noise : float, default=0.1
        The probability that a segment is wrong.
    n_swapped : int, default=0
        The number of segments that are swapped with irrelevant columns; a `Drift` between displays
        with different numbers is the usual drifting LED stream.
    seed : int, default=0
        Seed of the stream.

    References
    ----------
    L. Breiman, J. Friedman, C. J. Stone, R. A. Olshen: Classification and Regression Trees. 1984.

    Examples
    --------
    >>> block = Led(seed=1).take(1000)
    >>> block.X.shape, sorted(set(block.y.tolist()))[:3]
    ((1000, 24), ['0', '1', '2'])
    """

    def __init__(self, *, noise: float = 0.1, n_swapped: int = 0, seed: int = 0) -> None:
        super().__init__(seed)
        if not 0 <= n_swapped <= len(_SEGMENTS):
            raise ValueError(f"n_swapped == {n_swapped}, must be from 0 to {len(_SEGMENTS)}.")
        self.noise = noise
        self.n_swapped = n_swapped

    def _columns(self) -> tuple[Column, ...]:
        names = (*_SEGMENTS, *(f"idle_{number}" for number in range(1, _IDLE + 1)))
        return tuple(Column(name, nominal=True, categories=("off", "on")) for name in names)

    def _target(self) -> Column:
        return Column("digit", nominal=True, categories=tuple("0123456789"))

    def _make(self, n_rows: int, first_row: int) -> Block:  # noqa: ARG002 - nothing changes here
        n_segments = len(_SEGMENTS)
        draws = self._uniform.random((n_rows, 1 + n_segments + _IDLE))
        digit = pick(draws[:, 0], 10).astype(np.intp)
        X = (draws[:, 1:] < 0.5).astype(np.float64)
        wrong = draws[:, 1 : 1 + n_segments] < self.noise
        X[:, :n_segments] = np.where(wrong, 1.0 - _DIGITS[digit], _DIGITS[digit])
        here, there = slice(self.n_swapped), slice(n_segments, n_segments + self.n_swapped)
        X[:, here], X[:, there] = X[:, there].copy(), X[:, here].copy()
        return Block(X, named(tuple("0123456789"), digit))
