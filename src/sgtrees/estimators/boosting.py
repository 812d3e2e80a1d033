"""Gradient boosting of stochastic gradient trees: classifier and regressor."""

import time
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from sgtrees.data.sparse import SparseRows
from sgtrees.data.tables import Table
from sgtrees.data.weights import Weights
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.early_stopping import StageValidation, set_aside
from sgtrees.estimators.ensemble import Ensemble
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.models.batch import Batch
from sgtrees.models.stagewise_rows import StagewiseRows
from sgtrees.parameters.constructors import documented
from sgtrees.parameters.table.ensembles import (
    BoostingClassifierParameters,
    BoostingRegressorParameters,
)

# Where all rows are at hand (`python -m benchmarks.ensembles.batch --study`): bins, if their
# number is "auto", and passes of each member over the rows, if epochs is.
_BINS_OF_FIT = 128
_PASSES_OF_STAGE = 3
# Sparse rows become dense for it if they have no more numbers than these, a gigabyte.
_MOST_DENSE_NUMBERS = 1 << 27


class Stages(Ensemble):
    """Base of boosting: how members learn where all rows are at hand, and what they predict."""

    _combinations = ("boosting",)
    n_estimators: int
    n_bins: int | Literal["auto"]
    binning: Literal["uniform", "quantile", "auto"]
    round_rows: int | Literal["auto"]
    n_iter_no_change: int | None
    validation_fraction: float

    @property
    def n_members_in_use_(self) -> int:
        """How many of the first members predict: as many as have had the least loss."""
        return int(self._known("n_members_in_use_").learner.n_members_in_use)

    # ---- learning -------------------------------------------------------------------------------

    def _fits_in_stages(self, table: Table) -> bool:
        # In rounds members learn together, as do those of a loss written in Python; and so they do
        # where sparse rows are too many to be all dense at once.
        is_large = isinstance(table.columns, SparseRows) and (
            table.n_rows * table.n_columns > _MOST_DENSE_NUMBERS
        )
        return self.round_rows == 1 and not is_large

    def _options_of_fit(self, table: Table) -> dict[str, Any]:
        options: dict[str, Any] = {}
        if self._fits_in_stages(table):
            if self.n_bins == "auto":
                options["n_bins"] = _BINS_OF_FIT
            if self.binning == "auto":
                options["quantile_bins"] = True
        return options

    def _fit_rows(self, model: Any, table: Table, y: Any, weights: Weights | None) -> None:
        if not self._fits_in_stages(table):
            super()._fit_rows(model, table, y, weights)
            return
        random = check_random_state(self.random_state)
        if self.n_iter_no_change is None:
            batch, learned, validation = self._whole_batch(model, table, y, weights), None, None
        else:
            learned, aside = set_aside(y, weights, self.validation_fraction, random)
            order = np.concatenate([learned, aside])
            batch = self._whole_batch(model, table, y, weights, order)
            validation = StageValidation(batch[aside], self.n_iter_no_change)
        self._fit_stages(StagewiseRows(batch, learned), model, random, validation)
        if validation is not None:
            self.validation_losses_ = validation.losses
        self._model = model

    def _whole_batch(
        self,
        model: Any,
        table: Table,
        y: Any,
        weights: Weights | None,
        order: NDArray[np.intp] | None = None,
    ) -> Batch[Any]:
        """Return all rows, committed; classes are numbered as they first appear in some order."""
        batch: Batch[Any] = model.batch(table, y, weights, order=order, is_whole=True)
        self._require_weight(batch)
        batch.commit()
        return batch

    def _fit_stages(
        self,
        rows: StagewiseRows,
        model: Any,
        random: np.random.RandomState,
        validation: StageValidation | None,
    ) -> None:
        passes = _PASSES_OF_STAGE if self.epochs == "auto" else int(self.epochs)
        for number in range(1, self.n_estimators + 1):
            began = time.perf_counter()
            rows.learn_stage(random.permutation(len(rows)).astype(np.uint32) for _ in range(passes))
            is_over = validation is not None and validation.is_over()
            what = f"stage {number} of {self.n_estimators}: {len(rows):,}"
            self._report(what, began, model, validation)
            if is_over:
                break
        if validation is not None:
            validation.choose_members()
        rows.finish()

    # ---- predicting -----------------------------------------------------------------------------

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
    of their scores. In a stream all of them learn every row when it comes, in `fit` one after the
    other. The scores of the first members add up, of as many as have predicted best of late; a
    member that does harm begins anew.

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
            What `predict_proba` would return. All stages are calibrated by the same factor, that of
            the members in use.
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
