"""The ranges of numeric features that a user gives: the parameter ``feature_ranges``."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.schema import Schema


def read_ranges(feature_ranges: Any, schema: Schema) -> NDArray[np.float64] | None:
    """Return lo and hi of each numeric feature; NaN for nominal ones and where none is given.

    Parameters
    ----------
    feature_ranges : mapping, array of shape (n_features, 2), pair, or None
        By name or column number; for all features in order; or one range for all. The parameter
        ``feature_ranges``.
    schema : Schema
        The features.

    Examples
    --------
    >>> from sgtrees.data.schema import Feature
    >>> read_ranges(
    ...     {"age": (0, 120), "income": (0, 1e6)}, Schema([Feature("age"), Feature("income")])
    ... )
    array([[0.0e+00, 1.2e+02],
           [0.0e+00, 1.0e+06]])
    """
    if feature_ranges is None:
        return None
    ranges = np.full((len(schema), 2), np.nan)
    if isinstance(feature_ranges, Mapping):
        for name, pair in feature_ranges.items():
            ranges[_column_of(name, schema)] = _read_pair(pair, f"feature_ranges[{name!r}]")
    else:
        _read_array(feature_ranges, ranges)
    ranges[schema.nominal] = np.nan
    for feature, (low, high) in zip(schema.features, ranges, strict=True):
        if low > high:
            raise ValueError(
                f"feature_ranges gives {feature} the range from {low} to {high}; "
                "the lower end must come first"
            )
        if np.isnan(low) != np.isnan(high):
            raise ValueError(
                f"feature_ranges gives {feature} only one end of its range, ({low}, {high}); "
                "give both, or neither to take the range from the warm-up"
            )
    return ranges


def _column_of(name: Any, schema: Schema) -> int:
    column = schema.index.get(name)
    if column is None and isinstance(name, int | np.integer) and 0 <= name < len(schema):
        column = int(name)
    if column is None:
        raise ValueError(
            f"feature_ranges names {name!r}, which is not a feature; "
            f"the features are {[feature.name for feature in schema.features]}"
        )
    return column


def _read_pair(pair: Any, where: str) -> NDArray[np.float64]:
    try:
        values = np.asarray(pair, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.shape != (2,) or not np.isfinite(values).all():
        raise ValueError(f"{where} == {pair!r}, must be a pair of finite numbers (lo, hi)")
    return values


def _read_array(feature_ranges: Any, ranges: NDArray[np.float64]) -> None:
    try:
        given = np.asarray(feature_ranges, dtype=np.float64)
    except (TypeError, ValueError):
        given = np.empty(0)
    if given.shape == (2,):
        ranges[:] = _read_pair(given, "feature_ranges")
    elif given.shape == ranges.shape and not np.isinf(given).any():
        ranges[:] = given
    else:
        raise ValueError(
            "feature_ranges must be a dictionary from features to (lo, hi), one pair (lo, hi), or "
            f"an array of shape ({len(ranges)}, 2); got {feature_ranges!r}"
        )
