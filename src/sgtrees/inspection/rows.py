"""Rows to be explained, read as an estimator reads rows to predict."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from sgtrees import _core
from sgtrees.data.columns import Floats
from sgtrees.data.encoding import as_array, encode
from sgtrees.data.events import read_event
from sgtrees.data.tables import read_table
from sgtrees.inspection.extraction import Estimator, model_of, view_model
from sgtrees.inspection.model_view import ModelView


def explainable_view(estimator: Estimator, caller: str) -> ModelView:
    """Take a view of a model whose predictions can be explained; refuse others.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.
    caller : str
        The function that needs the view, for messages.

    Raises
    ------
    ValueError
        If the model has no tree yet.
    """
    view = view_model(estimator)
    if not view.trees:
        raise ValueError(
            f"the model has no tree yet: {caller} needs one, and the first tree begins when the "
            "warm-up has ended and, in a classifier, a second class has been seen"
        )
    return view


def explainer_of(estimator: Estimator) -> _core.Explainer:
    """Return the core's explainer of the estimator's trees as they are now."""
    return _core.Explainer(model_of(estimator).learner)


def encoded_rows(estimator: Estimator, X: Any) -> Floats:
    """Encode rows: an array, a data frame, or one event.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator.
    X : array, data frame or sparse matrix of shape (n_rows, n_features), or mapping
        The rows, or an event: from feature names to values; for bags their instances.

    Returns
    -------
    ndarray of shape (n_rows, n_features)
        The rows as the core takes them.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> model = SGTRegressor().fit([["red", 1.0], ["blue", 2.0]], [1.0, 2.0])
    >>> encoded_rows(model, {0: "blue"})
    array([[ 1., nan]])
    """
    schema = model_of(estimator).schema
    if isinstance(X, Mapping):
        return np.atleast_2d(read_event(X, schema, None)[0])
    table = read_table(X, type(estimator).__name__, accept_sparse=True)
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
