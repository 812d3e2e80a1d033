"""A model in the course of an evaluation: its time and its size."""

import logging
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace

from sgtrees.evaluation.adapters.base import ModelAdapter
from sgtrees.evaluation.measurements import Measurement, Point
from sgtrees.evaluation.predictions import Prediction
from sgtrees.logs import report
from sgtrees.models.drift_event import DriftEvent
from sgtrees.models.range_updates import RangeUpdate
from sgtrees.streams import Block

_LOGGER = logging.getLogger(__name__)


class ModelRun:
    """A model, and the time that it has taken.

    Parameters
    ----------
    adapter : ModelAdapter
        The model.
    """

    def __init__(self, adapter: ModelAdapter) -> None:
        self.adapter = adapter
        self.seconds = 0.0
        self._rows_before = adapter.n_rows

    def learn(self, block: Block) -> None:
        """Learn rows."""
        began = time.perf_counter()
        self.adapter.learn(block)
        self.seconds += time.perf_counter() - began

    def test(self, block: Block, batch_rows: int, *, learns: bool) -> list[Prediction]:
        """Predict rows and, with ``learns``, learn them: in batches if the model needs them."""
        batch = batch_rows if self.adapter.in_batches else len(block)
        parts = [block.slice(a, min(a + batch, len(block))) for a in range(0, len(block), batch)]
        predict: Callable[[Block], Prediction] = (
            self.adapter.test_then_train if learns else self.adapter.predict
        )
        began = time.perf_counter()
        predictions = [predict(part) for part in parts]
        self.seconds += time.perf_counter() - began
        return predictions

    @property
    def drifts(self) -> tuple[DriftEvent, ...]:
        """What happened to the model's trees in this evaluation; its first row is row 0."""
        first = self._rows_before
        return tuple(
            replace(event, row=event.row - first)
            for event in self.adapter.drifts
            if event.row >= first
        )

    @property
    def range_updates(self) -> tuple[RangeUpdate, ...]:
        """When the model's features got new bins in this evaluation; its first row is row 0."""
        first = self._rows_before
        return tuple(
            update._replace(row=update.row - first)
            for update in self.adapter.range_updates
            if update.row >= first
        )

    def measurement(
        self,
        window: dict[str, float],
        total: dict[str, float] | None = None,
        faded: dict[str, float] | None = None,
    ) -> Measurement:
        """Return the model's metrics together with its time and size."""
        return Measurement(
            window=window,
            total=total or {},
            faded=faded,
            seconds=self.seconds,
            n_nodes=self.adapter.n_nodes,
            n_leaves=self.adapter.n_leaves,
            memory_bytes=self.adapter.memory_bytes,
        )


def print_point(point: Point, metrics: Sequence[str]) -> None:
    """Report a point's first metric as one line, in the log or on standard error."""
    metric = metrics[0]
    values = ", ".join(f"{n} {m.window[metric]:.4g}" for n, m in point.models.items())
    text = f"{point.rows:,} rows: {metric} {values}"
    report(_LOGGER, text, verbose=True, stream=sys.stderr)
