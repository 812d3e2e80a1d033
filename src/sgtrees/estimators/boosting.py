"""Gradient boosting of stochastic gradient trees: classifier and regressor."""

from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.ensemble import Ensemble
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.parameters.constructors import documented
from sgtrees.parameters.table import BoostingClassifierParameters, BoostingRegressorParameters


@documented
class SGTBoostingClassifier(BoostingClassifierParameters, Ensemble, SGTClassifier):
    """Gradient boosting of stochastic gradient trees, for classification.

    Every member learns what those before it leave unexplained: the gradients of the loss at the sum
    of their scores. All of them learn every row when it comes. The scores of the first members add
    up, of as many as have predicted best of late; a member that does harm begins anew.

    Parameters
    ----------
    **parameters
        ``help(SGTBoostingClassifier)`` and ``docs/parameters.md`` describe them.

    Attributes
    ----------
    n_trees_ : int
        The number of trees: one for each member, or one less than there are classes.
    classes_, n_features_in_, feature_names_in_, n_nodes_, n_leaves_, depth_
        As for `SGTClassifier`, over all trees.
    n_updates_, n_splits_, range_updates_
        As for `SGTClassifier`, over all trees.

    See Also
    --------
    SGTForestClassifier : Trees that learn for themselves, and vote.
    SGTClassifier : A single tree, or committee of trees, whose notes hold here too.

    Examples
    --------
    >>> from sgtrees import SGTBoostingClassifier
    >>> from sgtrees.streams import Agrawal
    >>> rows = Agrawal(7).take(5000)
    >>> model = SGTBoostingClassifier(n_estimators=10, random_state=0)
    >>> before = model.learn_predict(rows.X, rows.y)
    >>> model.n_trees_, bool((before[2000:] == rows.y[2000:]).mean() > 0.8)
    (10, True)
    """

    _combinations = ("boosting",)


@documented
class SGTBoostingRegressor(BoostingRegressorParameters, Ensemble, SGTRegressor):
    """Gradient boosting of stochastic gradient trees, for regression.

    It is made as `SGTBoostingClassifier` is.

    Parameters
    ----------
    **parameters
        ``help(SGTBoostingRegressor)`` and ``docs/parameters.md`` describe them.

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
    SGTForestRegressor : Trees that learn for themselves, and are averaged.
    SGTRegressor : A single tree, whose notes hold here too.

    Examples
    --------
    >>> import numpy as np
    >>> from sgtrees import SGTBoostingRegressor, SGTRegressor
    >>> X = np.random.default_rng(0).random((5000, 2))
    >>> y = np.sin(6.0 * X[:, 0]) + X[:, 1]
    >>> boosting = SGTBoostingRegressor(random_state=0).partial_fit(X, y)
    >>> bool(boosting.score(X, y) > SGTRegressor().partial_fit(X, y).score(X, y))
    True
    """

    _combinations = ("boosting",)
