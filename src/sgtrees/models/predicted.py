"""What a model predicts: the labels or targets of its outputs."""

from collections.abc import Hashable
from dataclasses import dataclass

from sgtrees.targets.labels import Label


@dataclass(frozen=True)
class Predicted:
    """What a model predicts, and whether its raw scores are those of a softmax.

    Attributes
    ----------
    is_softmax : bool
        Whether there is a raw score for each label.
    labels : tuple
        The labels by class number; for bags the negative, then the positive one; empty for numbers.
    classes : tuple
        ``classes_``: the labels sorted, with those that were declared and not seen.
    targets : tuple or None
        The names or numbers of y's columns; None if y has no columns.
    """

    is_softmax: bool = False
    labels: tuple[Label, ...] = ()
    classes: tuple[Label, ...] = ()
    targets: tuple[Hashable, ...] | None = None
