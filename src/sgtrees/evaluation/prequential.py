"""Test, then train: every row is predicted first, and learned then."""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.classes import Classes
from sgtrees.evaluation.delay import Delayed
from sgtrees.evaluation.learners import BatchLearner, Learner, learner_of, task_of
from sgtrees.evaluation.metrics import Metric, Task, read_metrics
from sgtrees.evaluation.outcomes import Outcome, Prediction, join
from sgtrees.evaluation.result import Evaluation, Measured, Point
from sgtrees.evaluation.tally import Tally
from sgtrees.evaluation.windows import cut_at_points
from sgtrees.streams import Block, Stream, open_stream

Models = Any | Mapping[str, Any] | Sequence[Any]


class Prequential:
    """A prequential evaluation that can be watched; see `prequential` for its parameters.

    Attributes
    ----------
    guard : callable
        Returns a context in which rows are learned and counted, together or not at all.
    observers : list of callable
        Each is called with a model's name and the `Outcome` of every part of the stream.

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
        window: int | None = None,
        every: int | None = None,
        fading: float | None = None,
        delay: int = 0,
        batch_rows: int = 1000,
        labels: Sequence[Any] | None = None,
        learns: bool = True,
    ) -> None:
        _check(window, every, fading, delay, batch_rows)
        self.stream: Stream = stream if isinstance(stream, Stream) else open_stream(stream)
        named = name_models(models)
        self.task = common_task(named, self.stream)
        self.metrics = read_metrics(metrics, self.task)
        self.guard: Callable[[], AbstractContextManager[Any]] = nullcontext
        self.observers: list[Callable[[str, Outcome], None]] = []
        self._learns = learns
        self._rows = 0
        self._every = every
        self._batch_rows = batch_rows
        self._settings = {
            "window": window,
            "every": every,
            "fading": fading,
            "delay": delay,
            "batch_rows": batch_rows,
        }
        self._classes = Classes() if self.task is Task.CLASSIFICATION else None
        target = self.stream.target
        if labels is None and target is not None:
            labels = target.categories
        self._runs = {
            name: _Run(self._dress(model, labels, delay), Tally(self.metrics, window, fading))
            for name, model in named.items()
        }
        self._points: list[Point] = []
        self._last_label = -1

    def _dress(self, model: Any, labels: Sequence[Any] | None, delay: int) -> "Learner | Delayed":
        learner = learner_of(
            model,
            self._classes,
            self.stream.columns,
            needs_probabilities=any(metric.needs_probabilities for metric in self.metrics),
            labels=labels,
            row_by_row=delay > 0,
        )
        return learner if delay == 0 else Delayed(learner, delay)

    def run(self) -> Iterator[Point]:
        """Go through the stream.

        Yields
        ------
        Point
            What is known at the end of each window. Who stops in between keeps what there is.
        """
        best_errors: list[tuple[int, float | None]] = []
        for part, rows, is_end in cut_at_points(self.stream, self._every):
            with self.guard():
                self._learn(part)
                self._rows = rows
            best_errors.append((len(part), part.best_error))
            if is_end:
                yield self._point(rows, best_errors)
                best_errors = []
        for run in self._runs.values():
            run.finish()
        if best_errors:
            yield self._point(self._rows, best_errors)

    def _learn(self, block: Block) -> None:
        y, previous = self._truth(block)
        block = _with_whole_labels(block) if self._classes is not None else block
        weights = np.ones(len(block)) if block.weights is None else block.weights
        for name, run in self._runs.items():
            predictions = run.step(block, self._batch_rows, learns=self._learns)
            outcome = outcome_of(y, previous, weights, predictions)
            run.tally.add(outcome)
            for observe in self.observers:
                observe(name, outcome)

    def _truth(self, block: Block) -> tuple[NDArray[Any], NDArray[np.int32] | None]:
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
        window = max(run.tally.window_rows for run in self._runs.values())
        models = {name: run.measure() for name, run in self._runs.items()}
        point = Point(rows, window, models, best)
        self._points.append(point)
        return point

    @property
    def rows(self) -> int:
        """The number of rows that have been learned."""
        return self._rows

    def result(self) -> Evaluation:
        """Return what has been found so far; also where `run` was left before its end."""
        return Evaluation(
            kind="prequential" if self._learns else "test",
            task=self.task,
            metrics=tuple(metric.name for metric in self.metrics),
            shares=tuple(metric.name for metric in self.metrics if metric.is_share),
            higher=tuple(metric.name for metric in self.metrics if metric.is_better_higher),
            points=tuple(self._points),
            settings=self._settings,
            labels=() if self._classes is None else tuple(self._classes.labels),
        )


def _with_whole_labels(block: Block) -> Block:
    """Make labels that are whole numbers in floats integers, once for all models."""
    y = block.y
    is_floats = isinstance(y, np.ndarray) and y.dtype.kind == "f"
    return replace(block, y=y.astype(np.int64)) if is_floats else block


class _Run:
    """One model, its figures and its time."""

    def __init__(self, learner: "Learner | Delayed", tally: Tally) -> None:
        self.learner = learner
        self.tally = tally
        self.seconds = 0.0

    def step(self, block: Block, batch_rows: int, *, learns: bool) -> list[Prediction]:
        batch = batch_rows if self.is_batch else len(block)
        parts = [block.slice(a, min(a + batch, len(block))) for a in range(0, len(block), batch)]
        ask = self.learner.test_then_train if learns else self.learner.predict
        began = time.perf_counter()
        predictions = [ask(part) for part in parts]
        self.seconds += time.perf_counter() - began
        return predictions

    @property
    def is_batch(self) -> bool:
        learner = self.learner
        return isinstance(
            learner.learner if isinstance(learner, Delayed) else learner, BatchLearner
        )

    def finish(self) -> None:
        if isinstance(self.learner, Delayed):
            self.learner.finish()

    def measure(self) -> Measured:
        return Measured(
            window=self.tally.close_window(),
            total=self.tally.total(),
            faded=self.tally.faded(),
            seconds=self.seconds,
            n_nodes=self.learner.n_nodes,
            n_leaves=self.learner.n_leaves,
            memory_bytes=self.learner.memory_bytes,
        )


def outcome_of(
    y: NDArray[Any],
    previous: NDArray[np.int32] | None,
    weights: NDArray[np.float64],
    predictions: Sequence[Prediction],
) -> Outcome:
    """Put predictions beside the truth, without the rows for which there were none."""
    parts = []
    start = 0
    for prediction in predictions:
        stop = start + len(prediction.values)
        rows = slice(start, stop)
        outcome = Outcome(
            y[rows],
            prediction.values,
            weights[rows],
            None if previous is None else previous[rows],
            prediction.probabilities,
            prediction.lower,
            prediction.upper,
        )
        is_number = prediction.values.dtype.kind == "f"
        known = ~np.isnan(prediction.values) if is_number else prediction.values >= 0
        parts.append(outcome.where(known))
        start = stop
    return join(parts)


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
    """Evaluate models on a stream: every row is predicted first, and learned then.

    All models see the same rows, in one pass. This library's estimators learn whole blocks at full
    speed, with the same figures as row by row. A river model takes one row after the other. Another
    estimator with `partial_fit` predicts ``batch_rows`` rows at a time and learns them then.

    Rows for which a classifier has nothing to go by, as none was learned, do not count.

    Parameters
    ----------
    stream : Stream, or whatever `sgtrees.streams.open_stream` takes
        The rows.
    models : model, sequence of models, or mapping from names to models
        Estimators with `partial_fit` and `predict`, and river models.
    metrics : sequence of str or Metric, optional
        Which figures; see `sgtrees.evaluation.metrics`. By default error, kappa, kappa_temporal and
        log_loss, or mae, rmse and r2.
    window : int, optional
        The number of rows in a sliding window at each point. By default a point tells of the rows
        since the one before.
    every : int, optional
        The number of rows between two points. By default that grows with the rows, up to 50,000.
    fading : float, optional
        A factor below 1 by which a row counts less with each row after it, as in 0.999.
    delay : int, default=0
        A row's label comes after so many further rows have been predicted.
    batch_rows : int, default=1000
        The rows that estimators other than ours and river's predict and learn at a time.
    labels : sequence, optional
        All labels that may occur, for classifiers that want to know them beforehand.
    learns : bool, default=True
        False: the models are tested as they are, and learn nothing.
    verbose : int, default=0
        1: a line for each point, on standard error.

    Returns
    -------
    Evaluation
        The figures.

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
            report(point, evaluation.metrics[0].name)
    return evaluation.result()


def report(point: Point, metric: str) -> None:
    """Write a point in one line to standard error."""
    figures = ", ".join(f"{n} {m.window[metric]:.4g}" for n, m in point.models.items())
    sys.stderr.write(f"{point.rows:,} rows: {metric} {figures}\n")


def name_models(models: Models) -> dict[str, Any]:
    """Give models names: their own, or those of their classes."""
    if isinstance(models, Mapping):
        named = {str(name): model for name, model in models.items()}
    else:
        several = list(models) if isinstance(models, list | tuple) else [models]
        kinds = [type(model).__name__ for model in several]
        named = {
            kind if kinds.count(kind) == 1 else f"{kind} {kinds[:place].count(kind) + 1}": model
            for place, (kind, model) in enumerate(zip(kinds, several, strict=True))
        }
    if not named:
        raise ValueError("models is empty; give one at least")
    return named


def common_task(models: Mapping[str, Any], stream: Stream) -> Task:
    """Return what all models predict, or what the target's column says."""
    if stream.target is None:
        raise ValueError("the stream has no target; say which column is to be predicted")
    tasks = {name: task_of(model) for name, model in models.items()}
    known = {task for task in tasks.values() if task is not None}
    if len(known) > 1:
        raise ValueError(
            "models must all classify or all regress, got "
            + ", ".join(f"{name}: {task.value}" for name, task in tasks.items() if task)
        )
    if known == {Task.REGRESSION} and stream.target.nominal:
        raise ValueError(f"regression needs numbers, and {stream.target.name!r} holds words")
    if known:
        return known.pop()
    return Task.CLASSIFICATION if stream.target.nominal else Task.REGRESSION


def _check(
    window: int | None, every: int | None, fading: float | None, delay: int, batch_rows: int
) -> None:
    for name, value in (("window", window), ("every", every), ("batch_rows", batch_rows)):
        if value is not None and value < 1:
            raise ValueError(f"{name} == {value}, must be >= 1.")
    if delay < 0:
        raise ValueError(f"delay == {delay}, must be >= 0.")
    if fading is not None and not 0.0 < fading < 1.0:
        raise ValueError(f"fading == {fading}, must be between 0 and 1.")
