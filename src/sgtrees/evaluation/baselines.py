"""What every model has to beat: predictions that do not look at the row."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.weights import read_weights
from sgtrees.evaluation.metrics.base import Task
from sgtrees.targets.labels import Labels, code_labels, number_labels
from sgtrees.targets.numbers import read_targets


class Baseline:
    """A model that looks at the targets so far and not at the rows."""

    task: ClassVar[Task]

    @property
    def knows_nothing(self) -> bool:
        """Whether no label has come yet, so that what is predicted next means nothing."""
        return False

    def learn_predict(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[Any]:
        """Return what is predicted for each row just before its target is learned.

        Parameters
        ----------
        X : object
            The rows, which are not looked at.
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
        """Learn the targets of a block; see `learn_predict`."""
        self.learn_predict(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the same for each row."""
        return np.full(len(X), self._constant())

    def _constant(self) -> Any:
        raise NotImplementedError


class MajorityClass(Baseline):
    """Predicts the label that most rows have had so far, whatever the row.

    Its probabilities are how frequent the labels have been. Ties go to the one that comes first in
    ``classes_``, as does the first row of all, for which there is nothing to go by.

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
    def knows_nothing(self) -> bool:
        """Whether no label has come yet, so that what is predicted next means nothing."""
        return not self._counts.any()

    @property
    def classes_(self) -> NDArray[Any]:
        """All labels so far, sorted."""
        return self._labels.ordering.classes

    def learn_predict(
        self,
        X: Any,  # noqa: ARG002 - no baseline looks at it
        y: Any,
        sample_weight: Any = None,
        method: str = "predict",
    ) -> NDArray[Any]:
        """Return what is predicted for each row just before its label is learned."""
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
        return self._answer(before, method)

    def _answer(self, counts: NDArray[np.float64], method: str) -> NDArray[Any]:
        ordering = self._labels.ordering
        in_order = np.empty_like(counts)
        in_order[:, ordering.rank] = counts
        answer: NDArray[Any]
        if method == "predict_proba":
            answer = in_order / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
        else:
            answer = ordering.classes[in_order.argmax(axis=1)]
        return answer

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return how frequent the labels have been, for each row the same."""
        return np.tile(self._answer(self._counts[None, :], "predict_proba"), (len(X), 1))

    def _constant(self) -> Any:
        return self._answer(self._counts[None, :], "predict")[0]


class LastLabel(Baseline):
    """Predicts the label of the row before: what `KappaTemporal` compares with.

    Examples
    --------
    >>> LastLabel().learn_predict(None, np.array(["a", "b", "b"])).tolist()
    ['a', 'a', 'b']
    """

    task = Task.CLASSIFICATION

    def __init__(self) -> None:
        self._last: Any = None

    @property
    def knows_nothing(self) -> bool:
        """Whether no label has come yet, so that what is predicted next means nothing."""
        return self._last is None

    def learn_predict(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Return the label before each row; the first of all is given its own."""
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
        """Return the mean before each row."""
        targets = read_targets(y)
        if not isinstance(targets, np.ndarray):
            raise ValueError("y has several columns; the running mean is a baseline for one target")
        weights = read_weights(sample_weight, len(targets))
        if weights is None:
            weights = np.ones(len(targets))
        if self._weight == 0.0:
            # Sums are taken about the first target, lest far-off targets lose digits.
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
    """Return the baseline of a task: the majority class, or the mean so far."""
    return MajorityClass() if task is Task.CLASSIFICATION else MeanSoFar()
