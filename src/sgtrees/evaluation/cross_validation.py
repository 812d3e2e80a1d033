"""k-fold cross-validation: metrics, size and time of each fold."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import model_selection
from sklearn.base import clone

from sgtrees.evaluation.metrics import Metric, get_metrics
from sgtrees.evaluation.predictions import PredictedRows
from sgtrees.evaluation.tasks import Task, task_of
from sgtrees.streams.block import Block


@dataclass(frozen=True)
class Folds:
    """The results of each fold.

    Attributes
    ----------
    scores : dict from str to ndarray of shape (n_folds,)
        The metrics on the rows of each fold.
    n_nodes : ndarray of shape (n_folds,)
        The number of the model's nodes; NaN if it has no such attribute.
    seconds : ndarray of shape (n_folds,)
        The time to learn and to predict.
    test_fraction : float
        The ratio of rows that were tested to rows that were learned, which
        `corrected_t_test` needs.

    Examples
    --------
    >>> folds = Folds({"error": np.array([0.1, 0.3])}, np.array([3.0, 5.0]), np.ones(2), 1.0)
    >>> folds.mean("error"), float(folds.n_nodes.mean())
    (0.2, 4.0)
    """

    scores: dict[str, NDArray[np.float64]]
    n_nodes: NDArray[np.float64]
    seconds: NDArray[np.float64]
    test_fraction: float

    def mean(self, metric: str) -> float:
        """Return the mean of a metric over the folds."""
        return float(self.scores[metric].mean())

    def deviation(self, metric: str) -> float:
        """Return the standard deviation of a metric over the folds."""
        return float(self.scores[metric].std(ddof=1))


def cross_validate(
    model: Any,
    X: Any,
    y: Any,
    *,
    n_folds: int = 10,
    n_repeats: int = 1,
    metrics: Sequence[str | Metric] | None = None,
    learn: Callable[[Any, Any, Any], Any] | None = None,
    seed: int = 0,
) -> Folds:
    """Cross-validate an estimator: it learns all folds but one, and is tested on that one.

    Parameters
    ----------
    model : estimator
        The estimator, which is cloned for each fold.
    X : array or data frame of shape (n_rows, n_features)
        The rows.
    y : array of shape (n_rows,)
        Their labels or targets.
    n_folds : int, default=10
        The number of folds; they are stratified in classification.
    n_repeats : int, default=1
        The number of repetitions with other folds.
    metrics : sequence of str or Metric, optional
        The metrics; see `sgtrees.evaluation.metrics`.
    learn : callable, optional
        ``learn(model, X, y)``; by default ``model.fit(X, y)``. For a single pass over the rows give
        ``lambda model, X, y: model.partial_fit(X, y)``.
    seed : int, default=0
        Seed of the folds; the same seed gives the same folds for every model.

    Returns
    -------
    Folds
        The results of each fold.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sgtrees import SGTClassifier
    >>> from sgtrees.evaluation import cross_validate
    >>> X, y = load_iris(return_X_y=True)
    >>> folds = cross_validate(SGTClassifier(random_state=0), X, y, n_folds=3, metrics=["error"])
    >>> len(folds.scores["error"]), folds.mean("error") < 0.15
    (3, True)
    """
    labels = np.asarray(y)
    task = task_of(model) or (Task.REGRESSION if labels.dtype.kind == "f" else Task.CLASSIFICATION)
    chosen = get_metrics(metrics, task)
    whole = Block(X, labels)
    results: list[dict[str, float]] = []
    for trained, tested in _folds(labels, task, n_folds, n_repeats, seed):
        fresh = clone(model)
        began = time.perf_counter()
        train, test = whole.take(trained), whole.take(tested)
        if learn is None:
            fresh.fit(train.X, train.y)
        else:
            learn(fresh, train.X, train.y)
        rows = _tested(fresh, test, task, any(metric.needs_probabilities for metric in chosen))
        seconds = time.perf_counter() - began
        scores = {metric.name: metric.score(rows) for metric in chosen}
        results.append(scores | {"-nodes": getattr(fresh, "n_nodes_", np.nan), "-seconds": seconds})
    columns = {
        name: np.array([result[name] for result in results], dtype=np.float64)
        for name in results[0]
    }
    return Folds(
        {metric.name: columns[metric.name] for metric in chosen},
        columns["-nodes"],
        columns["-seconds"],
        1.0 / (n_folds - 1),
    )


def _folds(
    y: NDArray[Any], task: Task, n_folds: int, n_repeats: int, seed: int
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    is_classification = task is Task.CLASSIFICATION
    kind = model_selection.StratifiedKFold if is_classification else model_selection.KFold
    random = np.random.RandomState(seed)
    for _ in range(n_repeats):
        yield from kind(n_folds, shuffle=True, random_state=random).split(np.zeros(len(y)), y)


def _tested(model: Any, test: Block, task: Task, needs_probabilities: bool) -> PredictedRows:
    weights = np.ones(len(test))
    if task is Task.REGRESSION:
        return PredictedRows(np.asarray(test.y, dtype=np.float64), model.predict(test.X), weights)
    # All labels of both sides; those that the model does not know are errors.
    labels = np.unique(np.concatenate([model.classes_, test.y]))
    y = np.searchsorted(labels, test.y)
    predicted = np.searchsorted(labels, model.predict(test.X))
    probabilities = None
    if needs_probabilities:
        probabilities = np.zeros((len(y), len(labels)))
        places = np.searchsorted(labels, model.classes_)
        probabilities[:, places] = model.predict_proba(test.X)
    previous = np.concatenate([[-1], y[:-1]]).astype(np.int32)
    return PredictedRows(y, predicted, weights, previous, probabilities)
