"""Stochastic gradient trees as river estimators (needs the extra ``river``)."""

from collections.abc import Iterable
from typing import Any, ClassVar, Generic, Self, TypeVar

import pandas as pd
from river import base

import sgtrees
from sgtrees.inspection import Drawing, draw
from sgtrees.models.drift_event import DriftEvent
from sgtrees.parameters.constructors import documented, parameters_of, with_parameters
from sgtrees.parameters.table.ensembles import (
    StreamBoostingClassifierParameters,
    StreamBoostingRegressorParameters,
    StreamForestClassifierParameters,
    StreamForestRegressorParameters,
)
from sgtrees.parameters.table.targets import StreamClassifierParameters, StreamRegressorParameters

Event = dict[base.typing.FeatureName, Any]
Wrapped = TypeVar("Wrapped", sgtrees.SGTClassifier, sgtrees.SGTRegressor)


def _in_order(names: Iterable[Any]) -> list[Any]:
    """Return the names of the first features sorted.

    The order in which a dictionary holds them means nothing to river; but of equal splits the one
    on the first feature is made.
    """
    return sorted(names, key=str)


class _RiverEstimator(base.Estimator, Generic[Wrapped]):
    """What all estimators share."""

    _wrapped_class: ClassVar[Any]
    _estimator: Wrapped

    def __post_init__(self) -> None:
        self._estimator = self._wrapped_class(**self._get_params())

    @classmethod
    def from_estimator(cls, estimator: Wrapped) -> Self:
        """Wrap an estimator for river, a loaded one for example.

        Parameters
        ----------
        estimator : sgtrees.SGTClassifier or sgtrees.SGTRegressor
            The estimator; it continues to learn here.

        Examples
        --------
        >>> import sgtrees
        >>> from sgtrees.interop.river import SGTRegressor
        >>> loaded = sgtrees.SGTRegressor().partial_fit([[1.0], [2.0]], [3.0, 5.0])
        >>> SGTRegressor.from_estimator(loaded).estimator is loaded
        True
        """
        own = estimator.get_params(deep=False)
        model = cls(**{name: own[name] for name in parameters_of(cls)})
        model._estimator = estimator
        return model

    @property
    def estimator(self) -> Wrapped:
        """The wrapped estimator, to inspect or to save."""
        return self._estimator

    @property
    def _is_fitted(self) -> bool:
        return self._estimator.__sklearn_is_fitted__()

    @property
    def _raw_memory_usage(self) -> int:
        learned = self._estimator.memory_bytes_ if self._is_fitted else 0
        return int(super()._raw_memory_usage + learned)

    # ---- what river's own trees have --------------------------------------------------------

    def draw(self, max_depth: int | None = None) -> Drawing:
        """Draw the trees, as those of river do; Graphviz is not needed.

        Parameters
        ----------
        max_depth : int, optional
            The depth of the deepest nodes.

        Returns
        -------
        Drawing
            The drawing, which notebooks show; ``save`` writes it, ``source`` is DOT.
        """
        return draw(self._estimator, max_depth=max_depth)

    @property
    def summary(self) -> dict[str, int]:
        """The size of the trees, and what happened to them; all 0 before the first event."""
        counts = {
            "n_trees": "n_trees_",
            "n_nodes": "n_nodes_",
            "n_leaves": "n_leaves_",
            "height": "depth_",
            "n_samples_seen": "n_samples_seen_",
            "n_updates": "n_updates_",
            "n_splits": "n_splits_",
            "memory_bytes": "memory_bytes_",
        }
        found = {name: getattr(self._estimator, own, 0) for name, own in counts.items()}
        found["n_branches"] = found["n_nodes"] - found["n_leaves"]
        found["n_drifts_detected"] = self.n_drifts_detected()
        found["n_replacements"] = self._count("replaced")
        return found

    @property
    def drifts(self) -> list[DriftEvent]:
        """What happened because errors rose, in order: alarms and replacements of trees."""
        events: list[DriftEvent] = getattr(self._estimator, "drifts_", [])
        return events

    def n_drifts_detected(self, tree_id: int | None = None) -> int:
        """Count the drifts, as river's forests do.

        Parameters
        ----------
        tree_id : int, optional
            The member of an ensemble; all of them by default.
        """
        return self._count("alarm", tree_id)

    def _count(self, kind: str, member: int | None = None) -> int:
        return sum(event.kind == kind and member in (None, event.member) for event in self.drifts)

    # ---- events and rows --------------------------------------------------------------------

    def learn_one(self, x: Event, y: Any, w: float = 1.0) -> None:
        """Learn one event; see `sgtrees.SGTClassifier.learn_one`."""
        if not self._is_fitted:
            x = {name: x[name] for name in _in_order(x)}
        self._estimator.learn_one(x, y, w)

    def predict_one(self, x: Event, **kwargs: Any) -> Any:
        """Predict one event; before any has been learned None, or a raw score of 0."""
        return self._estimator.predict_one(x, **kwargs)

    def learn_many(self, X: pd.DataFrame, y: pd.Series) -> None:
        """Learn the rows of a data frame, as `learn_one` would one after the other.

        Columns may come in any order, be absent, or be new.
        """
        if not self._is_fitted:
            X = X[_in_order(X)]
        self._estimator.learn_many(X, y)

    def predict_many(self, X: pd.DataFrame) -> pd.Series:
        """Predict the rows of a data frame."""
        estimator = self._estimator
        if not self._is_fitted:
            return pd.Series([estimator.predict_one({})] * len(X), index=X.index)
        predictions = estimator.predict_many(X)
        if predictions.ndim == 1:
            return pd.Series(predictions, index=X.index)
        return pd.DataFrame(predictions, index=X.index, columns=self._output_names)

    @property
    def _output_names(self) -> Any:
        raise NotImplementedError


@documented
@with_parameters
class SGTClassifier(
    StreamClassifierParameters, _RiverEstimator[sgtrees.SGTClassifier], base.MiniBatchClassifier
):
    """Stochastic gradient trees for classification, as a river estimator.

    Parameters
    ----------
    **parameters
        Those of `sgtrees.SGTClassifier` that learning event by event needs.

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

    _wrapped_class = sgtrees.SGTClassifier

    @property
    def _multiclass(self) -> bool:
        return bool(self._estimator.__sklearn_tags__().classifier_tags.multi_class)

    @property
    def _output_names(self) -> Any:
        return self._estimator.classes_

    def predict_proba_one(self, x: Event, **kwargs: Any) -> dict[base.typing.ClfTarget, float]:
        """Predict the probability of each label for one event."""
        return self._estimator.predict_proba_one(x, **kwargs)

    def predict_proba_many(self, X: pd.DataFrame) -> pd.DataFrame:
        """Predict the probability of each label for the rows of a data frame."""
        if not self._is_fitted:
            return pd.DataFrame(index=X.index)
        probabilities = self._estimator.predict_proba_many(X)
        return pd.DataFrame(probabilities, index=X.index, columns=self._estimator.classes_)


@documented
@with_parameters
class SGTRegressor(
    StreamRegressorParameters, _RiverEstimator[sgtrees.SGTRegressor], base.MiniBatchRegressor
):
    """A stochastic gradient tree for regression, as a river estimator.

    Parameters
    ----------
    **parameters
        Those of `sgtrees.SGTRegressor` that learning event by event needs.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> from sgtrees.interop.river import SGTRegressor
    >>> model = preprocessing.StandardScaler() | SGTRegressor(warm_up=100, grace_period=50)
    >>> metric = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    >>> metric.get() < 3
    True
    """

    _wrapped_class = sgtrees.SGTRegressor

    @property
    def _output_names(self) -> Any:
        return getattr(self._estimator, "target_names_", None)


@documented
@with_parameters
class SGTBoostingClassifier(StreamBoostingClassifierParameters, SGTClassifier):
    """Gradient boosting of stochastic gradient trees for classification, as a river estimator.

    Parameters
    ----------
    **parameters
        Those of `sgtrees.SGTBoostingClassifier` that learning event by event needs.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from sgtrees.interop.river import SGTBoostingClassifier
    >>> model = SGTBoostingClassifier(n_estimators=10, warm_up=100, random_state=0)
    >>> metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    >>> metric.get() > 0.8
    True
    """

    _wrapped_class = sgtrees.SGTBoostingClassifier


@documented
@with_parameters
class SGTForestClassifier(StreamForestClassifierParameters, SGTClassifier):
    """A forest of stochastic gradient trees for classification, as a river estimator.

    Parameters
    ----------
    **parameters
        Those of `sgtrees.SGTForestClassifier` that learning event by event needs.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from sgtrees.interop.river import SGTForestClassifier
    >>> model = SGTForestClassifier(n_estimators=10, warm_up=100, random_state=0)
    >>> metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    >>> metric.get() > 0.8
    True
    """

    _wrapped_class = sgtrees.SGTForestClassifier


@documented
@with_parameters
class SGTBoostingRegressor(StreamBoostingRegressorParameters, SGTRegressor):
    """Gradient boosting of stochastic gradient trees for regression, as a river estimator.

    Parameters
    ----------
    **parameters
        Those of `sgtrees.SGTBoostingRegressor` that learning event by event needs.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from sgtrees.interop.river import SGTBoostingRegressor
    >>> model = SGTBoostingRegressor(n_estimators=10, warm_up=100, random_state=0)
    >>> metric = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    >>> metric.get() < 3
    True
    """

    _wrapped_class = sgtrees.SGTBoostingRegressor


@documented
@with_parameters
class SGTForestRegressor(StreamForestRegressorParameters, SGTRegressor):
    """A forest of stochastic gradient trees for regression, as a river estimator.

    Parameters
    ----------
    **parameters
        Those of `sgtrees.SGTForestRegressor` that learning event by event needs.

    Examples
    --------
    >>> from river import datasets, evaluate, metrics
    >>> from sgtrees.interop.river import SGTForestRegressor
    >>> model = SGTForestRegressor(n_estimators=10, warm_up=100, random_state=0)
    >>> metric = evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE())
    >>> metric.get() < 3
    True
    """

    _wrapped_class = sgtrees.SGTForestRegressor
