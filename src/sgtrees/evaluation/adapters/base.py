"""The interface of models under evaluation."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.class_numbers import ClassNumbers
from sgtrees.evaluation.predictions import Prediction
from sgtrees.models.drift_event import DriftEvent
from sgtrees.models.range_updates import RangeUpdate
from sgtrees.streams import Block, Column


@dataclass(frozen=True)
class EvaluationContext:
    """What all models of an evaluation share.

    Attributes
    ----------
    classes : ClassNumbers or None
        The class numbers; None in regression.
    columns : sequence of Column
        The columns of a block.
    needs_probabilities : bool
        Whether a metric needs probabilities.
    labels : sequence or None
        All labels that may occur, if they are known.
    """

    classes: ClassNumbers | None
    columns: Sequence[Column]
    needs_probabilities: bool
    labels: Sequence[Any] | None = None


class ModelAdapter(ABC):
    """A model under evaluation.

    Parameters
    ----------
    model : object
        The model.
    context : EvaluationContext
        What all models of the evaluation share.
    """

    in_batches: bool = False
    """Whether the model predicts a whole batch before it learns it."""

    def __init__(self, model: Any, context: EvaluationContext) -> None:
        self.model = model
        self.context = context
        self.classes = context.classes

    @abstractmethod
    def test_then_train(self, block: Block) -> Prediction:
        """Learn rows, and return the prediction of each row just before it was learned."""

    @abstractmethod
    def predict(self, block: Block) -> Prediction:
        """Predict rows."""

    @abstractmethod
    def learn(self, block: Block) -> None:
        """Learn rows."""

    def finish(self) -> None:  # noqa: B027 - most models have nothing to finish
        """Learn rows whose labels were delayed beyond the end of the stream."""

    def _no_prediction(self, n_rows: int) -> Prediction:
        """Return the prediction of a model that has learned nothing."""
        if self.classes is not None:
            return Prediction(np.full(n_rows, -1), np.zeros((n_rows, len(self.classes))))
        unknown = np.full(n_rows, np.nan)
        return Prediction(unknown, lower=unknown, upper=unknown)

    def _labels(
        self, labels: NDArray[Any], probabilities: NDArray[np.float64] | None = None
    ) -> Prediction:
        assert self.classes is not None
        numbers = self.classes.number(labels)
        if probabilities is None:
            return Prediction(numbers)
        return Prediction(numbers, self.classes.in_order(probabilities, self.model.classes_))

    # ---- change ---------------------------------------------------------------------------------

    @property
    def drifts(self) -> Sequence[DriftEvent]:
        """What happened to the model's trees because errors rose; none if it does not tell."""
        # Nothing before the first row, too.
        events: Sequence[DriftEvent] = getattr(self.model, "drifts_", ())
        return events

    @property
    def range_updates(self) -> Sequence[RangeUpdate]:
        """When the model's numeric features got new bins, if it tells."""
        updates: Sequence[RangeUpdate] = getattr(self.model, "range_updates_", ())
        return updates

    @property
    def n_rows(self) -> int:
        """The number of rows that the model has learned; 0 if it does not tell."""
        return self._size("n_samples_seen_") or 0

    # ---- size -----------------------------------------------------------------------------------

    @property
    def n_nodes(self) -> int | None:
        """The number of the model's nodes; None if it has no such attribute."""
        return self._size("n_nodes_", "n_nodes")

    @property
    def n_leaves(self) -> int | None:
        """The number of the model's leaves; None if it has no such attribute."""
        return self._size("n_leaves_", "n_leaves")

    @property
    def memory_bytes(self) -> int | None:
        """The model's memory; None if it has no such attribute."""
        return self._size("memory_bytes_")

    def _size(self, *names: str) -> int | None:
        for name in names:
            # None if the model has not learned a row yet, too.
            value = getattr(self.model, name, None)
            if isinstance(value, int | np.integer):
                return int(value)
        return None
