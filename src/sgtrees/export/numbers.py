"""Rows as numbers, for runtimes without strings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.columns import Coded, Kind, Value, as_floats, table_of
from sgtrees.data.encoding import check_finite, interleave
from sgtrees.data.schema import Feature
from sgtrees.data.tables import read_table
from sgtrees.inspection import Estimator, FeatureView
from sgtrees.inspection.extraction import model_of


def numbers_of(feature: FeatureView) -> dict[Value, float]:
    """Return the number of each category: itself, or its place if it is a string.

    Parameters
    ----------
    feature : FeatureView
        The feature.

    Returns
    -------
    dict
        Numbers by category; empty for a numeric feature.

    Examples
    --------
    >>> numbers_of(FeatureView(0, "size", (2.5, 7), Kind.NUMBER))
    {2.5: 2.5, 7: 7.0}
    >>> numbers_of(FeatureView(0, "colour", ("red", "blue"), Kind.STRING))
    {'red': 0.0, 'blue': 1.0}
    """
    categories = feature.categories or ()
    if feature.kind is Kind.STRING:
        return {category: float(place) for place, category in enumerate(categories)}
    return {category: float(category) for category in categories}


def as_numbers(estimator: Estimator, X: Any) -> NDArray[np.float64]:
    """Turn rows into the numbers that an exported model takes.

    Numbers stay what they are, booleans become 0 and 1, and a string becomes the place of its
    category (`numbers_of`), -1 if the model has never seen it. Missing values are NaN.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator that was exported.
    X : array or data frame of shape (n_rows, n_features)
        The rows, as the estimator takes them; instances, one after the other, instead of bags.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        The numbers, for `to_treelite` and `to_c`.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> X, y = [["red", 1.5], ["blue", 2.5]] * 50, [10.0, 20.0] * 50
    >>> model = SGTRegressor(epochs=1).fit(X, y)
    >>> as_numbers(model, [["blue", 2.5], ["green", 1.5], [None, 0.5]])
    array([[ 1. ,  2.5],
           [-1. ,  1.5],
           [ nan,  0.5]])
    """
    features = model_of(estimator).schema.features
    table = read_table(X, type(estimator).__name__)
    if table.n_columns != len(features):
        raise ValueError(
            f"X has {table.n_columns} columns, but the model has {len(features)} features"
        )
    columns = [_numbers(table.column(place), feature) for place, feature in enumerate(features)]
    block = interleave(columns, table.n_rows).astype(np.float64, copy=False)
    check_finite(block, features)
    return block


def _numbers(column: Any, feature: Feature) -> NDArray[Any]:
    if not isinstance(column, Coded):
        floats: NDArray[Any] = column
        return floats
    categories = feature.categories
    if column.kind is not Kind.STRING:
        return as_floats(column)
    if categories is None:
        raise TypeError(f"{feature} is numeric but holds strings, {column.values[0]!r} among them")
    table = table_of(column, categories.numbers).astype(np.float64)
    table[-1] = np.nan
    return table[column.codes]
