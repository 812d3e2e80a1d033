"""Rows to be explained: read as an estimator reads rows to predict."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sgtrees import _core
from sgtrees.data.columns import Floats
from sgtrees.data.encoding import as_array, encode
from sgtrees.data.events import read_event
from sgtrees.data.tables import read_table
from sgtrees.inspection.reading import Estimator, model_of
from sgtrees.models.two_classes import TwoClasses


def explainer_of(estimator: Estimator) -> _core.Explainer:
    """Return the estimator's trees as they are now, to be asked about rows."""
    core = model_of(estimator).core
    return _core.Explainer(core.learner if isinstance(core, TwoClasses) else core)


def block_of(estimator: Estimator, X: Any) -> Floats:
    """Read rows: an array, a data frame, or one event.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.
    X : array or data frame of shape (n_rows, n_features), or mapping from feature names to values
        The rows; for bags their instances.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        What the core takes.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> model = SGTRegressor().fit([["red", 1.0], ["blue", 2.0]], [1.0, 2.0])
    >>> block_of(model, {0: "blue"})
    array([[ 1., nan]])
    """
    schema = model_of(estimator).schema
    if isinstance(X, Mapping):
        return np.atleast_2d(read_event(X, schema, None)[0])
    table = read_table(X, type(estimator).__name__)
    if table.n_columns != len(schema):
        raise ValueError(
            f"X has {table.n_columns} features, but {type(estimator).__name__} is expecting "
            f"{len(schema)} features as input."
        )
    names = schema.string_names
    if names is not None and table.names is not None and list(table.names) != names:
        raise ValueError(
            f"X's columns are {list(table.names)}, but the model learned {names}, in this order"
        )
    block, _ = encode(table, schema.features, learn=False)
    return as_array(block)
