"""Friedman's regression functions (1991)."""

import numpy as np

from sgtrees.streams.block import Block, Column
from sgtrees.streams.generators.generator import Generator


class Friedman(Generator):
    """A number that depends on five of ten columns, nonlinearly and with an interaction.

    With a = x1 to e = x5: 10 sin(pi a b) + 20 (c - 1/2)^2 + 10 d + 5 e, and normal noise.

    Parameters
    ----------
    concept : {0, 1, 2, 3, 4}, default=0
        By how many positions the relevant columns are shifted; five others are irrelevant.
    noise : float, default=1.0
        Standard deviation of the noise.
    seed : int, default=0
        Seed of the stream.

    References
    ----------
    J. H. Friedman: Multivariate adaptive regression splines. Annals of Statistics 19, 1991.

    Examples
    --------
    >>> block = Friedman(seed=1).take(10_000)
    >>> block.X.shape, bool(abs(block.y.mean() - 14.4) < 0.2)
    ((10000, 10), True)
    """

    def __init__(self, concept: int = 0, *, noise: float = 1.0, seed: int = 0) -> None:
        super().__init__(seed)
        if concept not in range(5):
            raise ValueError(f"concept == {concept!r}, must be 0, 1, 2, 3 or 4.")
        self.concept = concept
        self.noise = noise

    def _columns(self) -> tuple[Column, ...]:
        return tuple(Column(f"x{place}") for place in range(1, 11))

    def _target(self) -> Column:
        return Column("y")

    def _make(self, n_rows: int, first_row: int) -> Block:  # noqa: ARG002 - nothing changes here
        X = self._uniform.random((n_rows, 10))
        a, b, c, d, e = X[:, self.concept : self.concept + 5].T
        y = 10.0 * np.sin(np.pi * a * b) + 20.0 * (c - 0.5) ** 2 + 10.0 * d + 5.0 * e
        return Block(X, y + self.noise * self._normal.normal(size=n_rows))
