"""A model of bags: the core's learner, its two labels, and the predictions for bags."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from sgtrees import _core
from sgtrees.data.bags import BagRows
from sgtrees.data.class_balance import NO_ROWS, ClassTotals, weigh_classes
from sgtrees.data.columns import Coded, Kind
from sgtrees.data.encoding import encode_weighted
from sgtrees.data.schema import Additions
from sgtrees.data.weights import ClassWeight, Weights
from sgtrees.losses.built_in.binary import LogLoss
from sgtrees.models.batch import Batch
from sgtrees.models.labelled_model import LabelledModel
from sgtrees.models.merging import MergeError
from sgtrees.models.model import Start
from sgtrees.models.predicted import Predicted
from sgtrees.models.saved_model import State
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Document, Fields, refuse
from sgtrees.targets.labels import Label, Labels, code_label


class BagModel(LabelledModel[_core.BagLearner]):
    """A model that separates positive bags from negative ones.

    Parameters
    ----------
    start : Start
        As for any `Model`.
    class_weight : ClassWeight
        The weight of each label.
    sharpness : float
        Of the soft maximum that a bag's score is; 0 for the maximum.
    """

    kind = "bags"

    def __init__(self, start: Start, class_weight: ClassWeight, sharpness: float) -> None:
        self.sharpness = sharpness
        self.class_weight = class_weight
        self.class_totals = NO_ROWS
        self.labels = Labels()
        self.positive: Label | None = None
        super().__init__(start, LogLoss())

    @property
    def predicted(self) -> Predicted:
        """What is predicted: two labels, the negative one first."""
        labels = sorted(self.labels.declared, key=lambda label: label == self.positive)
        return Predicted(labels=tuple(labels), classes=tuple(self.classes.tolist()))

    def _new_core(
        self, options: _core.Options, ranges: NDArray[np.float64] | None
    ) -> _core.BagLearner:
        return _core.BagLearner(options, self.schema.nominal, ranges, self.sharpness)

    def core_from(self, options: _core.Options, state: State) -> _core.BagLearner:
        """Return the core's learner of a saved state."""
        return _core.BagLearner.from_state(options, state, self.sharpness)

    def _document(self) -> Document:
        return super()._document() | {
            "positive": self.positive,
            "sharpness": self.sharpness,
        }

    def _restore_parts(self, fields: Fields, own_loss: Any) -> None:
        super()._restore_parts(fields, own_loss)
        self.positive = fields.take("positive")
        self.sharpness = fields.number("sharpness")
        if type(self.loss) is not LogLoss or self.sharpness < 0:
            raise ModelFileError(f"{fields.where} has no proper loss and sharpness")
        known = self.labels.ordering.classes.tolist()
        if len(known) != 2 or self.positive not in known:
            refuse(fields.place("positive"), self.positive, "one of two labels")

    def _check_merge(self, other: Self) -> None:
        super()._check_merge(other)
        if self.positive != other.positive:
            raise MergeError(
                f"the models' positive labels differ: {self.positive!r} and {other.positive!r}"
            )

    def batch_of_bags(
        self,
        bags: BagRows,
        y: Coded,
        weights: Weights | None,
        two: "TwoLabels",
        *,
        is_whole: bool,
    ) -> Batch[Self]:
        """Return checked bags, ready to be learned.

        Parameters
        ----------
        bags : BagRows
            The bags.
        y : Coded
            The label of each.
        weights : ndarray or None
            The weight of each.
        two : TwoLabels
            Both labels.
        is_whole : bool
            Whether these are all bags that there are, as in `fit`.
        """
        weights, totals = weigh_classes(
            y, weights, self.class_weight, self.class_totals, is_whole=is_whole
        )
        two = replace(two, totals=totals)
        of_row = None if weights is None else weights[bags.bag_of_row]
        block, additions = encode_weighted(bags.table, self.schema.features, of_row)
        # Bag by bag.
        block = block[bags.order]
        return Batch(self, block, two.targets(y), weights, two, additions, bags.sizes)

    def apply(self, additions: Additions, labels: "TwoLabels | None" = None) -> None:
        """Add new features, categories and both labels."""
        super().apply(additions)
        if labels is not None:
            self.labels.declare(labels.labels, labels.kind)
            self.positive = labels.positive
            if labels.totals is not None:
                self.class_totals = labels.totals

    def pool(self, scores: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the score of each bag: the maximum, or the soft one, of its instances' scores."""
        starts = np.cumsum(sizes) - sizes
        highest: NDArray[np.float64] = np.maximum.reduceat(scores, starts)
        if not self.sharpness:
            return highest
        powers = np.exp(self.sharpness * (scores - np.repeat(highest, sizes)))
        means: NDArray[np.float64] = np.add.reduceat(powers, starts) / sizes
        return highest + np.log(means) / self.sharpness

    def probabilities(
        self, scores: NDArray[np.float64], sizes: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return the probabilities of both labels for each bag, in the order of ``classes_``."""
        pooled = self.pool(scores, sizes)
        if self.labels.ordering.classes[0] == self.positive:
            pooled = -pooled
        return np.column_stack([self.link(-pooled), self.link(pooled)])


@dataclass(frozen=True)
class TwoLabels:
    """The labels of bags: exactly two, one of them positive."""

    labels: list[Label]
    kind: Kind | None
    positive: Label
    # The weights of both, if the model balances them.
    totals: ClassTotals | None = None

    def targets(self, y: Coded) -> NDArray[np.float64]:
        """Return 1 for each positive bag, 0 for each negative one."""
        is_positive = np.array([value == self.positive for value in y.values], dtype=np.float64)
        return is_positive[y.codes]


def two_labels(
    y: Coded,
    names: Sequence[Any],
    known: Labels,
    classes: Coded | None = None,
    positive_label: Any = None,
) -> TwoLabels:
    """Find the two labels, and which of them is positive.

    Parameters
    ----------
    y, names : Coded, sequence
        The labels of some bags, and what these are called in messages.
    known : Labels
        The labels of earlier bags; left as they are.
    classes : Coded, optional
        Both labels, if the caller declared them.
    positive_label : str, int or bool, optional
        The positive one; without it that is the greater of the two (1, True, "yes").

    Examples
    --------
    >>> from sgtrees.targets.labels import code_labels
    >>> two_labels(code_labels(["musk", "other"]), [0, 1], Labels(), None, "musk").positive
    'musk'
    """
    known.check_kind(y.kind)
    labels: dict[Label, None] = dict.fromkeys(known.declared)
    if positive_label is not None:
        positive, kind = code_label(positive_label)
        _check_same_kind("positive_label", kind, y.kind)
        labels[positive] = None
    if classes is not None:
        _check_same_kind("classes", classes.kind, y.kind)
        labels.update(dict.fromkeys(_occurring(classes)))
    if y.kind is Kind.BOOLEAN:
        labels.update({False: None, True: None})
    if len(labels) > 2:
        raise ValueError(
            f"classes and positive_label declare {len(labels)} labels, {sorted(labels)}; "
            "bags have one of two"
        )
    for label in _occurring(y):
        labels[label] = None
        if len(labels) > 2:
            bag = names[int(np.argmax(y.codes == y.values.index(label)))]
            raise ValueError(
                f"bag {bag!r} has the label {label!r}, a third one after {list(labels)[:2]}; "
                "bags have one of two labels"
            )
    if len(labels) < 2:
        raise ValueError(
            f"all bags so far have the label {next(iter(labels))!r}; which other label there is "
            "must be known from the start: learn bags of both labels first, or give partial_fit "
            "both as classes"
        )
    two = list(labels)
    positive = max(two) if positive_label is None else code_label(positive_label)[0]
    return TwoLabels(two, y.kind, positive)


def _occurring(y: Coded) -> list[Label]:
    """Return the labels that occur, in order of first appearance."""
    distinct, first = np.unique(y.codes, return_index=True)
    return [_label(y.values[code]) for code in distinct[np.argsort(first)].tolist()]


def _label(value: Any) -> Label:
    return code_label(value)[0]


def _check_same_kind(where: str, kind: Kind | None, kind_of_y: Kind | None) -> None:
    if kind is not None and kind_of_y is not None and kind is not kind_of_y:
        raise TypeError(
            f"{where} holds {kind.value}, but y holds {kind_of_y.value}; "
            "all labels must be of one kind"
        )
