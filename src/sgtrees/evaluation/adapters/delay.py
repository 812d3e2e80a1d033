"""Models that learn each row only after some further rows have been predicted."""

from abc import abstractmethod
from collections import deque
from collections.abc import Iterator
from typing import Generic, TypeVar

from sgtrees.evaluation.adapters.base import ModelAdapter
from sgtrees.evaluation.adapters.row_by_row import Row, RowAdapter
from sgtrees.evaluation.baselines import Baseline
from sgtrees.evaluation.predictions import Prediction, join_predictions
from sgtrees.streams import Block

AnyAdapter = TypeVar("AnyAdapter", bound=ModelAdapter)


def delayed(adapter: ModelAdapter, delay: int) -> ModelAdapter:
    """Return an adapter whose model learns each row after ``delay`` further rows."""
    if isinstance(adapter, RowAdapter):
        return DelayedRows(adapter, delay)
    if isinstance(adapter.model, Baseline):
        return DelayedTargets(adapter, delay)
    return DelayedBlocks(adapter, delay)


class _Delayed(ModelAdapter, Generic[AnyAdapter]):
    def __init__(self, adapter: AnyAdapter, delay: int) -> None:
        super().__init__(adapter.model, adapter.context)
        self.adapter = adapter
        self.delay = delay
        self.in_batches = adapter.in_batches

    def predict(self, block: Block) -> Prediction:
        """Predict rows."""
        return self.adapter.predict(block)

    def learn(self, block: Block) -> None:
        """Learn rows, without delay."""
        self.adapter.learn(block)

    @abstractmethod
    def _learn_until(self, n_waiting: int) -> None:
        """Learn the oldest rows, until that many are left."""

    def finish(self) -> None:
        """Learn rows whose labels were delayed beyond the end of the stream."""
        self._learn_until(0)


class DelayedRows(_Delayed[RowAdapter]):
    """A model that predicts and learns single rows: the delay is exact."""

    def __init__(self, adapter: RowAdapter, delay: int) -> None:
        super().__init__(adapter, delay)
        self._waiting: deque[Row] = deque()

    def test_then_train(self, block: Block) -> Prediction:
        """Predict rows, and learn those whose labels have come."""
        predictions = []
        for row in self.adapter.rows(block):
            predictions.append(self.adapter.predict_one(row))
            self._waiting.append(row)
            self._learn_until(self.delay)
        return self.adapter.combine(predictions)

    def _learn_until(self, n_waiting: int) -> None:
        while len(self._waiting) > n_waiting:
            self.adapter.learn_one(self._waiting.popleft())


class _DelayedBlocks(_Delayed[ModelAdapter]):
    def __init__(self, adapter: ModelAdapter, delay: int) -> None:
        super().__init__(adapter, delay)
        self._waiting: deque[Block] = deque()
        self._n_waiting = 0

    def _append(self, block: Block) -> None:
        self._waiting.append(block)
        self._n_waiting += len(block)

    def _oldest(self, n_waiting: int) -> Iterator[Block]:
        """Yield the oldest rows, until that many are left."""
        while self._n_waiting > n_waiting:
            block = self._waiting.popleft()
            n_rows = min(len(block), self._n_waiting - n_waiting)
            self._n_waiting -= n_rows
            if n_rows < len(block):
                self._waiting.appendleft(block.slice(n_rows, len(block)))
            yield block.slice(0, n_rows)

    def _learn_until(self, n_waiting: int) -> None:
        for block in self._oldest(n_waiting):
            self.adapter.learn(block)


class DelayedBlocks(_DelayedBlocks):
    """A model that predicts a batch, then learns the rows whose labels have come by its end."""

    def test_then_train(self, block: Block) -> Prediction:
        """Predict rows, and learn those whose labels have come."""
        prediction = self.adapter.predict(block)
        self._append(block)
        self._learn_until(self.delay)
        return prediction


class DelayedTargets(_DelayedBlocks):
    """A baseline: the delay is exact, as what it predicts does not depend on the row.

    What it would have predicted for a row without a delay, it predicts for the row that comes
    ``delay`` rows later.
    """

    def test_then_train(self, block: Block) -> Prediction:
        """Predict rows, and learn those whose labels have come."""
        n_unknown = min(max(self.delay - self._n_waiting, 0), len(block))
        parts = [self.adapter.predict(block.slice(0, n_unknown))] if n_unknown else []
        self._append(block)
        parts += [self.adapter.test_then_train(known) for known in self._oldest(self.delay)]
        return join_predictions(parts)
