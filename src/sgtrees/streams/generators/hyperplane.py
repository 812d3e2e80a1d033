"""The rotating hyperplane of Hulten, Spencer and Domingos (2001)."""

import numpy as np

from sgtrees.streams.block import Block, Column
from sgtrees.streams.generators.generator import Floats, Generator, named


class Hyperplane(Generator):
    """Points of the unit cube, labelled by their side of a plane that may rotate.

    Parameters
    ----------
    n_features : int, default=10
        The number of columns.
    n_drifting : int, default=0
        The number of the plane's weights that change.
    speed : float, default=0.0001
        The change of each of them from row to row. A weight that reaches 0 or 1 turns back.
    noise : float, default=0.05
        The share of labels that are flipped.
    seed : int, default=0
        Seed of the stream.

    References
    ----------
    G. Hulten, L. Spencer, P. Domingos: Mining time-changing data streams. KDD 2001.

    Examples
    --------
    >>> block = Hyperplane(n_drifting=2, seed=1).take(1000)
    >>> block.X.shape, block.best_error
    ((1000, 10), 0.05)
    """

    def __init__(
        self,
        n_features: int = 10,
        *,
        n_drifting: int = 0,
        speed: float = 0.0001,
        noise: float = 0.05,
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        if not 0 <= n_drifting <= n_features:
            raise ValueError(f"n_drifting == {n_drifting}, must be from 0 to {n_features}.")
        self.n_features = n_features
        self.n_drifting = n_drifting
        self.speed = speed
        self.noise = noise
        self._start = self._fixed.random(n_features)
        direction = self._fixed.choice([-1.0, 1.0], n_features)
        self._velocity = np.where(np.arange(n_features) < n_drifting, speed * direction, 0.0)

    def _columns(self) -> tuple[Column, ...]:
        return tuple(Column(f"x{place}") for place in range(1, self.n_features + 1))

    def _target(self) -> Column:
        return Column("side", nominal=True, categories=("above", "below"))

    def _make(self, n_rows: int, first_row: int) -> Block:
        draws = self._uniform.random((n_rows, self.n_features + 1))
        X = np.ascontiguousarray(draws[:, :-1])
        times = np.arange(first_row, first_row + n_rows, dtype=np.float64)
        weights = reflected(self._start + times[:, None] * self._velocity)
        # The plane goes through the middle, so that both sides are equally probable.
        above = (weights * (X - 0.5)).sum(axis=1) >= 0.0
        y = named(("below", "above"), above ^ (draws[:, -1] < self.noise))
        return Block(X, y, best_error=min(self.noise, 1.0 - self.noise))


def reflected(places: Floats) -> Floats:
    """Map positions on a line into the interval from 0 to 1, by reflection at its ends.

    Examples
    --------
    >>> reflected(np.array([0.25, 1.25, -0.25, 2.25])).tolist()
    [0.25, 0.75, 0.25, 0.25]
    """
    return 1.0 - np.abs(np.mod(places, 2.0) - 1.0)
