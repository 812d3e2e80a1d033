"""The estimators, in scikit-learn's and Dask's clothes."""

import pickle
import sys
from collections.abc import Callable, Mapping
from math import isnan
from typing import Any, ClassVar, Literal, Self, TypeVar

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
from distributed import Client, get_client
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from sgtrees.dask.leader import Leader
from sgtrees.dask.partitions import Partitions, partitions_of, whole_rows
from sgtrees.dask.telling import RoundReport
from sgtrees.dask.work import Estimator, PartitionError, Rows, Template
from sgtrees.estimators.base import StreamEstimator
from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.parameters.constructors import changed, documented, parameter, with_parameters
from sgtrees.persistence.document import Fields
from sgtrees.persistence.losses import is_own
from sgtrees.version import VERSION

AnyEstimator = TypeVar("AnyEstimator", SGTClassifier, SGTRegressor)
Callback = Callable[[RoundReport], None]


@with_parameters
class DaskParameters:
    """What is different in the parameters of estimators on a cluster."""

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
    """What both estimators share: the cluster learns and predicts."""

    _local_class: ClassVar[type[Any]]

    def __getstate__(self) -> dict[str, Any]:
        # A client belongs to its process.
        return super().__getstate__() | {"client": None}

    # ---- from and to ordinary estimators --------------------------------------------------------

    def to_local(self) -> Any:
        """Return the ordinary estimator, with a copy of what has been learned.

        Returns
        -------
        SGTClassifier or SGTRegressor
            The estimator.
        """
        local = self._local_class(**self._local_parameters())
        local._model = pickle.loads(pickle.dumps(self._model))
        return local

    @classmethod
    def from_local(cls, estimator: Estimator, client: Client | None = None) -> Self:
        """Return an estimator that goes on on a cluster with what an ordinary one has learned.

        Parameters
        ----------
        estimator : SGTClassifier or SGTRegressor
            The ordinary one; it stays as it is. Its ``round_rows`` is kept: with 1, the leader
            learns alone.
        client : Client, optional
            The cluster.
        """
        if type(estimator) is not cls._local_class:
            raise TypeError(
                f"{cls.__name__} goes on with {cls._local_class.__name__}, "
                f"got {type(estimator).__name__}"
            )
        this = cls(client=client, **estimator.get_params(deep=False))
        this._model = pickle.loads(pickle.dumps(estimator._model))
        return this

    def _predictor(self) -> Any:
        """Return the ordinary estimator without what only learning needs."""
        model = self._known("predict")
        document, state = model.saved(inference_only=True)
        local = self._local_class(**self._local_parameters())
        own_loss = model.loss if is_own(model.loss) else None
        fields = Fields(document, "model")
        fields.text("kind", [model.kind])
        local._model = type(model).restored(fields, state, own_loss)
        return local

    def _local_parameters(self) -> dict[str, Any]:
        return {k: v for k, v in self.get_params(deep=False).items() if k != "client"}

    def save(self, path: Any, **options: Any) -> Any:
        """Save the ordinary estimator; see `SGTClassifier.save`."""
        return self.to_local().save(path, **options)

    # ---- learning -------------------------------------------------------------------------------

    def _learn_on_cluster(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        *,
        anew: bool,
        callback: Callback | None,
        stream_options: Mapping[str, Any] | None,
        measures: bool = True,
    ) -> None:
        client = self._client()
        check_versions(client)
        partitions = partitions_of(X, y, sample_weight, client, stream_options)
        if anew and self.epochs not in ("auto", 1):
            raise ValueError(
                f"epochs == {self.epochs!r}, must be 'auto' or 1: Dask makes one pass."
            )
        local = self.to_local()
        if anew or local._model is None:
            local._model = None
            _know_columns(local, partitions)
            self._model = local._model
        local._model.require_learning()
        callback = callback or self._teller()
        leader = Leader(
            client, local, _template(local), callback, measures=measures and callback is not None
        )
        try:
            leader.learn(partitions.all, n_partitions=len(partitions), ends=anew)
        finally:
            # Whatever went wrong: what the last complete round has made of the model stays.
            self._model = local._model

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

    def _teller(self) -> Callback | None:
        return _tell if self.verbose else None

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
            Their labels, cut as X is; or the name of the column that holds them.
        sample_weight : dask Series or Array; str; optional
            Their weights, or the name of their column.
        callback : callable, optional
            Called with a `RoundReport` after each round.
        stream_options : mapping, optional
            Further arguments of `sgtrees.streams.open_stream`, where X names files.

        Returns
        -------
        DaskSGTClassifier
            The estimator itself. Where something goes wrong on the way it holds what it had learned
            at the end of the last complete round.
        """
        self._learn_on_cluster(
            X, y, sample_weight, anew=True, callback=callback, stream_options=stream_options
        )
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        classes: Any = None,
        sample_weight: Any = None,
        callback: Callback | None = None,
        stream_options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Learn more rows; see `fit`. ``classes`` is there for scikit-learn's sake, and unused."""
        del classes
        self._learn_on_cluster(
            X, y, sample_weight, anew=False, callback=callback, stream_options=stream_options
        )
        return self

    def predict(self, X: Any) -> Any:
        """Predict labels: a dask array, which is computed when it is asked for.

        X in memory gives an array in memory.
        """
        check_is_fitted(self)
        columns = None if self.model_.outputs is None else len(self.classes_)
        return self._predict_on_cluster(X, "predict", self.classes_.dtype, columns)

    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities, in the order of ``classes_``: a dask array."""
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
    With ``epochs=1`` and the same ``round_rows``, `SGTRegressor` learns the same model from the
    same rows, bit for bit.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sgtrees.dask import DaskSGTRegressor
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     X = da.random.default_rng(0).random((4000, 2), chunks=(1000, 2))
    ...     model = DaskSGTRegressor(client=client).fit(X, 10.0 * (X[:, 0] > 0.5))
    >>> model.to_local().predict([[0.2, 0.0], [0.8, 0.0]]).round()
    array([ 0., 10.])
    """

    _local_class = SGTRegressor

    def fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        callback: Callback | None = None,
        stream_options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Learn from scratch, in one pass; see `DaskSGTClassifier.fit`."""
        self._learn_on_cluster(
            X, y, sample_weight, anew=True, callback=callback, stream_options=stream_options
        )
        return self

    def partial_fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        callback: Callback | None = None,
        stream_options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Learn more rows; see `fit`."""
        self._learn_on_cluster(
            X, y, sample_weight, anew=False, callback=callback, stream_options=stream_options
        )
        return self

    def predict(self, X: Any) -> Any:
        """Predict targets: a dask array, which is computed when it is asked for."""
        check_is_fitted(self)
        model = self._known("predict")
        columns = None if model.outputs is None else model.n_outputs
        return self._predict_on_cluster(X, "predict", np.float64, columns)


def check_versions(client: Client) -> None:
    """Refuse workers without the library, or with another version of it, naming the first."""
    found = client.get_versions(check=False, packages=["sgtrees"])
    for worker, versions in found["workers"].items():
        version = versions["packages"].get("sgtrees")
        if version != VERSION:
            has = f"has sgtrees {version}" if version else "does not have sgtrees"
            raise PartitionError(
                f"worker {worker} {has}, and the client has {VERSION}; install the same "
                "version everywhere: pip install 'sgtrees[dask]'"
            )


def _know_columns(local: Any, partitions: Partitions) -> None:
    """Give an estimator a model that knows its columns, and nothing else."""
    first: Rows = partitions.first
    local.model_ = local.prepare(first.X, first.y, first.weights).model


def _template(local: Any) -> Template:
    """Return an estimator with the same columns that has learned nothing."""
    empty = type(local)(**local.get_params(deep=False))
    empty._model = local._model.without_rows()
    return Template(pickle.dumps(empty))


def _predictions(
    model: Estimator, method: str, shape: tuple[int, ...], dtype: Any, X: Any
) -> NDArray[Any]:
    if len(X) == 0:
        return np.empty(shape, dtype)
    result: NDArray[Any] = getattr(model, method)(X)
    return result


def _tell(report: RoundReport) -> None:
    error = "" if isnan(report.error) else f", error {report.error:.4g}"
    sys.stdout.write(
        f"[sgtrees.dask] round {report.number}: {report.rows:,} rows, {report.leaves:,} leaves, "
        f"{report.workers} workers{error}\n"
    )
