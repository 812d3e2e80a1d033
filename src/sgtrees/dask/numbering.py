"""The model's numbers of categories and labels, in order of first appearance in the stream."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.dask.errors import PartitionError
from sgtrees.dask.partition import Summary
from sgtrees.dask.rows import Numbering
from sgtrees.data.schema import Additions


def number_partition(model: Any, summary: Summary) -> Numbering:
    """Add the categories and labels of the next partition to a model.

    Parameters
    ----------
    model : Model
        The model of the partitions so far.
    summary : Summary
        The next partition.

    Returns
    -------
    Numbering
        The model's numbers of the partition's categories and labels.
    """
    features = model.schema.features
    additions, tables = Additions(), {}
    try:
        for place, (values, kind) in summary.categories.items():
            categories = features[place].categories
            categories.check_kind(kind, str(features[place]))
            new = [value for value in values if value not in categories.numbers]
            additions.note_fitting(place, new, kind, categories)
        labels = None
        if summary.labels is not None:
            labels = _number_labels(model, *summary.labels)
    except (TypeError, ValueError) as error:
        raise PartitionError(f"{summary.name}: {error}") from error
    model.apply(additions)
    for place, (values, _) in summary.categories.items():
        numbers = features[place].categories.numbers
        tables[place] = np.array([numbers.get(value, np.nan) for value in values], dtype=np.float64)
    return Numbering(tables, labels)


def _number_labels(model: Any, values: Any, kind: Any) -> NDArray[np.int32]:
    model.labels.check_kind(kind)
    known = {label: number for number, label in enumerate(model.labels.seen)}
    new = [label for label in values if label not in known]
    model.check_labels(new)
    model.labels.extend(new, kind)
    numbers = known | {label: len(known) + place for place, label in enumerate(new)}
    return np.array([numbers[label] for label in values], dtype=np.int32)
