"""Rows that have been checked and can be learned: one class for all models."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.bags import Indices
from sgtrees.data.columns import Block
from sgtrees.data.schema import Additions
from sgtrees.data.sparse import Rows, SparseRows
from sgtrees.data.weights import Weights


class Learning(Protocol):
    """What a batch needs of its model."""

    core: Any

    def apply(self, additions: Additions, labels: Any) -> None:
        """Add new features, categories and labels."""

    @property
    def guard(self) -> Callable[..., AbstractContextManager[None]]:
        """See `Model.guard`."""

    def learn_predict(
        self, rows: Block, y: NDArray[Any], weights: Weights | None, method: str
    ) -> NDArray[Any]:
        """Learn rows, and return what was predicted for each just before it was learned."""

    def learning(
        self, weights: Weights | None, additions: Additions, labels: Any
    ) -> AbstractContextManager[None]:
        """See `Model.learning`."""

    def log_changes(self, n_rows: int) -> None:
        """See `Model.log_changes`."""

    @property
    def settles_leaves(self) -> bool:
        """See `Model.settles_leaves`."""

    def leaves(self, rows: Block) -> NDArray[np.uint32]:
        """Return the node at which each row ends, in each tree."""

    def settle_leaves(
        self, nodes: NDArray[np.uint32], y: NDArray[Any], weights: Weights | None
    ) -> None:
        """See `Model.settle_leaves`."""


Model_co = TypeVar("Model_co", bound=Learning, covariant=True)

# The core is called for about so many rows at a time, between which an interrupt is noticed.
ROWS_PER_CALL = 1 << 16


@dataclass(frozen=True)
class Batch(Generic[Model_co]):
    """Checked rows with their targets; the model has not changed until `commit`.

    Attributes
    ----------
    model : Model
        The model that is to learn them.
    block : ndarray, Columns or SparseRows
        The rows as numbers.
    y : ndarray
        Class numbers, numbers, or indicators of labels.
    weights : ndarray or None
        The weight of each, classes' weights included; None if all are 1.
    labels : object or None
        The labels that are new; the model knows what they are.
    additions : Additions
        Features and categories that are new.
    sizes : ndarray or None
        If there is one target for each bag: how many rows a bag has.
    """

    model: Model_co
    block: Rows
    y: NDArray[Any]
    weights: Weights | None
    labels: Any
    additions: Additions
    sizes: NDArray[np.int64] | None = None

    def __len__(self) -> int:
        return len(self.y)

    def __getitem__(self, chosen: Any) -> "Batch[Model_co]":
        """Return the rows, or the bags, that NumPy's index chooses."""
        rows = chosen if self.sizes is None else _rows_of_bags(chosen, self.sizes)
        return replace(
            self,
            block=self.block[rows],
            y=self.y[chosen],
            weights=None if self.weights is None else self.weights[chosen],
            sizes=None if self.sizes is None else self.sizes[chosen],
        )

    @property
    def has_weight(self) -> bool:
        """Whether there is a row to learn: one of a weight above 0."""
        return self.weights is None or bool(self.weights.any())

    def commit(self) -> None:
        """Add the new features, categories and labels to the model."""
        self.model.apply(self.additions, self.labels)

    def learn(self) -> None:
        """Commit the batch, and learn all rows in their order."""
        with self.model.learning(self.weights, self.additions, self.labels):
            self.commit()
            for first, part in self.dense_parts():
                with self._guard_from(first):
                    part.pass_on()
        self.model.log_changes(len(self))

    def learn_predict(self, method: str = "predict") -> NDArray[Any]:
        """Commit the batch, and learn; return what was predicted just before each row."""
        with self.model.learning(self.weights, self.additions, self.labels):
            self.commit()
            predicted = []
            for first, part in self.dense_parts():
                with self._guard_from(first):
                    predicted.append(part._learn_predict(method))
        self.model.log_changes(len(self))
        return predicted[0] if len(predicted) == 1 else np.concatenate(predicted)

    def learn_pass(self, order: Indices | None) -> None:
        """Learn rows of a committed batch once, in some order, and end warm-up and round.

        If a loss fails nothing of this pass is to be kept.
        """
        # All rows count the same in `fit`, whatever their order: no tree that has learned some of
        # them is replaced by one that has not.
        self.model.core.watch_errors(False)
        for first, part in self.parts(order):
            for offset, dense in part.dense_parts():
                with self.model.guard(self.weights, order, first + offset, is_kept=False):
                    dense.pass_on()
        with self.model.guard(self.weights, order, is_kept=False):
            self.model.core.end_warm_up()
            self.model.core.end_round()
        # What the last rows of a pass were like says nothing about those that will be predicted.
        self.model.core.restart_following()
        self.model.core.watch_errors(True)
        self.model.log_changes(len(self))

    def settle_leaves(self, chosen: Indices | slice) -> None:
        """Give leaves their last values, after several passes over the chosen rows."""
        if not self.model.settles_leaves:
            return
        # The block of a dense part is dense; one of them is there at a time.
        blocks: Iterator[Any] = (part.block for _, part in self.dense_parts())
        nodes = np.concatenate([self.model.leaves(block) for block in blocks])
        weights = None if self.weights is None else self.weights[chosen]
        self.model.settle_leaves(nodes[chosen], self.y[chosen], weights)

    def _guard_from(self, first: int) -> AbstractContextManager[None]:
        # The guard around the whole batch names rows from the first on.
        return nullcontext() if first == 0 else self.model.guard(self.weights, first=first)

    def _learn_predict(self, method: str) -> NDArray[Any]:
        # Of dense rows.
        block: Any = self.block
        return self.model.learn_predict(block, self.y, self.weights, method)

    def dense_parts(self) -> Iterator[tuple[int, "Batch[Model_co]"]]:
        """Yield the batch as it is; sparse rows in dense parts, each with its first row's place."""
        if not isinstance(self.block, SparseRows):
            yield 0, self
            return
        first = 0
        for block in self.block.parts():
            rows = slice(first, first + len(block))
            weights = None if self.weights is None else self.weights[rows]
            yield first, replace(self, block=block, y=self.y[rows], weights=weights)
            first += len(block)

    def pass_on(self) -> None:
        """Pass dense rows of a committed batch on to the core."""
        rows = (self.block,) if self.sizes is None else (self.block, self.sizes)
        self.model.core.learn(*rows, self.y, self.weights)

    def parts(self, order: Indices | None) -> Iterator[tuple[int, "Batch[Model_co]"]]:
        """Yield parts to be learned one after the other, each with the place of its first row.

        Parameters
        ----------
        order : ndarray or None
            The order of the rows, or of the bags, of all or of some; None for that in which all
            came.
        """
        ends, n = self._ends(order), len(self) if order is None else len(order)
        for first, end in zip([0, *ends], [*ends, n], strict=True):
            yield first, self[slice(first, end) if order is None else order[first:end]]

    def _ends(self, order: Indices | None) -> list[int]:
        if self.sizes is None:
            n = len(self) if order is None else len(order)
            return list(range(ROWS_PER_CALL, n, ROWS_PER_CALL))
        sizes = self.sizes if order is None else self.sizes[order]
        call = np.cumsum(sizes) // ROWS_PER_CALL
        ends: list[int] = (np.flatnonzero(np.diff(call)) + 1).tolist()
        return ends


def _rows_of_bags(chosen: Any, sizes: NDArray[np.int64]) -> Indices:
    """Return the rows of some bags, one bag after the other; all rows are sorted by bag.

    Examples
    --------
    >>> _rows_of_bags(np.array([2, 0]), np.array([2, 1, 3]))
    array([3, 4, 5, 0, 1])
    """
    taken = sizes[chosen]
    starts = np.cumsum(sizes) - sizes
    shift = starts[chosen] - (np.cumsum(taken) - taken)
    rows: Indices = np.arange(int(taken.sum())) + np.repeat(shift, taken)
    return rows
