"""The baseline that every classifier has to beat: the most frequent label so far."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


class MajorityClass:
    """Predicts the label that most rows have had so far, whatever the row.

    Ties go to the label that was seen first.

    Examples
    --------
    >>> MajorityClass().learn_predict(np.array(["a", "b", "b", "b"])).tolist()
    ['a', 'a', 'a', 'b']
    """

    def __init__(self) -> None:
        self._counts: dict[Any, int] = {}

    def learn_predict(self, y: NDArray[Any]) -> NDArray[Any]:
        """Return what is predicted for each row just before its label is learned.

        Parameters
        ----------
        y : ndarray of shape (n_rows,)
            The rows' labels.

        Returns
        -------
        ndarray of shape (n_rows,)
            The predicted labels. The first row of all, for which there is nothing to go by, is
            given its own.

        Examples
        --------
        >>> baseline = MajorityClass()
        >>> baseline.learn_predict(np.array([1, 1])).tolist()
        [1, 1]
        >>> baseline.learn_predict(np.array([2, 2, 2, 2])).tolist()
        [1, 1, 1, 2]
        """
        labels = [*self._counts, *self._new_labels(y)]
        before = np.empty((len(labels), len(y)), dtype=np.int64)
        for place, label in enumerate(labels):
            hits = y == label
            counts = self._counts.get(label, 0) + np.cumsum(hits)
            before[place] = counts - hits
            self._counts[label] = int(counts[-1])
        predicted: NDArray[Any] = np.array(labels)[before.argmax(axis=0)]
        return predicted

    def _new_labels(self, y: NDArray[Any]) -> list[Any]:
        for label in self._counts:
            y = y[y != label]
        _, first = np.unique(y, return_index=True)
        labels: list[Any] = y[np.sort(first)].tolist()
        return labels
