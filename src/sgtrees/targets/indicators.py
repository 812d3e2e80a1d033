"""Several labels at once: an indicator matrix of a block, or the set of an event's labels."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.targets.labels import code_labels
from sgtrees.targets.outputs import Columns, Outputs, read_columns, values_in_order


def read_indicators(y: Any, classes: Any = None) -> Columns:
    """Read an indicator matrix.

    Parameters
    ----------
    y : array, data frame or sparse matrix
        Row i has label j if ``y[i, j]`` is 1.
    classes : array, optional
        The label of each column.

    Examples
    --------
    >>> read_indicators([[1, 0], [1, 1]], ["news", "sport"]).outputs.names
    ('news', 'sport')
    """
    columns = read_columns(y)
    right = (columns.values == 0) | (columns.values == 1)
    if not right.all():
        row, column = np.argwhere(~right)[0].tolist()
        raise ValueError(
            f"y has columns, so it must be an indicator matrix (1 if a row has a label, else 0); "
            f"it holds {columns.values[row, column]} in row {row}, {columns.outputs.title(column)}"
        )
    return columns if classes is None else _named(columns, classes)


def _named(columns: Columns, classes: Any) -> Columns:
    coded = code_labels(classes)
    labels = tuple(coded.values[code] for code in coded.codes)
    if len(set(labels)) != columns.outputs.count or len(labels) != columns.outputs.count:
        raise ValueError(
            f"classes has {len(set(labels))} labels, but y has {columns.outputs.count} columns; "
            "give the label of each column"
        )
    outputs = _outputs(labels)
    return Columns(columns.arranged(outputs), outputs)


def _outputs(labels: tuple[Any, ...]) -> Outputs:
    # The names 0, 1, 2, ... are those of columns without names.
    is_numbered = labels == tuple(range(len(labels)))
    return Outputs(len(labels), None if is_numbered else labels)


def read_label_set(
    y: Mapping[Any, Any] | AbstractSet[Any] | Sequence[Any], known: Outputs | None
) -> tuple[NDArray[np.float64], Outputs]:
    """Read the labels of one event.

    Parameters
    ----------
    y : mapping, set or sequence
        A mapping from all labels to True or False, or the event's labels.
    known : Outputs or None
        The known labels; None for the very first event, which must be a mapping.

    Examples
    --------
    >>> labels = Outputs(3, ("news", "sport", "music"))
    >>> read_label_set({"music", "news"}, labels)[0]
    array([[1., 0., 1.]])
    >>> read_label_set({"news": False, "sport": True, "music": False}, labels)[0]
    array([[0., 1., 0.]])
    """
    if isinstance(y, Mapping):
        values, known = values_in_order(y, _outputs(tuple(y)) if known is None else known)
        for label, value in zip(known.keys, values, strict=True):
            if value not in (0, 1):
                raise ValueError(f"y[{label!r}] is {value!r}; it must be True or False")
        return np.array([values], dtype=np.float64), known
    if not isinstance(y, AbstractSet | list | tuple):
        raise TypeError(
            f"y is {type(y).__name__}; give the set of the event's labels, or a dictionary from "
            "labels to True or False"
        )
    if known is None:
        raise ValueError(
            "all labels must be known from the first row on: give the first event a dictionary "
            "from all labels to True or False, or begin with partial_fit"
        )
    return np.array([[float(label in y) for label in _checked(y, known).keys]]), known


def _checked(y: AbstractSet[Any] | Sequence[Any], known: Outputs) -> Outputs:
    if len(set(y)) != len(y):
        raise ValueError(f"y lists a label twice: {y!r}; each label of the event must occur once")
    unknown = [label for label in y if label not in known.keys]
    if unknown:
        raise ValueError(
            f"y holds the unknown label {unknown[0]!r}; the model has learned y of "
            f"{known.describe()}"
        )
    return known
