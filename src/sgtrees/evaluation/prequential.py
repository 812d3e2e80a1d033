"""Prequential evaluation: every row is predicted first, then learned."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.adapters.factory import (
    Models,
    adapt_model,
    evaluation_context,
    name_models,
)
from sgtrees.evaluation.baselines import Baseline
from sgtrees.evaluation.measurements import Measurement, Point
from sgtrees.evaluation.metrics import Metric, get_metrics
from sgtrees.evaluation.model_loss import common_loss
from sgtrees.evaluation.model_run import ModelRun, print_point
from sgtrees.evaluation.predictions import PredictedRows, predicted_rows
from sgtrees.evaluation.result import Evaluation
from sgtrees.evaluation.running_metrics import RunningMetrics
from sgtrees.evaluation.tasks import common_task
from sgtrees.evaluation.windows import cut_at_points
from sgtrees.streams import Block, Stream, open_stream


@dataclass(frozen=True)
class PrequentialSettings:
    """The settings of a prequential evaluation; see `prequential`."""

    window: int | None = None
    every: int | None = None
    fading: float | None = None
    delay: int = 0
    batch_rows: int = 1000
    learns: bool = True

    def __post_init__(self) -> None:
        for name in ("window", "every", "batch_rows"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} == {value}, must be >= 1.")
        if self.delay < 0:
            raise ValueError(f"delay == {self.delay}, must be >= 0.")
        if self.fading is not None and not 0.0 < self.fading < 1.0:
            raise ValueError(f"fading == {self.fading}, must be between 0 and 1.")

    def as_dict(self) -> dict[str, Any]:
        """Return the settings of the result, whose kind shows whether models learned."""
        return {name: value for name, value in asdict(self).items() if name != "learns"}


class Prequential:
    """A prequential evaluation, point by point; see `prequential` for its parameters.

    Attributes
    ----------
    guard : callable
        Returns a context manager around each step in which rows are learned and counted.
    callbacks : list of callable
        Each is called with a model's name, its `PredictedRows` and the block of rows, for every
        part of the stream.
    after_parts : list of callable
        Each is called with the number of rows so far and the block that was learned.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.evaluation import Prequential
    >>> from sgtrees.streams import Sea
    >>> evaluation = Prequential(Sea().head(3_000), SGTClassifier(), every=1_000)
    >>> for point in evaluation.run():
    ...     print(point.rows, list(point.models))
    1000 ['SGTClassifier']
    2000 ['SGTClassifier']
    3000 ['SGTClassifier']
    >>> evaluation.result().rows
    3000
    """

    def __init__(
        self,
        stream: Any,
        models: Models,
        *,
        metrics: Sequence[str | Metric] | None = None,
        labels: Sequence[Any] | None = None,
        **settings: Any,
    ) -> None:
        self.settings = PrequentialSettings(**settings)
        self.stream: Stream = stream if isinstance(stream, Stream) else open_stream(stream)
        named = name_models(models)
        self.task = common_task(named, self.stream)
        self.metrics = get_metrics(metrics, self.task, common_loss(named))
        self.guard: Callable[[], AbstractContextManager[Any]] = nullcontext
        self.callbacks: list[Callable[[str, PredictedRows, Block], None]] = []
        self.after_parts: list[Callable[[int, Block], None]] = []
        self._rows = 0
        context = evaluation_context(self.stream, self.task, self.metrics, labels)
        self._classes = context.classes
        self._models = named
        self._runs = {
            name: ModelRun(adapt_model(model, context, delay=self.settings.delay))
            for name, model in named.items()
        }
        self._running = {
            name: RunningMetrics(self.metrics, self.settings.window, self.settings.fading)
            for name in named
        }
        self._points: list[Point] = []
        self._last_label = -1

    def run(self) -> Iterator[Point]:
        """Evaluate the models on the stream.

        Yields
        ------
        Point
            The measurements at the end of each window. `result` returns those so far at any time.
        """
        best_errors: list[tuple[int, float | None]] = []
        for part, rows, is_end in cut_at_points(self.stream, self.settings.every):
            with self.guard():
                self._learn(part)
                self._rows = rows
                for callback in self.after_parts:
                    callback(rows, part)
            best_errors.append((len(part), part.best_error))
            if is_end:
                yield self._point(rows, best_errors)
                best_errors = []
        for run in self._runs.values():
            run.adapter.finish()
        if best_errors:
            yield self._point(self._rows, best_errors)

    def _learn(self, block: Block) -> None:
        y, previous = self._targets(block)
        block = _with_integer_labels(block) if self._classes is not None else block
        weights = np.ones(len(block)) if block.weights is None else block.weights
        for name, run in self._runs.items():
            # A baseline is what is known without a model: it learns where models are only tested.
            learns = self.settings.learns or isinstance(self._models[name], Baseline)
            predictions = run.test(block, self.settings.batch_rows, learns=learns)
            rows = predicted_rows(y, previous, weights, predictions)
            self._running[name].add(rows)
            for callback in self.callbacks:
                callback(name, rows, block)

    def _targets(self, block: Block) -> tuple[NDArray[Any], NDArray[np.int32] | None]:
        if self._classes is None:
            return np.asarray(block.y, dtype=np.float64), None
        y = self._classes.number(block.y)
        previous = np.concatenate([np.array([self._last_label], dtype=np.int32), y[:-1]])
        self._last_label = int(y[-1])
        return y, previous

    def _point(self, rows: int, best_errors: list[tuple[int, float | None]]) -> Point:
        known = [(n, error) for n, error in best_errors if error is not None]
        n_known = sum(n for n, _ in known)
        best = sum(n * error for n, error in known) / n_known if n_known else None
        window = max(running.window_rows for running in self._running.values())
        models = {name: self._measurement(name) for name in self._runs}
        point = Point(rows, window, models, best)
        self._points.append(point)
        return point

    def _measurement(self, name: str) -> Measurement:
        running = self._running[name]
        return self._runs[name].measurement(
            running.close_window(), running.total(), running.faded()
        )

    @property
    def rows(self) -> int:
        """The number of rows that have been learned."""
        return self._rows

    @property
    def labels(self) -> list[Any] | None:
        """The labels so far in the order of their numbers; None in regression."""
        return None if self._classes is None else self._classes.labels

    def result(self) -> Evaluation:
        """Return the result so far, also before the end of `run`."""
        return Evaluation.of_points(
            "prequential" if self.settings.learns else "test",
            self.task,
            self.metrics,
            self._points,
            self.settings.as_dict(),
            () if self._classes is None else self._classes.labels,
            self._models,
            {name: run.drifts for name, run in self._runs.items() if run.drifts},
            {name: run.range_updates for name, run in self._runs.items() if run.range_updates},
        )


def _with_integer_labels(block: Block) -> Block:
    """Convert labels that are floats to integers, once for all models."""
    y = block.y
    is_floats = isinstance(y, np.ndarray) and y.dtype.kind == "f"
    return replace(block, y=y.astype(np.int64)) if is_floats else block


def prequential(
    stream: Any,
    models: Models,
    *,
    metrics: Sequence[str | Metric] | None = None,
    window: int | None = None,
    every: int | None = None,
    fading: float | None = None,
    delay: int = 0,
    batch_rows: int = 1000,
    labels: Sequence[Any] | None = None,
    learns: bool = True,
    verbose: int = 0,
) -> Evaluation:
    """Evaluate models on a stream: every row is predicted first, then learned.

    All models see the same rows, in one pass. This library's estimators learn whole blocks, with
    the same metrics as row by row. A river model takes one row after the other. Another estimator
    with `partial_fit` predicts ``batch_rows`` rows at a time and learns them then.

    Rows that a model predicts before it has learned any do not count.

    Parameters
    ----------
    stream : Stream, or any source of `sgtrees.streams.open_stream`
        The rows.
    models : model, sequence of models, or mapping from names to models
        Estimators with `partial_fit` and `predict`, and river models.
    metrics : sequence of str or Metric, optional
        The metrics; see `sgtrees.evaluation.metrics`. By default error, kappa, kappa_temporal and
        log_loss, or mae, rmse and r2.
    window : int, optional
        The number of rows in a sliding window at each point. By default the window of a point are
        the rows since the point before.
    every : int, optional
        The number of rows between two points. By default it grows with the rows, up to 50,000.
    fading : float, optional
        A factor below 1, such as 0.999, by which a row's weight shrinks with each row after it.
    delay : int, default=0
        The number of further rows that are predicted before a row's label is known. Estimators of
        this library that have learned nothing yet get it as ``label_delay``.
    batch_rows : int, default=1000
        The batch size of estimators of other libraries than this one and river.
    labels : sequence, optional
        All labels that may occur, for classifiers that need to know them beforehand.
    learns : bool, default=True
        False: the models are tested as they are, and learn nothing.
    verbose : int, default=0
        1: print a line for each point to standard error.

    Returns
    -------
    Evaluation
        The result.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.streams import Drift, Sea
    >>> stream = Drift(Sea(0), Sea(3, seed=1), at=15_000).head(30_000)
    >>> result = prequential(stream, SGTClassifier(), metrics=["error"], window=2_000, every=5_000)
    >>> [point.rows for point in result.points]
    [5000, 10000, 15000, 20000, 25000, 30000]
    >>> 0.1 < result.total("error") < 0.2
    True
    """
    evaluation = Prequential(
        stream,
        models,
        metrics=metrics,
        window=window,
        every=every,
        fading=fading,
        delay=delay,
        batch_rows=batch_rows,
        labels=labels,
        learns=learns,
    )
    for point in evaluation.run():
        if verbose:
            print_point(point, [metric.name for metric in evaluation.metrics])
    return evaluation.result()
