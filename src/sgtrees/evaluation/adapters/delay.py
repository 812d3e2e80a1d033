"""Models that learn each row only after some further rows have been predicted."""

from abc import abstractmethod
from collections import deque
from typing import Generic, TypeVar

from sgtrees.evaluation.adapters.base import ModelAdapter
from sgtrees.evaluation.adapters.row_by_row import Row, RowAdapter
from sgtrees.evaluation.predictions import Prediction
from sgtrees.streams import Block

AnyAdapter = TypeVar("AnyAdapter", bound=ModelAdapter)


def delayed(adapter: ModelAdapter, delay: int) -> ModelAdapter:
    """Return an adapter whose model learns each row after ``delay`` further rows."""
    if isinstance(adapter, RowAdapter):
        return DelayedRows(adapter, delay)
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


class DelayedBlocks(_Delayed[ModelAdapter]):
    """A model that predicts a batch, then learns the rows whose labels have come by its end."""

    def __init__(self, adapter: ModelAdapter, delay: int) -> None:
        super().__init__(adapter, delay)
        self._waiting: deque[Block] = deque()
        self._n_waiting = 0

    def test_then_train(self, block: Block) -> Prediction:
        """Predict rows, and learn those whose labels have come."""
        prediction = self.adapter.predict(block)
        self._waiting.append(block)
        self._n_waiting += len(block)
        self._learn_until(self.delay)
        return prediction

    def _learn_until(self, n_waiting: int) -> None:
        while self._n_waiting > n_waiting:
            block = self._waiting.popleft()
            n_rows = min(len(block), self._n_waiting - n_waiting)
            self.adapter.learn(block.slice(0, n_rows))
            self._n_waiting -= n_rows
            if n_rows < len(block):
                self._waiting.appendleft(block.slice(n_rows, len(block)))
