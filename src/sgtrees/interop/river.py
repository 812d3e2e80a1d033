"""Stochastic gradient trees as river estimators (needs the extra ``river``)."""

import inspect
from collections.abc import Mapping
from typing import Any, Self

import pandas as pd
from river import base

import sgtrees

Event = dict[base.typing.FeatureName, Any]


class SGTClassifier(base.MiniBatchClassifier):
    """Stochastic gradient trees for classification, as a river estimator.

    Parameters
    ----------
    n_bins, binning, warm_up, grace_period, grace_growth, delta, kept_rows, thinning, \
reg_lambda, lambda_scaling, gamma, leaf_model, max_depth, max_leaves, max_memory, \
categorical_features, feature_ranges, start, loss, multiclass, class_weight, n_threads
        See `sgtrees.SGTClassifier`.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from sgtrees.interop.river import SGTClassifier
    >>> metric = evaluate.progressive_val_score(
    ...     datasets.Phishing(), SGTClassifier(warm_up=100, grace_period=50), metrics.Accuracy()
    ... )
    >>> metric.get() > 0.8
    True
    """

    def __init__(
        self,
        n_bins: int = 32,
        binning: str = "uniform",
        warm_up: int = 200,
        grace_period: int = 25,
        grace_growth: float = 0.5,
        delta: float = 0.05,
        kept_rows: int = 500,
        thinning: bool = True,
        reg_lambda: float = 0.1,
        lambda_scaling: str = "row",
        gamma: float = 1.0,
        leaf_model: str = "constant",
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_memory: int | str | None = None,
        categorical_features: Any = "from_dtype",
        feature_ranges: Any = None,
        start: str = "data",
        loss: Any = "log_loss",
        multiclass: str = "committee",
        class_weight: Mapping[Any, float] | None = None,
        n_threads: int = 1,
    ) -> None:
        self.n_bins = n_bins
        self.binning = binning
        self.warm_up = warm_up
        self.grace_period = grace_period
        self.grace_growth = grace_growth
        self.delta = delta
        self.kept_rows = kept_rows
        self.thinning = thinning
        self.reg_lambda = reg_lambda
        self.lambda_scaling = lambda_scaling
        self.gamma = gamma
        self.leaf_model = leaf_model
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_memory = max_memory
        self.categorical_features = categorical_features
        self.feature_ranges = feature_ranges
        self.start = start
        self.loss = loss
        self.multiclass = multiclass
        self.class_weight = class_weight
        self.n_threads = n_threads
        self._estimator = sgtrees.SGTClassifier(**self._get_params())

    @classmethod
    def from_estimator(cls, estimator: sgtrees.SGTClassifier) -> Self:
        """Put river's clothes on an estimator, one that was loaded say.

        Parameters
        ----------
        estimator : sgtrees.SGTClassifier
            The estimator; it goes on learning here.

        Examples
        --------
        >>> import sgtrees
        >>> from sgtrees.interop.river import SGTClassifier
        >>> loaded = sgtrees.SGTClassifier().partial_fit([[1.0], [2.0]], ["a", "b"])
        >>> SGTClassifier.from_estimator(loaded).estimator is loaded
        True
        """
        model = cls(**_shared_parameters(cls, estimator))
        model._estimator = estimator
        return model

    @property
    def estimator(self) -> sgtrees.SGTClassifier:
        """The estimator that does the work, to look into or to save."""
        return self._estimator

    @property
    def _multiclass(self) -> bool:
        return self._estimator._takes_many_classes

    @property
    def _raw_memory_usage(self) -> int:
        return super()._raw_memory_usage + _core_bytes(self._estimator)

    def learn_one(self, x: Event, y: base.typing.ClfTarget, w: float = 1.0) -> None:
        """Learn one event; see `sgtrees.SGTClassifier.learn_one`."""
        self._estimator.learn_one(x, y, w)

    def predict_one(self, x: Event, **kwargs: Any) -> base.typing.ClfTarget | None:
        """Predict the label of one event; None before any has been learned."""
        label: base.typing.ClfTarget | None = self._estimator.predict_one(x, **kwargs)
        return label

    def predict_proba_one(self, x: Event, **kwargs: Any) -> dict[base.typing.ClfTarget, float]:
        """Predict the probability of each label for one event."""
        return self._estimator.predict_proba_one(x, **kwargs)

    def learn_many(self, X: pd.DataFrame, y: pd.Series) -> None:
        """Learn the rows of a data frame, as `learn_one` would one after the other.

        Columns may come in any order, be absent, or be new.
        """
        self._estimator._learn(X, y, None, None, by_name=True)

    def predict_proba_many(self, X: pd.DataFrame) -> pd.DataFrame:
        """Predict the probability of each label for the rows of a data frame."""
        estimator = self._estimator
        if not estimator.__sklearn_is_fitted__():
            return pd.DataFrame(index=X.index)
        probabilities = estimator._probabilities(estimator._block_by_name, X)
        return pd.DataFrame(probabilities, index=X.index, columns=estimator.classes_)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """Predict the labels of the rows of a data frame."""
        estimator = self._estimator
        if not estimator.__sklearn_is_fitted__():
            return pd.Series([None] * len(X), index=X.index)
        labels = estimator._labels(estimator._block_by_name, X)
        if labels.ndim == 1:
            return pd.Series(labels, index=X.index)
        return pd.DataFrame(labels, index=X.index, columns=estimator.classes_)


class SGTRegressor(base.MiniBatchRegressor):
    """A stochastic gradient tree for regression, as a river estimator.

    Parameters
    ----------
    n_bins, binning, warm_up, grace_period, grace_growth, delta, kept_rows, reg_lambda, \
lambda_scaling, gamma, penalty_units, leaf_model, max_depth, max_leaves, max_memory, \
categorical_features, feature_ranges, start, loss, n_threads
        See `sgtrees.SGTRegressor`.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from sgtrees.interop.river import SGTRegressor
    >>> model = preprocessing.StandardScaler() | SGTRegressor(warm_up=100, grace_period=50)
    >>> metric = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    >>> metric.get() < 3
    True
    """

    def __init__(
        self,
        n_bins: int = 32,
        binning: str = "uniform",
        warm_up: int = 200,
        grace_period: int = 25,
        grace_growth: float = 0.5,
        delta: float = 0.05,
        kept_rows: int = 500,
        reg_lambda: float = 0.1,
        lambda_scaling: str = "row",
        gamma: float = 1.0,
        penalty_units: str = "leaf",
        leaf_model: str = "constant",
        max_depth: int | None = None,
        max_leaves: int | None = None,
        max_memory: int | str | None = None,
        categorical_features: Any = "from_dtype",
        feature_ranges: Any = None,
        start: str = "data",
        loss: Any = "squared_error",
        n_threads: int = 1,
    ) -> None:
        self.n_bins = n_bins
        self.binning = binning
        self.warm_up = warm_up
        self.grace_period = grace_period
        self.grace_growth = grace_growth
        self.delta = delta
        self.kept_rows = kept_rows
        self.reg_lambda = reg_lambda
        self.lambda_scaling = lambda_scaling
        self.gamma = gamma
        self.penalty_units = penalty_units
        self.leaf_model = leaf_model
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.max_memory = max_memory
        self.categorical_features = categorical_features
        self.feature_ranges = feature_ranges
        self.start = start
        self.loss = loss
        self.n_threads = n_threads
        self._estimator = sgtrees.SGTRegressor(**self._get_params())

    @classmethod
    def from_estimator(cls, estimator: sgtrees.SGTRegressor) -> Self:
        """Put river's clothes on an estimator, one that was loaded say.

        Parameters
        ----------
        estimator : sgtrees.SGTRegressor
            The estimator; it goes on learning here.

        Examples
        --------
        >>> import sgtrees
        >>> from sgtrees.interop.river import SGTRegressor
        >>> loaded = sgtrees.SGTRegressor().partial_fit([[1.0], [2.0]], [3.0, 5.0])
        >>> SGTRegressor.from_estimator(loaded).estimator is loaded
        True
        """
        model = cls(**_shared_parameters(cls, estimator))
        model._estimator = estimator
        return model

    @property
    def estimator(self) -> sgtrees.SGTRegressor:
        """The estimator that does the work, to look into or to save."""
        return self._estimator

    @property
    def _raw_memory_usage(self) -> int:
        return super()._raw_memory_usage + _core_bytes(self._estimator)

    def learn_one(self, x: Event, y: base.typing.RegTarget, w: float = 1.0) -> None:
        """Learn one event; see `sgtrees.SGTRegressor.learn_one`."""
        self._estimator.learn_one(x, y, w)

    def predict_one(self, x: Event) -> base.typing.RegTarget:
        """Predict the target of one event; the neutral one before any has been learned."""
        target: base.typing.RegTarget = self._estimator.predict_one(x)
        return target

    def learn_many(self, X: pd.DataFrame, y: pd.Series) -> None:
        """Learn the rows of a data frame, as `learn_one` would one after the other.

        Columns may come in any order, be absent, or be new.
        """
        self._estimator._learn(X, y, None, by_name=True)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """Predict the targets of the rows of a data frame."""
        estimator = self._estimator
        if not estimator.__sklearn_is_fitted__():
            return pd.Series(estimator._neutral_prediction(), index=X.index)
        targets = estimator._targets(estimator._block_by_name, X)
        if targets.ndim == 1:
            return pd.Series(targets, index=X.index)
        outputs = estimator._known("y").outputs
        return pd.DataFrame(targets, index=X.index, columns=outputs and outputs.names)


def _shared_parameters(model: type, estimator: Any) -> dict[str, Any]:
    own = estimator.get_params(deep=False)
    return {name: own[name] for name in inspect.signature(model).parameters}


def _core_bytes(estimator: sgtrees.SGTClassifier | sgtrees.SGTRegressor) -> int:
    return 0 if estimator._model is None else estimator._model.core.memory_bytes
