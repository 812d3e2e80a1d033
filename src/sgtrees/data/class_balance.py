"""Weights that give all classes of a stream the same total: ``class_weight="balanced"``."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sgtrees.data.columns import Coded
from sgtrees.data.weights import ClassWeight, Weights, combine


@dataclass(frozen=True)
class ClassTotals:
    """The weight of all rows so far, and that of each class.

    Attributes
    ----------
    by_label : dict from label to float
        The weight of the rows of each label.
    total : float
        The weight of all rows, added in their order.
    """

    by_label: dict[Any, float] = field(default_factory=dict)
    total: float = 0.0

    def merged(self, other: "ClassTotals", base: "ClassTotals | None" = None) -> "ClassTotals":
        """Return the totals of two streams together; rows of ``base`` are in both."""
        common = NO_ROWS if base is None else base
        by_label = dict(self.by_label)
        for label, weight in other.by_label.items():
            more = weight - common.by_label.get(label, 0.0)
            by_label[label] = by_label.get(label, 0.0) + more
        return ClassTotals(by_label, self.total + (other.total - common.total))

    def of_all_rows(self, labels: Coded, weights: Weights | None) -> "ClassTotals":
        """Return these totals with further rows."""
        sums = np.bincount(labels.codes, weights, minlength=len(labels.values)).tolist()
        found = {labels.values[code]: total for code, total in enumerate(sums) if total > 0.0}
        return self.merged(ClassTotals(found, float(sum(sums))))


NO_ROWS = ClassTotals()
"""The totals before the first row."""


def weigh_classes(
    labels: Coded,
    weights: Weights | None,
    class_weight: ClassWeight,
    before: ClassTotals,
    *,
    is_whole: bool,
) -> tuple[Weights | None, ClassTotals | None]:
    """Multiply the weights of rows by those of their classes.

    Parameters
    ----------
    labels, weights, before
        As for `balance`.
    class_weight : ClassWeight
        The weights of the classes.
    is_whole : bool
        Whether these are all rows that there are, so that balanced weights follow from them alone.

    Returns
    -------
    weights : ndarray or None
        The weights of rows and classes.
    totals : ClassTotals or None
        The totals with these rows, if classes are balanced.
    """
    if not class_weight.balanced:
        return combine(weights, class_weight, labels), None
    if is_whole:
        return combine(weights, class_weight, labels), before.of_all_rows(labels, weights)
    return balance(labels, weights, before)


def balance(
    labels: Coded, weights: Weights | None, before: ClassTotals
) -> tuple[Weights, ClassTotals]:
    """Weigh the rows of a stream so that all classes that have occurred count the same.

    A row's weight is multiplied by total / (classes * total of its class), in which the row itself
    and all rows before it count. So a block, its parts and its rows get the same weights.

    Parameters
    ----------
    labels : Coded
        The label of each row.
    weights : ndarray or None
        The weight of each row; None if all are 1.
    before : ClassTotals
        The totals of the rows before.

    Returns
    -------
    weights : ndarray
        The weights of rows and classes.
    totals : ClassTotals
        The totals with these rows.

    Examples
    --------
    >>> from sgtrees.targets.labels import code_labels
    >>> weights, totals = balance(code_labels(["a", "a", "a", "b"]), None, ClassTotals())
    >>> weights, totals.by_label
    (array([1., 1., 1., 2.]), {'a': 3.0, 'b': 1.0})
    """
    n_rows = len(labels.codes)
    given = np.ones(n_rows) if weights is None else weights
    by_label = dict(before.by_label)
    is_new = np.zeros(n_rows)
    of_class = np.ones(n_rows)
    for code in np.unique(labels.codes).tolist():
        label = labels.values[code]
        rows = np.flatnonzero((labels.codes == code) & (given > 0))
        if not len(rows):
            continue
        if label not in by_label:
            is_new[rows[0]] = 1.0
        of_class[rows] = _running(by_label.get(label, 0.0), given[rows])
        by_label[label] = float(of_class[rows[-1]])
    total = _running(before.total, given)
    n_classes = np.maximum(len(before.by_label) + np.cumsum(is_new), 1.0)
    # In this order, in which nothing overflows: the first factor is at most 1.
    balanced: Weights = (given / of_class) * (total / n_classes)
    return balanced, ClassTotals(by_label, float(total[-1]) if n_rows else before.total)


def _running(first: float, addends: Weights) -> Weights:
    """Return the sums after each addend, added in their order."""
    sums: Weights = np.cumsum(np.concatenate([[first], addends]))[1:]
    return sums
