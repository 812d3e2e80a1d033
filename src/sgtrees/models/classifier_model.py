"""A model that predicts classes, of which a row has one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.data.bags import Indices
from sgtrees.data.class_balance import NO_ROWS, ClassTotals, weigh_classes
from sgtrees.data.columns import Block, Coded, Kind
from sgtrees.data.schema import Additions
from sgtrees.data.weights import NO_CLASS_WEIGHT, ClassWeight, Weights
from sgtrees.losses.base import Loss
from sgtrees.losses.built_in.binary import LogLoss
from sgtrees.losses.derivatives import Floats
from sgtrees.losses.values import GREATEST_LOG_LOSS
from sgtrees.models.labelled_model import LabelledModel
from sgtrees.models.model import Start, Targets
from sgtrees.models.predicted import Predicted
from sgtrees.models.saved_model import State
from sgtrees.models.two_classes import TwoClasses, log_odds, log_probabilities
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Document, Fields
from sgtrees.targets.labels import (
    Label,
    Labels,
    NumberedLabels,
    code_labels,
    number_labels,
)
from sgtrees.targets.outputs import Columns, without_columns

ClassifierCore: TypeAlias = _core.ClassLearner | TwoClasses


@dataclass(frozen=True)
class NewLabels:
    """Labels that a batch adds to a model.

    Attributes
    ----------
    seen : list
        Labels that rows have for the first time, in their order.
    declared : list
        Labels that rows may have.
    kind : Kind or None
        What all of them are.
    totals : ClassTotals or None
        The weights of all classes, if the model balances them.
    """

    seen: list[Label]
    declared: list[Label]
    kind: Kind | None
    totals: ClassTotals | None = None


class ClassifierModel(LabelledModel[ClassifierCore]):
    """A model that predicts classes; it knows their labels and weights too.

    Under log loss it is a committee of trees, or one tree with a score for each class in every
    leaf; under another loss it is one tree for two classes.

    Parameters
    ----------
    start, loss
        As for any `Model`.
    class_weight : ClassWeight
        The weight of each label.
    multiclass : {"committee", "vector", "auto"}
        Which of the two it is under log loss; "auto": by the number of classes in the warm-up.
    """

    kind = "classes"

    def __init__(
        self, start: Start, loss: Loss, class_weight: ClassWeight, multiclass: str
    ) -> None:
        self.multiclass = multiclass
        self.labels = Labels()
        self.class_weight = class_weight
        self.class_totals = NO_ROWS
        super().__init__(start, loss)

    def _prepare_targets(self) -> None:
        # The learners of many classes have their own loss.
        if not self.takes_many_classes:
            super()._prepare_targets()
        # For `learn_one`: labels of these types have these numbers, and need no further checks.
        needs_checks = self._weighs_classes or self.loss_adapter is not None
        self.label_types: set[type] = set() if needs_checks else self.labels.types
        self.label_numbers = self.labels.numbers

    def without_rows(self) -> Self:
        """Return a model of the same kind and columns that has learned nothing."""
        model = super().without_rows()
        model.labels = Labels()
        model.class_totals = NO_ROWS
        model._prepare()
        return model

    @property
    def _weighs_classes(self) -> bool:
        # In two steps: that most models have no such weights is known without a call.
        return self.class_weight is not NO_CLASS_WEIGHT and bool(self.class_weight)

    @property
    def takes_many_classes(self) -> bool:
        """Whether there may be more than two classes."""
        return type(self.loss) is LogLoss

    @property
    def predicted(self) -> Predicted:
        """What is predicted: the labels."""
        return Predicted(
            self.takes_many_classes, tuple(self.labels.seen), tuple(self.classes.tolist())
        )

    # ---- core -----------------------------------------------------------------------------------

    @property
    def learner(self) -> _core.Learner:
        """The core's learner, which holds the trees."""
        return self.core.learner if isinstance(self.core, TwoClasses) else self.core

    @property
    def _vector_leaves(self) -> bool | None:
        """Whether leaves hold a score for each class; None if the number of classes decides."""
        has_linear_leaves = (
            self.options["linear_leaves"] or self.options["combination"] == "choosing"
        )
        if self.multiclass == "auto" and not has_linear_leaves:
            return None
        return self.multiclass == "vector"

    def _new_core(self, options: _core.Options, ranges: Floats | None) -> ClassifierCore:
        nominal = self.schema.nominal
        if self.takes_many_classes:
            vector = self._vector_leaves
            return _core.ClassLearner(options, nominal, ranges, vector_leaves=vector)
        return TwoClasses(_core.LossLearner(options, nominal, ranges, self.core_loss), self.link)

    def core_from(self, options: _core.Options, state: State) -> ClassifierCore:
        """Return the core's learner of a saved state."""
        if self.takes_many_classes:
            vector = self._vector_leaves
            return _core.ClassLearner.from_state(options, state, vector_leaves=vector)
        return TwoClasses.from_state(options, state, self.core_loss, self.link)

    # ---- saving and merging ---------------------------------------------------------------------

    def _document(self) -> Document:
        return super()._document() | {"multiclass": self.multiclass}

    def _restore_parts(self, fields: Fields, own_loss: Any) -> None:
        super()._restore_parts(fields, own_loss)
        self.multiclass = fields.text("multiclass", ("committee", "vector", "auto"))

    def _check_restored(self) -> None:
        if self.core.n_classes > len(self.labels):
            raise ModelFileError("its trees have more classes than there are labels")

    def merge(self, other: Self, base: Self | None) -> None:
        """Add what another model has gathered since ``base``; MergeError if they do not fit."""
        super().merge(other, base)
        self.labels.declare(list(other.labels.declared), other.labels.kind)

    # ---- learning -------------------------------------------------------------------------------

    def _targets(
        self, y: Any, weights: Weights | None, classes: Any, order: Indices | None, is_whole: bool
    ) -> Targets:
        """Number the labels in the order in which the rows will be learned."""
        coded: Coded = without_columns(y) if isinstance(y, Columns) else y
        declared, kind = ([], None) if classes is None else self._read_declared(classes, coded)
        totals = None
        if self._weighs_classes:
            weights, totals = weigh_classes(
                coded, weights, self.class_weight, self.class_totals, is_whole=is_whole
            )
        numbered = self._number(coded, weights, order)
        self.check_labels([*numbered.new, *declared])
        labels = NewLabels(numbered.new, declared, kind or numbered.kind, totals)
        return numbered.numbers, weights, labels

    def _read_declared(self, classes: Any, y: Coded) -> tuple[list[Label], Kind | None]:
        """Read the parameter ``classes``: labels that need no row."""
        declared = code_labels(classes)
        self.labels.check_kind(declared.kind)
        if y.kind is not None and declared.kind is not None and y.kind is not declared.kind:
            raise TypeError(
                f"classes holds {declared.kind.value}, but y holds {y.kind.value}; "
                "all labels must be of one kind"
            )
        return number_labels(declared, Labels()).new, declared.kind

    def _number(
        self, coded: Coded, weights: Weights | None, order: Indices | None
    ) -> NumberedLabels:
        counts = None if weights is None else weights > 0
        if order is None:
            return number_labels(coded, self.labels, counts)
        shuffled = Coded(coded.codes[order], coded.values, coded.kind)
        labels = number_labels(shuffled, self.labels, None if counts is None else counts[order])
        numbers = np.empty_like(labels.numbers)
        numbers[order] = labels.numbers
        return NumberedLabels(numbers, labels.new, labels.kind)

    def check_labels(self, labels: Sequence[Label]) -> None:
        """Refuse labels that would make more classes than the loss takes, and a wrong loss."""
        if self.takes_many_classes:
            return
        known: list[Label] = [*self.labels.seen, *self.labels.unseen]
        more = [label for label in dict.fromkeys(labels) if label not in known]
        if len(known) + len(more) > 2:
            third = [*known, *more][2]
            raise ValueError(
                f"loss={self.loss!r} is for two classes, and {third!r} is a third label after "
                f"{[*known, *more][:2]}; loss='log_loss' takes any number"
            )
        self._try_loss(np.zeros(1), None)

    def apply(self, additions: Additions, labels: NewLabels | None = None) -> None:
        """Add new features, categories and labels."""
        super().apply(additions)
        if labels is not None:
            if labels.declared:
                self.labels.declare(labels.declared, labels.kind)
            self.labels.extend(labels.seen, labels.kind)
            if labels.totals is not None:
                self.class_totals = labels.totals

    def learn_predict(
        self, rows: Block, y: NDArray[Any], weights: Weights | None, method: str = "predict"
    ) -> NDArray[Any]:
        """Learn rows; return what was predicted for each just before it was learned.

        The method is "predict" for labels, "predict_proba" for probabilities, or "places" for the
        places of labels in ``classes``.
        """
        if not self.labels.seen:
            return self._predict_without_labels(len(y), method)
        if method == "predict_proba":
            probabilities = self.core.learn_predict_proba(rows, y, weights, len(self.labels.seen))
            return self._in_order_of_classes(probabilities)
        ordering = self.labels.ordering
        predicted = self.core.learn_predict_labels(rows, y, weights, ordering.rank)
        places = ordering.rank[predicted]
        # Before any class all probabilities are 0, and ties go to the first label.
        places[predicted < 0] = 0
        result: NDArray[Any] = places if method == "places" else ordering.classes[places]
        return result

    def _predict_without_labels(self, n_rows: int, method: str) -> NDArray[Any]:
        """Predict rows that all have the weight 0 if no row before them had another."""
        classes = self.labels.ordering.classes
        if method == "predict_proba":
            return np.zeros((n_rows, len(classes)))
        if len(classes) == 0:
            raise ValueError(
                "sample_weight is zero for all rows so far; there is no label to predict"
            )
        return np.zeros(n_rows, np.int32) if method == "places" else np.full(n_rows, classes[0])

    def note_target(self, y: object) -> None:
        """Remember that labels of this type may be looked up as they are."""
        self.labels.types.add(type(y))

    # ---- predicting -----------------------------------------------------------------------------

    def predict(self, rows: Block, members: int | None = None) -> NDArray[Any]:
        """Return the most probable label of each row."""
        ordering = self.labels.ordering
        numbers = self.core.predict_labels(rows, ordering.rank, members)
        labels: NDArray[Any] = ordering.by_number[numbers]
        return labels

    def row_losses(self, rows: Block, y: NDArray[Any], members: int | None = None) -> Floats:
        """Return the loss of each row; a class that no row has had has the greatest log loss."""
        core = self.core
        if isinstance(core, TwoClasses):
            return core.row_losses(self.loss, rows, y, members)
        probabilities = core.predict_proba(rows, members)
        is_known = y < probabilities.shape[1]
        of_class = np.zeros(len(y))
        of_class[is_known] = probabilities[is_known, y[is_known]]
        with np.errstate(divide="ignore"):
            losses: Floats = np.minimum(-np.log(of_class), GREATEST_LOG_LOSS)
        return losses

    def row_errors(self, rows: Block, y: NDArray[Any]) -> Floats:
        """Return 1 for each row whose class number is not the predicted one, otherwise 0."""
        rank = np.arange(max(self.core.n_classes, 1), dtype=np.int32)
        wrong: Floats = (self.core.predict_labels(rows, rank) != y).astype(np.float64)
        return wrong

    def predict_proba(self, rows: Block, members: int | None = None) -> Floats:
        """Return the probability of each label for each row."""
        return self._in_order_of_classes(self.core.predict_proba(rows, members))

    def decision_function(self, rows: Block) -> Floats:
        """Return the log-odds of the second label, or the logarithm of each one's probability."""
        if len(self.classes) != 2:
            return log_probabilities(self.predict_proba(rows))
        if isinstance(self.core, TwoClasses) and self.core.n_classes == 2:
            odds = self.core.log_odds(rows)
            return odds if self.labels.ordering.rank[1] == 1 else -odds
        return log_odds(self.predict_proba(rows))

    def _in_order_of_classes(self, probabilities: Floats) -> Floats:
        """Put the core's columns, which are by class number, into the order of ``classes``."""
        # Read after the core's call: by now every class in the columns has its label.
        ordering = self.labels.ordering
        result = np.zeros((len(probabilities), len(ordering.classes)))
        result[:, ordering.rank[: probabilities.shape[1]]] = probabilities
        return result

    def predict_one(self, row: Floats) -> Label | None:
        """Return the most probable label of one row; None before any."""
        probabilities = self.core.predict_proba_one(row)
        if not probabilities:
            return None
        greatest = max(probabilities)
        if probabilities.count(greatest) == 1:
            return self.labels.seen[probabilities.index(greatest)]
        tied = [k for k, probability in enumerate(probabilities) if probability == greatest]
        return min(self.labels.seen[k] for k in tied)

    def predict_proba_one(self, row: Floats) -> dict[Label, float]:
        """Return the probability of each label for one row."""
        probabilities = self.core.predict_proba_one(row)
        result = dict(zip(self.labels.seen, probabilities, strict=False))
        for label in self.labels.unseen:
            result[label] = 0.0
        return result
