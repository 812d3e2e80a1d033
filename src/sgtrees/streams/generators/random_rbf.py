"""Random radial basis functions: classes as clouds around centres, which may move."""

import numpy as np

from sgtrees.streams.block import Block, Column
from sgtrees.streams.generators.generator import Generator, named
from sgtrees.streams.generators.hyperplane import reflected


class RandomRbf(Generator):
    """Clouds of points around random centres, each of one class.

    A row belongs to one of the centres, drawn by their weights, and lies in a random direction from
    it, at a distance that is normal with the centre's own spread.

    Parameters
    ----------
    n_features : int, default=10
        The number of columns.
    n_classes : int, default=2
        The number of classes.
    n_centres : int, default=50
        The number of centres.
    speed : float, default=0.0
        How far each centre moves from row to row, in a straight line; the cube's walls reflect it.
    seed : int, default=0
        Seed of the stream.

    Examples
    --------
    >>> block = RandomRbf(n_classes=3, speed=1e-5, seed=1).take(1000)
    >>> block.X.shape, sorted(set(block.y.tolist()))
    ((1000, 10), ['class 1', 'class 2', 'class 3'])
    """

    def __init__(
        self,
        n_features: int = 10,
        *,
        n_classes: int = 2,
        n_centres: int = 50,
        speed: float = 0.0,
        seed: int = 0,
    ) -> None:
        super().__init__(seed)
        if n_centres < n_classes:
            raise ValueError(
                f"n_centres == {n_centres}, must be at least n_classes == {n_classes}."
            )
        self.n_features = n_features
        self.n_classes = n_classes
        self.n_centres = n_centres
        self.speed = speed
        draw = self._fixed
        self._centres = draw.random((n_centres, n_features))
        # Every class has at least one centre.
        others = draw.integers(n_classes, size=n_centres - n_classes)
        self._classes = np.concatenate([np.arange(n_classes), others])
        self._spreads = draw.random(n_centres)
        self._until = np.cumsum(draw.random(n_centres))
        self._until /= self._until[-1]
        direction = draw.normal(size=(n_centres, n_features))
        self._velocity = speed * direction / np.linalg.norm(direction, axis=1, keepdims=True)

    @property
    def _names(self) -> tuple[str, ...]:
        return tuple(f"class {number}" for number in range(1, self.n_classes + 1))

    def _columns(self) -> tuple[Column, ...]:
        return tuple(Column(f"x{place}") for place in range(1, self.n_features + 1))

    def _target(self) -> Column:
        return Column("class", nominal=True, categories=self._names)

    def _make(self, n_rows: int, first_row: int) -> Block:
        centre = np.searchsorted(self._until, self._uniform.random(n_rows), side="right")
        draws = self._normal.normal(size=(n_rows, self.n_features + 1))
        direction, distance = draws[:, :-1], draws[:, -1] * self._spreads[centre]
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        times = np.arange(first_row, first_row + n_rows, dtype=np.float64)
        places = reflected(self._centres[centre] + times[:, None] * self._velocity[centre])
        X = places + distance[:, None] * direction
        return Block(X, named(self._names, self._classes[centre]))
