"""The SEA concepts of Street and Kim (2001)."""

import numpy as np

from sgtrees.streams.block import Block, Column
from sgtrees.streams.generators.generator import Generator, named

# The largest sum of the first two columns in class "a", for each of the four concepts.
_THRESHOLDS = (8.0, 9.0, 7.0, 9.5)


class Sea(Generator):
    """Three numbers from 0 to 10, labelled by whether the first two exceed a threshold in sum.

    Parameters
    ----------
    concept : {0, 1, 2, 3}, default=0
        The threshold: 8, 9, 7 or 9.5.
    noise : float, default=0.1
        The share of flipped labels.
    seed : int, default=0
        Seed of the stream.

    References
    ----------
    W. N. Street, Y. Kim: A streaming ensemble algorithm (SEA) for large-scale classification.
    KDD 2001.

    Examples
    --------
    >>> block = Sea(seed=1).take(1000)
    >>> block.X.shape, sorted(set(block.y.tolist())), block.best_error
    ((1000, 3), ['a', 'b'], 0.1)
    """

    def __init__(self, concept: int = 0, *, noise: float = 0.1, seed: int = 0) -> None:
        super().__init__(seed)
        if concept not in range(len(_THRESHOLDS)):
            raise ValueError(f"concept == {concept!r}, must be 0, 1, 2 or 3.")
        self.concept = concept
        self.noise = noise

    def _columns(self) -> tuple[Column, ...]:
        return Column("x1"), Column("x2"), Column("x3")

    def _target(self) -> Column:
        return Column("group", nominal=True, categories=("a", "b"))

    def _make(self, n_rows: int, first_row: int) -> Block:  # noqa: ARG002 - nothing changes here
        draws = self._uniform.random((n_rows, 4))
        X = 10.0 * draws[:, :3]
        inside = X[:, 0] + X[:, 1] <= _THRESHOLDS[self.concept]
        y = named(("b", "a"), inside ^ (draws[:, 3] < self.noise))
        return Block(np.ascontiguousarray(X), y, best_error=min(self.noise, 1.0 - self.noise))
