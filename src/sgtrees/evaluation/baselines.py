"""Baselines: predictions from earlier targets alone, which every model should beat."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.weights import read_weights
from sgtrees.evaluation.tasks import Task
from sgtrees.targets.labels import Labels, code_labels, number_labels
from sgtrees.targets.numbers import read_targets


class Baseline:
    """A model that uses the targets so far, and not the features."""

    task: ClassVar[Task]

    @property
    def has_learned(self) -> bool:
        """Whether it has learned a row; before, its predictions mean nothing."""
        return True

    def learn_predict(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[Any]:
        """Learn targets, and return the prediction of each row just before.

        Parameters
        ----------
        X : object
            The features, which are not used.
        y : array of shape (n_rows,)
            Their labels or targets.
        sample_weight : array of shape (n_rows,), optional
            Their weights.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predictions.
        """
        raise NotImplementedError

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the targets of a block."""
        self.learn_predict(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the same value for each row."""
        return np.full(len(X), self._constant())

    def _constant(self) -> Any:
        raise NotImplementedError


class MajorityClass(Baseline):
    """Predicts the most frequent label so far.

    Its probabilities are the labels' relative frequencies. Ties, and the very first row, go to the
    first of ``classes_``.

    Examples
    --------
    >>> baseline = MajorityClass()
    >>> baseline.learn_predict(None, np.array(["a", "b", "b", "b"])).tolist()
    ['a', 'a', 'a', 'b']
    >>> baseline.predict([[0.0]]).tolist(), baseline.predict_proba([[0.0]]).tolist()
    (['b'], [[0.25, 0.75]])
    """

    task = Task.CLASSIFICATION

    def __init__(self) -> None:
        self._labels = Labels()
        self._counts = np.zeros(0)

    @property
    def has_learned(self) -> bool:
        """Whether it has learned a row; before, its predictions mean nothing."""
        return bool(self._counts.any())

    @property
    def classes_(self) -> NDArray[Any]:
        """All labels so far, sorted."""
        return self._labels.ordering.classes

    def learn_predict(
        self,
        X: Any,  # noqa: ARG002 - no baseline uses it
        y: Any,
        sample_weight: Any = None,
        method: str = "predict",
    ) -> NDArray[Any]:
        """Learn labels, and return the prediction of each row just before."""
        numbered = number_labels(code_labels(y), self._labels)
        self._labels.extend(numbered.new, numbered.kind)
        n_rows, n_classes = len(numbered.numbers), len(self._labels)
        weights = read_weights(sample_weight, n_rows)
        before = np.empty((n_rows, n_classes))
        counts = np.pad(self._counts, (0, n_classes - len(self._counts)))
        for number in range(n_classes):
            hits = numbered.numbers == number
            after = counts[number] + np.cumsum(hits if weights is None else hits * weights)
            before[0, number], before[1:, number] = counts[number], after[:-1]
            counts[number] = after[-1]
        self._counts = counts
        return self._prediction(before, method)

    def _prediction(self, counts: NDArray[np.float64], method: str) -> NDArray[Any]:
        ordering = self._labels.ordering
        in_order = np.empty_like(counts)
        in_order[:, ordering.rank] = counts
        prediction: NDArray[Any]
        if method == "predict_proba":
            prediction = in_order / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
        else:
            prediction = ordering.classes[in_order.argmax(axis=1)]
        return prediction

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the labels' relative frequencies for each row."""
        return np.tile(self._prediction(self._counts[None, :], "predict_proba"), (len(X), 1))

    def _constant(self) -> Any:
        return self._prediction(self._counts[None, :], "predict")[0]


class LastLabel(Baseline):
    """Predicts the label of the row before, the reference of `KappaTemporal`.

    Examples
    --------
    >>> LastLabel().learn_predict(None, np.array(["a", "b", "b"])).tolist()
    ['a', 'a', 'b']
    """

    task = Task.CLASSIFICATION

    def __init__(self) -> None:
        self._last: Any = None

    @property
    def has_learned(self) -> bool:
        """Whether it has learned a row; before, its predictions mean nothing."""
        return self._last is not None

    def learn_predict(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Learn labels, and return the label before each row; the very first row gets its own."""
        coded = code_labels(y)
        labels = np.array(coded.values)[coded.codes]
        first = labels[:1] if self._last is None else np.array([self._last])
        self._last = labels[-1]
        return np.concatenate([first, labels[:-1]])

    def _constant(self) -> Any:
        return self._last


class MeanSoFar(Baseline):
    """Predicts the mean of the targets so far; 0 for the first row.

    Examples
    --------
    >>> MeanSoFar().learn_predict(None, [1.0, 3.0, 5.0]).tolist()
    [0.0, 1.0, 2.0]
    """

    task = Task.REGRESSION

    def __init__(self) -> None:
        self._weight = 0.0
        self._sum = 0.0
        self._origin = 0.0

    def learn_predict(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Learn targets, and return the mean before each row."""
        targets = read_targets(y)
        if not isinstance(targets, np.ndarray):
            raise ValueError("y has several columns; the running mean is a baseline for one target")
        weights = read_weights(sample_weight, len(targets))
        if weights is None:
            weights = np.ones(len(targets))
        if self._weight == 0.0:
            # Sums are taken about the first target, against cancellation.
            self._origin = float(targets[0])
        total = self._weight + np.concatenate([[0.0], np.cumsum(weights)])
        sums = self._sum + np.concatenate([[0.0], np.cumsum(weights * (targets - self._origin))])
        with np.errstate(invalid="ignore"):
            means = np.where(total > 0.0, self._origin + sums / total, 0.0)
        self._weight, self._sum = float(total[-1]), float(sums[-1])
        return means[:-1]

    def _constant(self) -> float:
        return self._origin + self._sum / self._weight if self._weight else 0.0


def baseline_for(task: Task) -> Baseline:
    """Return the baseline of a task: `MajorityClass` or `MeanSoFar`.

    Examples
    --------
    >>> baseline_for(Task.REGRESSION).partial_fit([[0.0], [1.0]], [2.0, 4.0]).predict([[0.5]])
    array([3.])
    """
    return MajorityClass() if task is Task.CLASSIFICATION else MeanSoFar()
