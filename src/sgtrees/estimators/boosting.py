"""Gradient boosting of stochastic gradient trees: classifier and regressor."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.data.sparse import SparseRows
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.ensemble import Ensemble
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.parameters.constructors import documented
from sgtrees.parameters.table.ensembles import (
    BoostingClassifierParameters,
    BoostingRegressorParameters,
)


class Stages(Ensemble):
    """Base of boosting: what the first members predict."""

    _combinations = ("boosting",)

    @property
    def n_members_in_use_(self) -> int:
        """How many of the first members predict: as many as have had the least loss."""
        return int(self._known("n_members_in_use_").learner.n_members_in_use)

    def staged_predict(self, X: Any) -> Iterator[NDArray[Any]]:
        """Predict by the first member, by the first two, and so on to all of them.

        Parameters
        ----------
        X
            As for `predict`.

        Yields
        ------
        ndarray
            What `predict` would return. That of ``n_members_in_use_`` members is what it does.

        Examples
        --------
        >>> import numpy as np
        >>> from sgtrees import SGTBoostingRegressor
        >>> X = np.random.default_rng(0).random((2000, 2))
        >>> model = SGTBoostingRegressor(n_estimators=5, random_state=0).fit(X, 9.0 * X[:, 0])
        >>> len(list(model.staged_predict(X[:10])))
        5
        """
        return self._staged(X, "predict")

    def _staged(self, X: Any, method: str) -> Iterator[NDArray[Any]]:
        model = self._known(method)
        rows = self._block_to_predict(X)
        of_block = getattr(model, method)
        for n in range(1, model.n_stages + 1):
            if isinstance(rows, SparseRows):
                yield np.concatenate([of_block(part, n) for part in rows.parts()])
            else:
                yield of_block(rows, n)


@documented
class SGTBoostingClassifier(BoostingClassifierParameters, Stages, SGTClassifier):
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
    n_members_in_use_ : int
        How many of the first members predict.
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

    def staged_predict_proba(self, X: Any) -> Iterator[NDArray[np.float64]]:
        """Predict probabilities by the first member, by the first two, and so on to all of them.

        Parameters
        ----------
        X
            As for `predict_proba`.

        Yields
        ------
        ndarray of shape (n_rows, n_classes)
            What `predict_proba` would return.
        """
        return self._staged(X, "predict_proba")


@documented
class SGTBoostingRegressor(BoostingRegressorParameters, Stages, SGTRegressor):
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
    n_members_in_use_ : int
        How many of the first members predict.
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
