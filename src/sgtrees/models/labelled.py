"""Blocks with labels: numbered for the core before they are learned, and read back after it."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.columns import Coded, Kind
from sgtrees.data.weights import Weights
from sgtrees.estimators.base import Batch
from sgtrees.models.model import ClassifierModel
from sgtrees.targets.labels import Label, Labels, NumberedLabels, code_labels, number_labels


@dataclass(frozen=True)
class LabelledBatch(Batch[ClassifierModel]):
    """Checked rows with the class number of each."""

    labels: NumberedLabels
    declared: tuple[list[Label], Kind | None] | None

    def commit(self) -> None:
        """Make the batch's new features, categories and labels part of the model."""
        self.model.apply(self.additions)
        if self.declared is not None:
            self.model.labels.declare(*self.declared)
        self.model.labels.extend(self.labels.new, self.labels.kind)

    @property
    def y(self) -> NDArray[np.int32]:
        """What the core learns: the class number of each row."""
        return self.labels.numbers

    def learn(self) -> None:
        """Learn the block."""
        self.model.core.learn(self.block, self.y, self.weights)

    def predict_and_learn(self, method: str) -> NDArray[Any]:
        """Learn the block and return labels or probabilities from just before each row."""
        model = self.model
        if len(model.labels) == 0:
            return _predict_without_labels(model, len(self.y), method)
        if method == "predict_proba":
            probabilities = model.core.learn_predict_proba(
                self.block, self.y, self.weights, len(model.labels)
            )
            return model.in_order_of_classes(probabilities)
        ordering = model.labels.ordering
        predicted = model.core.learn_predict_labels(self.block, self.y, self.weights, ordering.rank)
        result: NDArray[Any] = ordering.by_number[predicted]
        # With nothing to go by all probabilities are 0, and ties go to the first label.
        result[predicted < 0] = ordering.classes[0]
        return result


def read_declared(
    classes: Any, model: ClassifierModel, y: Coded
) -> tuple[list[Label], Kind | None]:
    """Read the parameter ``classes``: labels that need no row."""
    declared = code_labels(classes)
    model.labels.check_kind(declared.kind)
    if y.kind is not None and declared.kind is not None and y.kind is not declared.kind:
        raise TypeError(
            f"classes holds {declared.kind.value}, but y holds {y.kind.value}; "
            "all labels must be of one kind"
        )
    return number_labels(declared, Labels()).new, declared.kind


def number_in_order(
    coded: Coded, model: ClassifierModel, weights: Weights | None, order: NDArray[np.intp] | None
) -> NumberedLabels:
    """Number the labels in the order in which the rows will be learned."""
    counts = None if weights is None else weights > 0
    if order is None:
        return number_labels(coded, model.labels, counts)
    shuffled = Coded(coded.codes[order], coded.values, coded.kind)
    labels = number_labels(shuffled, model.labels, None if counts is None else counts[order])
    numbers = np.empty_like(labels.numbers)
    numbers[order] = labels.numbers
    return NumberedLabels(numbers, labels.new, labels.kind)


def _predict_without_labels(model: ClassifierModel, n_rows: int, method: str) -> NDArray[Any]:
    """Predict rows that all have the weight 0 where no row before them had another."""
    classes = model.labels.ordering.classes
    if method == "predict_proba":
        return np.zeros((n_rows, len(classes)))
    if len(classes) == 0:
        raise ValueError("sample_weight is zero for all rows so far; there is no label to predict")
    return np.full(n_rows, classes[0])
