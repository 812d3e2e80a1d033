"""A test set apart, asked at intervals while models learn."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sgtrees.evaluation.classes import Classes
from sgtrees.evaluation.learners import Learner, learner_of
from sgtrees.evaluation.metrics import Metric, Task, read_metrics
from sgtrees.evaluation.prequential import Models, common_task, name_models, outcome_of, report
from sgtrees.evaluation.result import Evaluation, Measured, Point
from sgtrees.evaluation.windows import cut_at_points
from sgtrees.streams import Block, Stream, open_stream


def holdout(
    stream: Any,
    models: Models,
    *,
    test_rows: int = 10_000,
    test: Any = None,
    metrics: Sequence[str | Metric] | None = None,
    every: int | None = None,
    labels: Sequence[Any] | None = None,
    verbose: int = 0,
) -> Evaluation:
    """Evaluate models on rows apart, at intervals while they learn the stream.

    Parameters
    ----------
    stream : Stream, or whatever `sgtrees.streams.open_stream` takes
        The rows to learn.
    models : model, sequence of models, or mapping from names to models
        Estimators with `partial_fit` and `predict`, and river models.
    test_rows : int, default=10_000
        The number of rows at the beginning of the stream that are kept apart.
    test : Stream, optional
        A stream of its own to test on, in place of these rows.
    metrics : sequence of str or Metric, optional
        Which figures; see `sgtrees.evaluation.metrics`.
    every : int, optional
        The number of rows between two tests. By default that grows with the rows, up to 50,000.
    labels : sequence, optional
        All labels that may occur, for classifiers that want to know them beforehand.
    verbose : int, default=0
        1: a line for each test, on standard error.

    Returns
    -------
    Evaluation
        The figures; each point's window is the test set.

    Examples
    --------
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.evaluation import holdout
    >>> from sgtrees.streams import Sea
    >>> result = holdout(Sea().head(22_000), SGTClassifier(), test_rows=2_000, every=5_000)
    >>> [point.rows for point in result.points], result.points[0].window
    ([5000, 10000, 15000, 20000], 2000)
    >>> result.curve("error")[-1] < result.curve("error")[0]
    True
    """
    source: Stream = stream if isinstance(stream, Stream) else open_stream(stream)
    named = name_models(models)
    task = common_task(named, source)
    chosen = read_metrics(metrics, task)
    classes = Classes() if task is Task.CLASSIFICATION else None
    if labels is None and source.target is not None:
        labels = source.target.categories
    learners = {
        name: learner_of(
            model,
            classes,
            source.columns,
            needs_probabilities=any(metric.needs_probabilities for metric in chosen),
            labels=labels,
            row_by_row=False,
        )
        for name, model in named.items()
    }
    tests = list(source.head(test_rows) if test is None else test)
    if not tests:
        raise ValueError("there are no rows to test on")
    trial = _Trial(learners, tests, chosen, classes)
    points = []
    for point in trial.run(source if test is not None else source.skip(test_rows), every):
        points.append(point)
        if verbose:
            report(point, chosen[0].name)
    return Evaluation(
        kind="holdout",
        task=task,
        metrics=tuple(metric.name for metric in chosen),
        shares=tuple(metric.name for metric in chosen if metric.is_share),
        higher=tuple(metric.name for metric in chosen if metric.is_better_higher),
        points=tuple(points),
        settings={"test_rows": sum(len(block) for block in tests), "every": every},
        labels=() if classes is None else tuple(classes.labels),
    )


class _Trial:
    """Models that learn, and the rows that they are tested on."""

    def __init__(
        self,
        learners: dict[str, Learner],
        tests: list[Block],
        metrics: Sequence[Metric],
        classes: Classes | None,
    ) -> None:
        self._learners = learners
        self._seconds = dict.fromkeys(learners, 0.0)
        self._tests = tests
        self._metrics = metrics
        self._classes = classes

    def run(self, stream: Stream, every: int | None) -> Iterator[Point]:
        rows, tested = 0, 0
        for part, rows, is_end in cut_at_points(stream, every):
            self._learn(part)
            if is_end:
                yield self._point(rows)
                tested = rows
        if rows > tested:
            yield self._point(rows)

    def _learn(self, block: Block) -> None:
        for name, learner in self._learners.items():
            began = time.perf_counter()
            learner.learn(block)
            self._seconds[name] += time.perf_counter() - began

    def _point(self, rows: int) -> Point:
        models = {name: self._measure(name, learner) for name, learner in self._learners.items()}
        return Point(rows, sum(len(block) for block in self._tests), models)

    def _measure(self, name: str, learner: Learner) -> Measured:
        predictions = [learner.predict(block) for block in self._tests]
        weights = [np.ones(len(b)) if b.weights is None else b.weights for b in self._tests]
        if self._classes is None:
            y = np.concatenate([np.asarray(b.y, dtype=np.float64) for b in self._tests])
            previous = None
        else:
            y = np.concatenate([self._classes.number(block.y) for block in self._tests])
            previous = np.concatenate([np.array([-1], dtype=np.int32), y[:-1]])
        outcome = outcome_of(y, previous, np.concatenate(weights), predictions)
        figures = {metric.name: metric.of(outcome) for metric in self._metrics}
        return Measured(
            window=figures,
            total={},
            faded=None,
            seconds=self._seconds[name],
            n_nodes=learner.n_nodes,
            n_leaves=learner.n_leaves,
            memory_bytes=learner.memory_bytes,
        )
