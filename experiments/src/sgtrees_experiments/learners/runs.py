"""Runs: one learner on one data set in one order, and its result."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# The first point of a learning curve; over fewer rows an error is mostly chance.
_FIRST_POINT = 1000
_POINTS = 40
_LEAST_STRETCH = 250
# Where slow learners end, and others are compared with them.
_SHORT = 20_000


@dataclass(frozen=True)
class StreamRun:
    """One pass over a stream.

    Attributes
    ----------
    seconds : float
        CPU time of predicting and learning.
    nodes : int or None
        The nodes of the tree, or of all trees of a committee.
    ends : list of int
        Numbers of rows.
    losses : list of float
        The sum of the losses up to each of them: misclassified rows, or absolute errors.
    """

    seconds: float
    nodes: int | None
    ends: list[int]
    losses: list[float]

    @property
    def loss(self) -> float:
        """The mean loss over all rows."""
        return self.losses[-1] / self.ends[-1]

    def loss_after(self, rows: int) -> float | None:
        """Return the mean loss over the first rows; None if it was not recorded there."""
        if rows not in self.ends:
            return None
        return self.losses[self.ends.index(rows)] / rows


@dataclass(frozen=True)
class BagRun:
    """One cross-validation.

    Attributes
    ----------
    seconds : float
        CPU time of learning and predicting, all folds together.
    accuracies : list of float
        The accuracy on each fold.
    """

    seconds: float
    accuracies: list[float]


Run = StreamRun | BagRun


def as_values(run: Run) -> dict[str, Any]:
    """Return a run as plain values, to be written as JSON."""
    return asdict(run)


def run_from(values: dict[str, Any]) -> Run:
    """Make a run of the values that it was written as."""
    return BagRun(**values) if "accuracies" in values else StreamRun(**values)


def curve_ends(n_rows: int) -> list[int]:
    """Return the numbers of rows at which losses are recorded, about equally far on a log scale.

    Examples
    --------
    >>> curve_ends(500)
    [500]
    >>> curve_ends(100_000)[:3], curve_ends(100_000)[-1], 20_000 in curve_ends(100_000)
    ([1000, 1266, 1604], 100000, True)
    """
    fixed = [n_rows, *([_SHORT] if n_rows > _SHORT else [])]
    ends: list[int] = []
    for end in np.geomspace(min(_FIRST_POINT, n_rows), n_rows, _POINTS).round().astype(int):
        if all(abs(end - other) >= _LEAST_STRETCH for other in [*ends[-1:], *fixed]):
            ends.append(int(end))
    return sorted([*ends, *fixed])


def shuffled(n_rows: int, seed: int, most: int | None = None) -> NDArray[np.int64]:
    """Return the rows in a random order, at most so many of them."""
    return np.random.default_rng(seed).permutation(n_rows)[:most]
