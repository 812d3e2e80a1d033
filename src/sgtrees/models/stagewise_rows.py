"""Rows that are all at hand, and that boosted members learn one after the other."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.bags import Indices
from sgtrees.models.batch import ROWS_PER_CALL, Batch


class StagewiseRows:
    """The rows of a committed batch, all or some, handed over to the core.

    Ranges, bins and start come from all of them. While the first stages are learned the model
    predicts by them; a model that fails in between is not to be kept.

    Parameters
    ----------
    batch : Batch
        The rows, of a model that has learned nothing.
    chosen : ndarray or None
        The numbers of those to learn; None for all.
    """

    def __init__(self, batch: Batch[Any], chosen: Indices | None) -> None:
        self._model = batch.model
        self._core = batch.model.core
        # Rows are in no order that could tell of a change.
        self._core.watch_errors(False)
        self._core.collect_rows()
        for _, part in batch.parts(chosen):
            for _, dense in part.dense_parts():
                dense.pass_on()
        self._core.begin_stages()
        weights = (
            batch.weights if chosen is None or batch.weights is None else batch.weights[chosen]
        )
        n = len(batch) if chosen is None else len(chosen)
        self._n_rows = n if weights is None else int(np.count_nonzero(weights))

    def __len__(self) -> int:
        """Return the number of rows that have a weight above 0."""
        return self._n_rows

    def learn_stage(self, orders: Iterable[NDArray[np.uint32]]) -> None:
        """Let the next member learn the rows in several passes, each in its order."""
        for order in orders:
            for first in range(0, len(order), ROWS_PER_CALL):
                self._core.learn_stage(order[first : first + ROWS_PER_CALL])
        self._core.end_stage()

    def finish(self) -> None:
        """End the last stage; from now on all members learn every row of a stream."""
        self._core.end_stages()
        self._core.restart_following()
        self._core.watch_errors(True)
        self._model.log_changes(self._n_rows)
