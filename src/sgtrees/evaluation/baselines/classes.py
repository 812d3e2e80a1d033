"""Baselines of classification: the majority class, and the label of the row before."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.tables import has_columns
from sgtrees.data.weights import read_weights
from sgtrees.evaluation.baselines.base import Baseline
from sgtrees.evaluation.baselines.last_rows import last_rows
from sgtrees.evaluation.tasks import Task
from sgtrees.targets.labels import Labels, code_labels, number_labels


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
        numbered = number_labels(code_labels(one_label_for_each_row(y)), self._labels)
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

    Rows of weight 0 are left out.

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
        coded = code_labels(one_label_for_each_row(y))
        labels = np.array(coded.values)[coded.codes]
        first = labels[:1] if self._last is None else np.array([self._last])
        known = np.concatenate([first, labels])
        places = last_rows(read_weights(sample_weight, len(labels)), len(labels))
        self._last = known[places[-1]]
        return known[places[:-1]]

    def _constant(self) -> Any:
        return self._last


def one_label_for_each_row(y: Any) -> Any:
    """Return labels; refuse an indicator matrix or sets of labels."""
    if has_columns(y):
        raise ValueError(
            "y has several labels for each row; this baseline is for one: give each column of the "
            "indicator matrix a baseline of its own"
        )
    return y
