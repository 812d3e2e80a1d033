"""Labels that come late."""

from collections import deque
from typing import Any

from sgtrees.evaluation.events import targets_of
from sgtrees.evaluation.learners import EventLearner, Learner
from sgtrees.evaluation.outcomes import Prediction
from sgtrees.streams import Block


class Delayed:
    """A model that learns a row only after some further rows have been predicted.

    One that can predict and learn single rows does it row by row, exactly. For another one a batch
    is predicted, and then those rows are learned whose labels have come by its end.

    Parameters
    ----------
    learner : Learner
        The model.
    delay : int
        The number of further rows.
    """

    def __init__(self, learner: Learner, delay: int) -> None:
        self.learner = learner
        self.delay = delay
        self._events: deque[tuple[dict[str, Any], Any, float | None]] = deque()
        self._blocks: deque[Block] = deque()
        self._n_waiting = 0

    @property
    def n_nodes(self) -> int | None:
        """The model's nodes, where it has such."""
        return self.learner.n_nodes

    @property
    def n_leaves(self) -> int | None:
        """The model's leaves, where it has such."""
        return self.learner.n_leaves

    @property
    def memory_bytes(self) -> int | None:
        """What the model takes, where it says so."""
        return self.learner.memory_bytes

    def predict(self, block: Block) -> Prediction:
        """Return what is predicted for each row."""
        return self.learner.predict(block)

    def test_then_train(self, block: Block) -> Prediction:
        """Return what is predicted for each row, and learn those rows whose labels have come."""
        if isinstance(self.learner, EventLearner):
            return self._row_by_row(self.learner, block)
        prediction = self.learner.predict(block)
        self._blocks.append(block)
        self._n_waiting += len(block)
        self._learn_blocks(self.delay)
        return prediction

    def _row_by_row(self, learner: EventLearner, block: Block) -> Prediction:
        answers = []
        targets = targets_of(block)
        for row, (event, target) in enumerate(zip(learner.events(block), targets, strict=True)):
            answers.append(learner.ask(event))
            self._events.append((event, target, learner.weight(block, row)))
            if len(self._events) > self.delay:
                learner.teach(*self._events.popleft())
        return learner.together(answers)

    def _learn_blocks(self, n_left: int) -> None:
        while self._n_waiting > n_left:
            block = self._blocks.popleft()
            n_rows = min(len(block), self._n_waiting - n_left)
            self.learner.learn(block.slice(0, n_rows))
            self._n_waiting -= n_rows
            if n_rows < len(block):
                self._blocks.appendleft(block.slice(n_rows, len(block)))

    def finish(self) -> None:
        """Learn the rows whose labels had not come by the end of the stream."""
        if isinstance(self.learner, EventLearner):
            while self._events:
                self.learner.teach(*self._events.popleft())
        else:
            self._learn_blocks(0)
