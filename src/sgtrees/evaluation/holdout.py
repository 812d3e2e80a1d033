"""Holdout evaluation: models are tested on separate rows at intervals while they learn."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from sgtrees.evaluation.adapters.factory import (
    Models,
    adapt_model,
    evaluation_context,
    name_models,
)
from sgtrees.evaluation.class_numbers import ClassNumbers
from sgtrees.evaluation.measurements import Measurement, Point
from sgtrees.evaluation.metrics import Metric, get_metrics
from sgtrees.evaluation.model_loss import common_loss
from sgtrees.evaluation.model_run import ModelRun, print_point
from sgtrees.evaluation.predictions import predicted_rows
from sgtrees.evaluation.result import Evaluation
from sgtrees.evaluation.tasks import common_task
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
    """Evaluate models on separate rows, at intervals while they learn the stream.

    Parameters
    ----------
    stream : Stream, or any source of `sgtrees.streams.open_stream`
        The rows to learn.
    models : model, sequence of models, or mapping from names to models
        Estimators with `partial_fit` and `predict`, and river models.
    test_rows : int, default=10_000
        The number of rows at the beginning of the stream that are used for testing only.
    test : Stream, optional
        Another stream to test on, instead of these rows.
    metrics : sequence of str or Metric, optional
        The metrics; see `sgtrees.evaluation.metrics`.
    every : int, optional
        The number of rows between two tests. By default it grows with the rows, up to 50,000.
    labels : sequence, optional
        All labels that may occur, for classifiers that need to know them beforehand.
    verbose : int, default=0
        1: print a line for each test to standard error.

    Returns
    -------
    Evaluation
        The result; each point's window is the test set.

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
    chosen = get_metrics(metrics, task, common_loss(named))
    context = evaluation_context(source, task, chosen, labels)
    runs = {name: ModelRun(adapt_model(model, context)) for name, model in named.items()}
    tests = list(source.head(test_rows) if test is None else test)
    if not tests:
        raise ValueError("there are no rows to test on")
    evaluation = _Holdout(runs, tests, chosen, context.classes)
    points = []
    for point in evaluation.run(source if test is not None else source.skip(test_rows), every):
        points.append(point)
        if verbose:
            print_point(point, [metric.name for metric in chosen])
    return Evaluation.of_points(
        "holdout",
        task,
        chosen,
        points,
        {"test_rows": sum(len(block) for block in tests), "every": every},
        () if context.classes is None else context.classes.labels,
        named,
    )


class _Holdout:
    """Models that learn, and the rows that they are tested on."""

    def __init__(
        self,
        runs: dict[str, ModelRun],
        tests: list[Block],
        metrics: Sequence[Metric],
        classes: ClassNumbers | None,
    ) -> None:
        self._runs = runs
        self._tests = tests
        self._metrics = metrics
        self._classes = classes

    def run(self, stream: Stream, every: int | None) -> Iterator[Point]:
        rows, tested = 0, 0
        for part, rows, is_end in cut_at_points(stream, every):
            for run in self._runs.values():
                run.learn(part)
            if is_end:
                yield self._point(rows)
                tested = rows
        if rows > tested:
            yield self._point(rows)

    def _point(self, rows: int) -> Point:
        models = {name: self._test(run) for name, run in self._runs.items()}
        return Point(rows, sum(len(block) for block in self._tests), models)

    def _test(self, run: ModelRun) -> Measurement:
        # The time to test is not the model's: it depends on how often it is tested.
        predictions = [run.adapter.predict(block) for block in self._tests]
        weights = [np.ones(len(b)) if b.weights is None else b.weights for b in self._tests]
        if self._classes is None:
            y = np.concatenate([np.asarray(b.y, dtype=np.float64) for b in self._tests])
            previous = None
        else:
            y = np.concatenate([self._classes.number(block.y) for block in self._tests])
            previous = np.concatenate([np.array([-1], dtype=np.int32), y[:-1]])
        rows = predicted_rows(y, previous, np.concatenate(weights), predictions)
        return run.measurement({metric.name: metric.score(rows) for metric in self._metrics})
