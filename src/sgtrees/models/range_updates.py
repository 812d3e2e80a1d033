"""Updates of the features' ranges: a record of them, and a note in the log."""

import logging
from collections.abc import Hashable, Sequence
from typing import Literal, NamedTuple

from sgtrees import _core
from sgtrees.data.schema import Schema

_LOGGER = logging.getLogger(__name__)
_REASONS = {
    "crowded": "its values crowded in few bins",
    "outside": "its values were outside its range",
}


class RangeUpdate(NamedTuple):
    """A numeric feature got new bins, since those it had did not suit its values.

    Attributes
    ----------
    row : int
        The number of rows that had been learned.
    feature : str or int
        The feature's name or column number.
    reason : {"crowded", "outside"}
        Most values were in few bins, or many were outside the range.

    Examples
    --------
    >>> import numpy as np
    >>> from sgtrees import SGTRegressor
    >>> X = np.random.default_rng(0).random((4000, 1))
    >>> X[1000:] *= 1000
    >>> SGTRegressor().partial_fit(X, np.sin(X[:, 0])).range_updates_
    [RangeUpdate(row=2048, feature=0, reason='outside')]
    """

    row: int
    feature: Hashable
    reason: Literal["crowded", "outside"]


def range_updates(learner: _core.Learner, schema: Schema) -> list[RangeUpdate]:
    """Return the latest updates, in order, with the features' names."""
    names = [feature.name for feature in schema.features]
    return [RangeUpdate(row, names[f], reason) for row, f, reason in learner.range_updates()]


def log_updates(updates: Sequence[RangeUpdate]) -> None:
    """Write a note for each."""
    for row, feature, reason in updates:
        _LOGGER.info("after %d rows feature %r got new bins: %s", row, feature, _REASONS[reason])
