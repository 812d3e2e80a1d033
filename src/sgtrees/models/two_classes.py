"""Two classes, separated by one tree under any loss."""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.data.columns import Block
from sgtrees.losses.base import Loss
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.links import LOGISTIC, TWICE_LOGISTIC, Link
from sgtrees.losses.values import losses_of_rows

Ints = NDArray[np.int32]

_CLASSES_IN_STATE = "classes"


def log_odds(probabilities: Floats) -> Floats:
    """Return the log-odds of the second of two columns, which are finite.

    Examples
    --------
    >>> log_odds(np.array([[0.5, 0.5], [0.0, 1.0]])).round(1)
    array([  0. , 708.4])
    """
    logarithms = log_probabilities(probabilities)
    result: Floats = logarithms[:, 1] - logarithms[:, 0]
    return result


def log_probabilities(probabilities: Floats) -> Floats:
    """Return logarithms, of 0 that of the smallest normal number: scores must be finite."""
    result: Floats = np.log(np.maximum(probabilities, np.finfo(np.float64).tiny))
    return result


class TwoClasses:
    """One tree that learns class numbers as targets, with the methods of `_core.ClassLearner`.

    The probability of class 1 is the link of the raw score. As in a committee, a class that no row
    has had is not predicted: before the second class there is only the first.

    Parameters
    ----------
    tree : _core.LossLearner
        The tree.
    link : Link
        From raw scores to probabilities.
    n_classes : int
        Classes seen so far.
    """

    def __init__(self, tree: _core.LossLearner, link: Link, n_classes: int = 0) -> None:
        self._tree = tree
        self._link = link
        self.n_classes = n_classes

    @classmethod
    def from_state(
        cls,
        options: _core.Options,
        state: Mapping[str, NDArray[np.generic]],
        loss: _core.LossSpec,
        link: Link,
    ) -> Self:
        """Make a learner of what `state` returned."""
        of_tree = dict(state)
        n_classes = of_tree.pop(_CLASSES_IN_STATE, np.empty(0)).tolist()
        if n_classes not in ([0], [1], [2]):
            raise ValueError(f"{_CLASSES_IN_STATE} must be 0, 1 or 2, and is {n_classes}")
        return cls(_core.LossLearner.from_state(options, of_tree, loss), link, n_classes[0])

    def state(self, inference_only: bool = False) -> dict[str, NDArray[np.generic]]:
        """Return the whole learning state as named arrays, or as much as predicting needs."""
        classes = np.array([self.n_classes], dtype=np.int64)
        return self._tree.state(inference_only) | {_CLASSES_IN_STATE: classes}

    def merge(self, other: Self, codes: list[list[int]], base: Self | None = None) -> None:
        """Add what another learner has gathered since ``base``."""
        self._tree.merge(other._tree, codes, None if base is None else base._tree)
        self.n_classes = max(self.n_classes, other.n_classes)

    @property
    def learner(self) -> _core.Learner:
        """The learner that does the work."""
        return self._tree

    def __getattr__(self, name: str) -> Any:
        # All that is not about classes is the tree's.
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._tree, name)

    # ---- learning -------------------------------------------------------------------------------

    def learn(self, X: Block, y: Ints, weight: Floats | None = None) -> None:
        """Learn a block of rows with their class numbers."""
        self._note_classes(y, weight)
        self._tree.learn(X, y.astype(np.float64), weight)

    def gather(
        self, X: Sequence[Block], y: Ints, weight: Floats | None = None
    ) -> dict[str, NDArray[np.generic]]:
        """Return the partial statistics of the next rows of a round."""
        return self._tree.gather(X, y.astype(np.float64), weight)

    def learn_one(self, row: Floats, y: int, weight: float = 1.0) -> bool:
        """Learn one row; return whether a feature got new bins."""
        self.n_classes = max(self.n_classes, y + 1)
        return self._tree.learn_one(row, float(y), weight)

    def learn_predict_proba(
        self, X: Block, y: Ints, weight: Floats | None, n_classes: int
    ) -> Floats:
        """Return the probabilities before each row was learned, 0 for classes not yet seen."""
        seen = self._note_classes(y, weight)
        raw = self._tree.learn_predict(X, y.astype(np.float64), weight)
        return self._probabilities(raw, seen)[:, :n_classes]

    def learn_predict_labels(self, X: Block, y: Ints, weight: Floats | None, rank: Ints) -> Ints:
        """Return the class number predicted before each row was learned; -1 before any class."""
        seen = self._note_classes(y, weight)
        raw = self._tree.learn_predict(X, y.astype(np.float64), weight)
        return self._labels(raw, seen, rank)

    def _note_classes(self, y: Ints, weight: Floats | None) -> NDArray[np.intp]:
        """Count the classes that had been seen just before each row."""
        numbers = np.where(True if weight is None else weight > 0, y + 1, 0)
        seen = np.maximum.accumulate(np.concatenate([[self.n_classes], numbers]))
        self.n_classes = int(seen[-1])
        before: NDArray[np.intp] = seen[:-1]
        return before

    # ---- predicting -----------------------------------------------------------------------------

    def row_losses(self, loss: Loss, X: Block, y: Ints, members: int | None = None) -> Floats:
        """Return the loss of each row, by the first members if their number is given."""
        raw = self._tree.predict(X, members)
        return losses_of_rows(loss, y.astype(np.float64), raw, self._tree.loss_scales)

    def predict_proba(self, X: Block, members: int | None = None) -> Floats:
        """Return the probabilities of the classes seen so far, columns by class number."""
        n_classes = self.n_classes
        raw = self._tree.predict(X, members)
        return self._probabilities(raw, np.full(len(raw), n_classes))[:, :n_classes]

    def predict_labels(self, X: Block, rank: Ints, members: int | None = None) -> Ints:
        """Return the class number of each row, among the first ``len(rank)`` classes."""
        seen = min(self.n_classes, len(rank))
        raw = self._tree.predict(X, members)
        return self._labels(raw, np.full(len(raw), seen), rank)

    def log_odds(self, X: Block) -> Floats:
        """Return the log-odds of class 1 for each row, where a link can be undone exactly."""
        raw = self._tree.predict(X)
        if self._link is LOGISTIC:
            return raw
        if self._link is TWICE_LOGISTIC:
            return 2.0 * raw
        return log_odds(np.column_stack([1.0 - self._link(raw), self._link(raw)]))

    def predict_proba_one(self, row: Floats) -> list[float]:
        """Return the probabilities of the classes seen so far for one row."""
        n_classes = self.n_classes
        if n_classes < 2:
            return [1.0] * n_classes
        probability = self._link.of_one(self._tree.predict_one(row))
        return [1.0 - probability, probability]

    def _probabilities(self, raw: Floats, seen: NDArray[np.intp]) -> Floats:
        of_class_1 = np.where(seen == 2, self._link(raw), 0.0)
        return np.column_stack([np.where(seen == 0, 0.0, 1.0 - of_class_1), of_class_1])

    def _labels(self, raw: Floats, seen: NDArray[np.intp], rank: Ints) -> Ints:
        probability = self._probabilities(raw, seen)[:, 1]
        tied = len(rank) > 1 and rank[1] < rank[0]
        is_class_1 = (probability >= 0.5) if tied else (probability > 0.5)
        result: Ints = np.where(seen == 0, -1, is_class_1).astype(np.int32)
        return result
