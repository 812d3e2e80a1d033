"""Numbers for what partitions bring: categories and labels, in the order of the rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.dask.work import Numbering, PartitionError, Summary
from sgtrees.data.schema import Additions


def numbered(model: Any, summary: Summary) -> Numbering:
    """Let a model know the categories and labels of its next partition.

    Parameters
    ----------
    model : Model
        Of the partitions so far.
    summary : Summary
        What the partition brings.

    Returns
    -------
    Numbering
        The numbers that the model gives them.
    """
    features = model.schema.features
    additions, tables = Additions(), {}
    try:
        for place, (values, kind) in summary.categories.items():
            categories = features[place].categories
            categories.check_kind(kind, str(features[place]))
            new = [value for value in values if value not in categories.numbers]
            additions.note(place, new, kind)
        labels = None
        if summary.labels is not None:
            labels = _number_labels(model, *summary.labels)
    except (TypeError, ValueError) as error:
        raise PartitionError(f"{summary.name}: {error}") from error
    model.apply(additions)
    for place, (values, _) in summary.categories.items():
        numbers = features[place].categories.numbers
        tables[place] = np.array([numbers[value] for value in values], dtype=np.float64)
    return Numbering(tables, labels)


def _number_labels(model: Any, values: Any, kind: Any) -> NDArray[np.int32]:
    model.labels.check_kind(kind)
    known = {label: number for number, label in enumerate(model.labels.seen)}
    new = [label for label in values if label not in known]
    model.check_labels(new)
    model.labels.extend(new, kind)
    numbers = known | {label: len(known) + place for place, label in enumerate(new)}
    return np.array([numbers[label] for label in values], dtype=np.int32)
