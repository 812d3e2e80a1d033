"""The estimators: scikit-learn's interface to a training on a Dask cluster."""

import pickle
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self, TypeVar

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
from distributed import Client, get_client
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sgtrees.dask.errors import PartitionError
from sgtrees.dask.leader import Leader
from sgtrees.dask.partitions import partitions_of, whole_rows
from sgtrees.dask.progress import Callback, print_round
from sgtrees.dask.template import Estimator, Template
from sgtrees.estimators.base import StreamEstimator
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.parameters.constructors import changed, documented, parameter, with_parameters
from sgtrees.persistence.document import Fields
from sgtrees.persistence.losses import is_own
from sgtrees.version import VERSION

AnyEstimator = TypeVar("AnyEstimator", bound=StreamEstimator[Any])


@with_parameters
class DaskParameters:
    """The parameters that differ from those of the local estimators."""

    client: Client | None = parameter(
        default=None, shown_type="Client", help="The cluster; by default the current client."
    )
    round_rows: int | Literal["auto"] = changed(
        default="auto",
        text="In a round all workers gather statistics for the same trees.",
    )
    epochs: int | Literal["auto"] = changed(
        default="auto", text='1 or "auto": there is one pass over the partitions.'
    )


class _OnDask(DaskParameters, StreamEstimator[Any]):
    """The base of both estimators: the cluster learns and predicts."""

    _local_class: ClassVar[type[Any]]

    def __getstate__(self) -> dict[str, Any]:
        # A client belongs to its process.
        return super().__getstate__() | {"client": None}

    # ---- from and to local estimators -----------------------------------------------------------

    def to_local(self) -> Any:
        """Return a local estimator with a copy of the model.

        Returns
        -------
        SGTClassifier or SGTRegressor
            The estimator.
        """
        return _with_model(self._local_class(**self._local_parameters()), self)

    @classmethod
    def from_local(cls, estimator: Estimator, client: Client | None = None) -> Self:
        """Return an estimator that continues the training of a local one on a cluster.

        Parameters
        ----------
        estimator : SGTClassifier or SGTRegressor
            The local one, which does not change. Its ``round_rows`` is kept: with 1, the leader
            learns alone.
        client : Client, optional
            The cluster.
        """
        if not cls.is_of(estimator):
            raise TypeError(
                f"{cls.__name__} continues with {cls._local_class.__name__}, "
                f"got {type(estimator).__name__}"
            )
        return _with_model(cls(client=client, **estimator.get_params(deep=False)), estimator)

    @classmethod
    def is_of(cls, estimator: Any) -> bool:
        """Return whether a local estimator is of the kind that this one trains."""
        return type(estimator) is cls._local_class

    def _predictor(self) -> Any:
        """Return a local estimator that can only predict."""
        model = self.model_
        document, state = model.saved(inference_only=True)
        local = self._local_class(**self._local_parameters())
        own_loss = model.loss if is_own(model.loss) else None
        fields = Fields(document, "model")
        fields.text("kind", [model.kind])
        local.model_ = type(model).restored(fields, state, own_loss)
        return local

    def _local_parameters(self) -> dict[str, Any]:
        return {k: v for k, v in self.get_params(deep=False).items() if k != "client"}

    def save(self, path: Any, **options: Any) -> Any:
        """Save the local estimator; see `SGTClassifier.save`."""
        return self.to_local().save(path, **options)

    # ---- learning -------------------------------------------------------------------------------

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        callback: Callback | None = None,
        stream_options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Learn from scratch, in one pass, in the order of the partitions.

        Parameters
        ----------
        X : dask DataFrame or Array; path, pattern, folder or list of paths
            The rows. Files (Parquet, CSV and all others that `sgtrees.streams` reads) are read by
            the workers, a row group or file at a time.
        y : dask Series, DataFrame or Array; str
            Their labels or targets, with the partitions of X; or the name of their column.
        sample_weight : dask Series or Array; str; optional
            Their weights, or the name of their column.
        callback : callable, optional
            Called with a `RoundReport` after each round.
        stream_options : mapping, optional
            Further arguments of `sgtrees.streams.open_stream`, if X names files.

        Returns
        -------
        estimator
            The estimator itself. If an error occurs, it has the model of the last complete round.
        """
        if self.epochs not in ("auto", 1):
            raise ValueError(
                f"epochs == {self.epochs!r}, must be 'auto' or 1: Dask makes one pass."
            )
        if self.n_iter_no_change is not None:
            raise ValueError(
                f"n_iter_no_change == {self.n_iter_no_change!r}, must be None: Dask makes one pass."
            )
        self._train(X, y, sample_weight, callback, stream_options, from_scratch=True)
        return self

    def _train(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        callback: Callback | None,
        stream_options: Mapping[str, Any] | None,
        *,
        from_scratch: bool,
    ) -> None:
        client = self._client()
        check_versions(client)
        partitions = partitions_of(X, y, sample_weight, client, stream_options)
        local = self._local_class(**self._local_parameters())
        _check_class_weight(local)
        if not from_scratch:
            _with_model(local, self)
        if not hasattr(local, "model_"):
            first = partitions.first
            local.model_ = local.prepare(first.X, first.y, first.weights).model
            self.model_ = local.model_
        local.model_.require_learning()
        callback = callback or (print_round if self.verbose else None)
        measures = callback is not None
        leader = Leader(client, local.model_, Template.of(local), callback, measures=measures)
        try:
            leader.learn(partitions.all, n_partitions=len(partitions), ends=from_scratch)
        finally:
            # Also after an error: the model of the last complete round is kept.
            self.model_ = local.model_

    def _client(self) -> Client:
        if self.client is not None:
            return self.client
        try:
            return get_client()
        except ValueError:
            raise ValueError(
                "there is no Dask client: make one, distributed.Client('tcp://scheduler:8786') or "
                "distributed.Client() for this machine alone, or pass client="
            ) from None

    # ---- predicting -----------------------------------------------------------------------------

    def _predict_on_cluster(self, X: Any, method: str, dtype: Any, columns: int | None) -> Any:
        check_is_fitted(self)
        model = dask.delayed(self._predictor())
        if isinstance(X, dd.DataFrame):
            parts = X.to_delayed()
            rows = [np.nan] * len(parts)
        elif isinstance(X, da.Array):
            parts = whole_rows(X).to_delayed().ravel()
            rows = X.chunks[0]
        else:
            return getattr(self.to_local(), method)(X)
        of_row = () if columns is None else (columns,)
        predict = dask.delayed(_predictions)
        return da.concatenate(
            [
                da.from_delayed(
                    predict(model, method, (0, *of_row), dtype, part), (n, *of_row), dtype=dtype
                )
                for part, n in zip(parts, rows, strict=True)
            ]
        )


@documented
@with_parameters
class DaskSGTClassifier(_OnDask, SGTClassifier):
    """`SGTClassifier`, trained on a Dask cluster.

    Parameters
    ----------
    **parameters
        Those of `SGTClassifier`, and ``client``, the cluster.

    Notes
    -----
    With ``epochs=1`` and the same ``round_rows``, `SGTClassifier` learns the same model from the
    same rows, bit for bit.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sgtrees.dask import DaskSGTClassifier
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     X = da.random.default_rng(0).random((4000, 2), chunks=(1000, 2))
    ...     model = DaskSGTClassifier(client=client).fit(X, X[:, 0] > 0.5)
    ...     predicted = model.predict(X).compute()
    >>> bool((predicted == (X[:, 0].compute() > 0.5)).mean() > 0.95)
    True
    """

    _local_class = SGTClassifier

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,  # noqa: ARG002 - for scikit-learn's interface
        sample_weight: Any = None,
        callback: Callback | None = None,
        stream_options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Learn more rows; see `fit`. ``classes`` is unused, as labels may come at any time."""
        self._train(X, y, sample_weight, callback, stream_options, from_scratch=False)
        return self

    def predict(self, X: Any) -> Any:
        """Predict labels: a Dask array, which is computed lazily.

        The predictions of X in memory are an array in memory.
        """
        check_is_fitted(self)
        columns = None if self.model_.outputs is None else len(self.classes_)
        return self._predict_on_cluster(X, "predict", self.classes_.dtype, columns)

    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities, in the order of ``classes_``: a Dask array."""
        check_is_fitted(self)
        return self._predict_on_cluster(X, "predict_proba", np.float64, len(self.classes_))


@documented
@with_parameters
class DaskSGTRegressor(_OnDask, SGTRegressor):
    """`SGTRegressor`, trained on a Dask cluster.

    Parameters
    ----------
    **parameters
        Those of `SGTRegressor`, and ``client``, the cluster.

    Notes
    -----
    The model is that of `SGTRegressor`, bit for bit; see `DaskSGTClassifier`.

    Examples
    --------
    >>> import dask.dataframe as dd
    >>> import pandas as pd
    >>> from distributed import Client
    >>> from sgtrees.dask import DaskSGTRegressor
    >>> frame = pd.DataFrame({"x": [n % 100 / 100 for n in range(4000)]})
    >>> frame["y"] = 10.0 * (frame["x"] > 0.5)
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     rows = dd.from_pandas(frame, npartitions=4)
    ...     model = DaskSGTRegressor(client=client).fit(rows, "y")
    >>> model.to_local().predict(pd.DataFrame({"x": [0.2, 0.8]})).round()
    array([ 0., 10.])
    """

    _local_class = SGTRegressor

    def partial_fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        callback: Callback | None = None,
        stream_options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Learn more rows; see `fit`."""
        self._train(X, y, sample_weight, callback, stream_options, from_scratch=False)
        return self

    def predict(self, X: Any) -> Any:
        """Predict targets: a Dask array, which is computed lazily."""
        check_is_fitted(self)
        model = self.model_
        columns = None if model.outputs is None else model.n_outputs
        return self._predict_on_cluster(X, "predict", np.float64, columns)


def check_versions(client: Client) -> None:
    """Raise if a worker has no sgtrees or another version of it, and name the worker."""
    found = client.get_versions(check=False, packages=["sgtrees"])
    for worker, versions in found["workers"].items():
        version = versions["packages"].get("sgtrees")
        if version != VERSION:
            has = f"has sgtrees {version}" if version else "does not have sgtrees"
            raise PartitionError(
                f"worker {worker} {has}, and the client has {VERSION}; install the same "
                "version everywhere, as it was installed here"
            )


def _check_class_weight(estimator: Any) -> None:
    given = getattr(estimator, "class_weight", None)
    if isinstance(given, str):
        raise ValueError(
            f"class_weight == {given!r} follows from the order of all rows, which workers do not "
            "know; give a dictionary of weights (sklearn.utils.class_weight.compute_class_weight "
            "makes one)."
        )


def _with_model(estimator: AnyEstimator, other: StreamEstimator[Any]) -> AnyEstimator:
    """Give an estimator a copy of another one's model, if that one has learned anything."""
    model = getattr(other, "model_", None)
    if model is not None:
        estimator.model_ = pickle.loads(pickle.dumps(model))
    return estimator


def _predictions(
    model: Estimator, method: str, shape: tuple[int, ...], dtype: Any, X: Any
) -> NDArray[Any]:
    if len(X) == 0:
        return np.empty(shape, dtype)
    result: NDArray[Any] = getattr(model, method)(X)
    return result
