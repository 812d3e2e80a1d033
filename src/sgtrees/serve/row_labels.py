"""Labels of many rows: the distinct ones, and for each row which of them it has.

Blocks of rows have few distinct labels. What is done once for each of them, as writing it in JSON,
need not be done for each row.
"""

import json
from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray


class LabelSet:
    """The distinct labels of a model at one moment.

    Parameters
    ----------
    labels : ndarray
        The labels.
    """

    def __init__(self, labels: NDArray[Any]) -> None:
        self.array = labels
        self.labels: list[Any] = labels.tolist()

    @cached_property
    def texts(self) -> NDArray[np.object_]:
        """Each label in JSON."""
        return np.array([json.dumps(one, ensure_ascii=False) for one in self.labels], dtype=object)


class RowLabels(Sequence[Any]):
    """A label for each row.

    Parameters
    ----------
    known : LabelSet
        The distinct labels.
    codes : ndarray of int
        The place of each row's label among them.

    Examples
    --------
    >>> known = LabelSet(np.array(["in time", "late"]))
    >>> rows = RowLabels(known, np.array([1, 0, 1]))
    >>> list(rows), rows[1:].as_json()
    (['late', 'in time', 'late'], '["in time","late"]')
    """

    __slots__ = ("codes", "known")

    def __init__(self, known: LabelSet, codes: NDArray[np.integer]) -> None:
        self.known = known
        self.codes = codes

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, place: int) -> Any: ...
    @overload
    def __getitem__(self, place: slice) -> "RowLabels": ...
    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return RowLabels(self.known, self.codes[place])
        return self.known.labels[self.codes[place]]

    def as_json(self) -> str:
        """Return an array of JSON."""
        return f"[{','.join(self.known.texts[self.codes].tolist())}]"

    def numbers(self, known: dict[Any, int]) -> NDArray[np.int32] | None:
        """Return each row's number by a table of labels; None if one of them has no number."""
        missing = -2
        table = np.array([known.get(one, missing) for one in self.known.labels], dtype=np.int32)
        found = table[self.codes]
        return None if (found == missing).any() else found


Values: TypeAlias = list[Any] | RowLabels
"""Labels, targets or predictions: one for each row."""
