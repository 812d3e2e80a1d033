"""The class numbers that all models of an evaluation share."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.evaluation.predictions import Floats
from sgtrees.targets.labels import Label, Labels, code_labels, number_labels


class ClassNumbers:
    """Labels and their numbers, in order of first appearance.

    Examples
    --------
    >>> classes = ClassNumbers()
    >>> classes.number(["b", "a", "b"]).tolist(), classes.labels
    ([0, 1, 0], ['b', 'a'])
    """

    def __init__(self) -> None:
        self._labels = Labels()

    @property
    def labels(self) -> list[Label]:
        """The labels in the order of their numbers."""
        return self._labels.seen

    def __len__(self) -> int:
        return len(self._labels)

    def number(self, y: Any) -> NDArray[np.int32]:
        """Return the class numbers of labels; new labels get new numbers."""
        numbered = number_labels(code_labels(y), self._labels)
        self._labels.extend(numbered.new, numbered.kind)
        return numbered.numbers

    def number_of(self, label: Any) -> int:
        """Return the class number of one label; -1 for None."""
        if label is None:
            return -1
        number = self._labels.numbers.get(label)
        return int(self.number([label])[0]) if number is None else number

    def in_order(self, probabilities: Floats, labels: NDArray[Any]) -> Floats:
        """Reorder columns, one for each of ``labels``, by class number."""
        places = [self.number_of(label) for label in labels.tolist()]
        result = np.zeros((len(probabilities), len(self)))
        result[:, places] = probabilities
        return result
