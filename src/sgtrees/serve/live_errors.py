"""The error of the predictions that were given, beside that of the baselines on the same rows."""

import contextlib
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.baselines import baselines_for
from sgtrees.evaluation.class_numbers import ClassNumbers
from sgtrees.evaluation.metrics.registry import get_metrics
from sgtrees.evaluation.predictions import PredictedRows
from sgtrees.evaluation.running_metrics import RunningMetrics
from sgtrees.evaluation.tasks import Task
from sgtrees.serve.row_labels import RowLabels, Values

MODEL = "model"
"""The name of the model among the baselines."""

_WINDOW = 1000
# So many rows are added at once: one by one they would cost more than learning them.
_ROWS_AT_ONCE = 16_384


@dataclass(frozen=True)
class ErrorNow:
    """A metric of the model or a baseline: over all rows, and over the latest."""

    total: float
    window: float


class LiveErrors:
    """Running errors since the process started.

    Parameters
    ----------
    task : Task
        What is predicted.
    loss : str or Loss, optional
        The model's loss.

    Examples
    --------
    >>> errors = LiveErrors(Task.CLASSIFICATION)
    >>> errors.add(["a", "b"], ["a", "a"])
    >>> errors.now()["model"].total
    0.5
    """

    def __init__(self, task: Task, loss: Any = None) -> None:
        self.metric = get_metrics(None, task, loss)[0]
        self._classes = ClassNumbers() if task is Task.CLASSIFICATION else None
        # Labels and their class numbers; None is that of no prediction.
        self._known: dict[Any, int] = {}
        self._baselines = baselines_for(task, loss)
        self._running = {
            name: RunningMetrics([self.metric], _WINDOW, None) for name in (MODEL, *self._baselines)
        }
        self._y = _Parts()
        self._predicted = _Parts()
        self._lock = threading.Lock()
        self.rows = 0

    def add(self, y: Values, predicted: Values) -> None:
        """Add labels and the predictions that were given; None where there was none."""
        with self._lock:
            self._y.add(y)
            self._predicted.add(predicted)
            self.rows += len(y)
            if self._y.n_rows >= _ROWS_AT_ONCE:
                self._flush()

    def now(self) -> dict[str, ErrorNow]:
        """Return the error of the model and the baselines, by name."""
        with self._lock:
            self._flush()
            name = self.metric.name
            return {
                who: ErrorNow(running.total()[name], running.close_window()[name])
                for who, running in self._running.items()
            }

    def _flush(self) -> None:
        if not self._y.n_rows:
            return
        y, self._y = self._y, _Parts()
        predicted, self._predicted = self._predicted, _Parts()
        targets = self._numbers(y)
        # Baselines of labels predict class numbers as well: to them they are labels.
        nothing = np.empty((len(targets), 0))
        for name, baseline in self._baselines.items():
            is_first = not baseline.has_learned
            values = np.array(baseline.learn_predict(nothing, targets))
            if is_first and self._classes is not None:
                values[0] = -1  # before the first label there is no prediction
            self._add(name, targets, values)
        self._add(MODEL, targets, self._numbers(predicted))

    def _add(self, name: str, targets: NDArray[Any], values: NDArray[Any]) -> None:
        known = values >= 0 if self._classes is not None else ~np.isnan(values)
        rows = PredictedRows(targets, values, np.ones(len(values)))
        self._running[name].add(rows.where(known))

    def _numbers(self, parts: "_Parts") -> NDArray[Any]:
        found = [self._numbers_of(values) for values in parts.values]
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _numbers_of(self, values: Values) -> NDArray[Any]:
        if self._classes is None:
            return np.array([np.nan if value is None else value for value in values], dtype=float)
        known = self._known
        if isinstance(values, RowLabels):
            numbers = values.numbers(known)
            if numbers is not None:
                return numbers
        with contextlib.suppress(KeyError):
            return np.fromiter(map(known.__getitem__, values), np.int32, len(values))
        for value in values:
            known[value] = self._classes.number_of(value)
        return self._numbers_of(values)


class _Parts:
    """Values of rows in the parts in which they came; lists that follow each other are one."""

    def __init__(self) -> None:
        self.values: list[Values] = []
        self.n_rows = 0

    def add(self, values: Values) -> None:
        self.n_rows += len(values)
        if isinstance(values, RowLabels):
            self.values.append(values)
        elif self.values and isinstance(self.values[-1], list):
            self.values[-1].extend(values)
        else:
            self.values.append(list(values))
