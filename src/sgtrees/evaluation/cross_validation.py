"""k-fold cross-validation, with what a table needs: error, size and time of each fold."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import KFold, StratifiedKFold

from sgtrees.evaluation.learners import task_of
from sgtrees.evaluation.metrics import Metric, Task, read_metrics
from sgtrees.evaluation.outcomes import Outcome
from sgtrees.streams.block import Block


@dataclass(frozen=True)
class Folds:
    """The figures of each fold.

    Attributes
    ----------
    scores : dict from str to ndarray of shape (n_folds,)
        The metrics on the rows of each fold.
    n_nodes : ndarray of shape (n_folds,)
        The model's nodes; NaN where it has none.
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
    """Cross-validate an estimator: it learns all parts of the rows but one, and is tested on that.

    Parameters
    ----------
    model : estimator
        What to clone for each fold.
    X : array or data frame of shape (n_rows, n_features)
        The rows.
    y : array of shape (n_rows,)
        Their labels or targets.
    n_folds : int, default=10
        The number of parts; those of a classifier have about the same share of each label.
    n_repeats : int, default=1
        How often to cut anew.
    metrics : sequence of str or Metric, optional
        Which figures; see `sgtrees.evaluation.metrics`.
    learn : callable, optional
        ``learn(model, X, y)``; by default ``model.fit(X, y)``. For a single pass over the rows give
        ``lambda model, X, y: model.partial_fit(X, y)``.
    seed : int, default=0
        Seed of the cut; the same seed gives the same folds for every model.

    Returns
    -------
    Folds
        The figures of each fold.

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
    chosen = read_metrics(metrics, task)
    whole = Block(X, labels)
    rows: list[dict[str, float]] = []
    for trained, tested in _cuts(labels, task, n_folds, n_repeats, seed):
        fresh = clone(model)
        began = time.perf_counter()
        train, test = whole.take(trained), whole.take(tested)
        if learn is None:
            fresh.fit(train.X, train.y)
        else:
            learn(fresh, train.X, train.y)
        outcome = _tested(fresh, test, task, any(metric.needs_probabilities for metric in chosen))
        seconds = time.perf_counter() - began
        figures = {metric.name: metric.of(outcome) for metric in chosen}
        rows.append(figures | {"-nodes": getattr(fresh, "n_nodes_", np.nan), "-seconds": seconds})
    columns = {name: np.array([row[name] for row in rows], dtype=np.float64) for name in rows[0]}
    return Folds(
        {metric.name: columns[metric.name] for metric in chosen},
        columns["-nodes"],
        columns["-seconds"],
        1.0 / (n_folds - 1),
    )


def _cuts(
    y: NDArray[Any], task: Task, n_folds: int, n_repeats: int, seed: int
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    kind = StratifiedKFold if task is Task.CLASSIFICATION else KFold
    random = np.random.RandomState(seed)
    for _ in range(n_repeats):
        yield from kind(n_folds, shuffle=True, random_state=random).split(np.zeros(len(y)), y)


def _tested(model: Any, test: Block, task: Task, needs_probabilities: bool) -> Outcome:
    weights = np.ones(len(test))
    if task is Task.REGRESSION:
        return Outcome(np.asarray(test.y, dtype=np.float64), model.predict(test.X), weights)
    # All labels that occur on either side; those that the model does not know are wrong.
    labels = np.unique(np.concatenate([model.classes_, test.y]))
    y = np.searchsorted(labels, test.y)
    predicted = np.searchsorted(labels, model.predict(test.X))
    probabilities = None
    if needs_probabilities:
        probabilities = np.zeros((len(y), len(labels)))
        places = np.searchsorted(labels, model.classes_)
        probabilities[:, places] = model.predict_proba(test.X)
    previous = np.concatenate([[-1], y[:-1]]).astype(np.int32)
    return Outcome(y, predicted, weights, previous, probabilities)
