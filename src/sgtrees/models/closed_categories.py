"""A note in the log when a feature has as many categories as there is memory for."""

import logging

from sgtrees.data.schema import Feature

_LOGGER = logging.getLogger(__name__)


def log_closed(feature: Feature, n_rows: int) -> None:
    """Write a note that new categories of a feature count as missing from now on."""
    assert feature.categories is not None
    _LOGGER.warning(
        "after %d rows feature %r has %d categories, as many as max_memory has room for: "
        "all others count as missing values",
        n_rows,
        feature.name,
        len(feature.categories),
    )
