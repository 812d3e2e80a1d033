"""Forests of stochastic gradient trees: classifier and regressor."""

from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.ensemble import Ensemble
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.parameters.constructors import documented
from sgtrees.parameters.table.ensembles import (
    ForestClassifierParameters,
    ForestRegressorParameters,
)


@documented
class SGTForestClassifier(ForestClassifierParameters, Ensemble, SGTClassifier):
    """A forest of stochastic gradient trees, for classification.

    Online bagging: each member learns a row as many times as a Poisson distribution says, so all of
    them learn different samples. Every member learns for itself, and watches its own errors; the
    mean of their scores is the score of the forest.

    Parameters
    ----------
    **parameters
        ``help(SGTForestClassifier)`` and ``docs/parameters.md`` describe them.

    Attributes
    ----------
    n_trees_ : int
        The number of trees: one for each member; in committees one less than there are classes.
    classes_, n_features_in_, feature_names_in_, n_nodes_, n_leaves_, depth_
        As for `SGTClassifier`, over all trees.
    n_updates_, n_splits_, range_updates_
        As for `SGTClassifier`, over all trees.

    See Also
    --------
    SGTBoostingClassifier : Trees that learn what the others leave unexplained.
    SGTClassifier : A single tree, or committee of trees, whose notes hold here too.

    Examples
    --------
    >>> from sgtrees import SGTForestClassifier
    >>> from sgtrees.streams import Agrawal
    >>> rows = Agrawal(7).take(5000)
    >>> model = SGTForestClassifier(n_estimators=10, random_state=0)
    >>> before = model.learn_predict(rows.X, rows.y)
    >>> model.n_trees_, bool((before[2000:] == rows.y[2000:]).mean() > 0.8)
    (10, True)
    """

    _combinations = ("averaging",)


@documented
class SGTForestRegressor(ForestRegressorParameters, Ensemble, SGTRegressor):
    """A forest of stochastic gradient trees, for regression.

    It is made as `SGTForestClassifier` is.

    Parameters
    ----------
    **parameters
        ``help(SGTForestRegressor)`` and ``docs/parameters.md`` describe them.

    Attributes
    ----------
    n_trees_ : int
        The number of trees, one for each member.
    n_outputs_, target_names_, loss_scale_
        As for `SGTRegressor`.
    n_features_in_, feature_names_in_, n_nodes_, n_leaves_, depth_, n_updates_, n_splits_
        As for `SGTRegressor`, over all trees.
    range_updates_ : list of RangeUpdate
        As for `SGTRegressor`.

    See Also
    --------
    SGTBoostingRegressor : Trees that learn what the others leave unexplained.
    SGTRegressor : A single tree, whose notes hold here too.

    Examples
    --------
    >>> import numpy as np
    >>> from sgtrees import SGTForestRegressor, SGTRegressor
    >>> X = np.random.default_rng(0).random((5000, 2))
    >>> y = np.sin(6.0 * X[:, 0]) + X[:, 1]
    >>> forest = SGTForestRegressor(n_estimators=10, random_state=0).partial_fit(X, y)
    >>> bool(forest.score(X, y) > SGTRegressor().partial_fit(X, y).score(X, y))
    True
    """

    _combinations = ("averaging",)
