"""What models of classes share: labels, and how much each class weighs."""

from typing import Any, Self

from numpy.typing import NDArray

from sgtrees.data.class_balance import ClassTotals
from sgtrees.data.weights import ClassWeight
from sgtrees.models.merging import check_class_weights, check_labels
from sgtrees.models.model import Model
from sgtrees.models.saved_model import Core
from sgtrees.persistence.document import Document, Fields
from sgtrees.persistence.targets import (
    class_weight_from_document,
    class_weight_to_document,
    labels_from_document,
    labels_to_document,
)
from sgtrees.targets.labels import Labels


class LabelledModel(Model[Core]):
    """Base of models that predict classes, of rows or of bags."""

    for_classes = True
    labels: Labels
    class_weight: ClassWeight
    # The weights of the rows or bags of each class so far, by which classes are balanced.
    class_totals: ClassTotals

    @property
    def classes(self) -> NDArray[Any]:
        """All labels seen or declared, sorted."""
        return self.labels.ordering.classes

    def _document(self) -> Document:
        return super()._document() | {
            "labels": labels_to_document(self.labels),
            "class_weight": class_weight_to_document(self.class_weight, self.class_totals),
        }

    def _restore_parts(self, fields: Fields, own_loss: Any) -> None:
        super()._restore_parts(fields, own_loss)
        self.labels = labels_from_document(fields.fields("labels"))
        weights = class_weight_from_document(fields.fields("class_weight"))
        self.class_weight, self.class_totals = weights

    def merge(self, other: Self, base: Self | None) -> None:
        """Add what another model has gathered since ``base``; MergeError if they do not fit."""
        super().merge(other, base)
        self.class_totals = self.class_totals.merged(
            other.class_totals, None if base is None else base.class_totals
        )

    def _check_merge(self, other: Self) -> None:
        super()._check_merge(other)
        check_labels(self.labels, other.labels)
        check_class_weights(self.class_weight, other.class_weight)
