"""Ensembles on a Dask cluster, and the estimator that continues with any local one."""

from typing import Any

from distributed import Client

from sgtrees.dask.estimators import DaskSGTClassifier, DaskSGTRegressor
from sgtrees.estimators.boosting import SGTBoostingClassifier, SGTBoostingRegressor
from sgtrees.estimators.forest import SGTForestClassifier, SGTForestRegressor
from sgtrees.parameters.constructors import documented, with_parameters


@documented
@with_parameters
class DaskSGTBoostingClassifier(DaskSGTClassifier, SGTBoostingClassifier):
    """`SGTBoostingClassifier`, trained on a Dask cluster; see `DaskSGTClassifier`.

    Parameters
    ----------
    **parameters
        Those of `SGTBoostingClassifier`, and ``client``, the cluster.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sgtrees.dask import DaskSGTBoostingClassifier
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     X = da.random.default_rng(0).random((4000, 2), chunks=(1000, 2))
    ...     model = DaskSGTBoostingClassifier(n_estimators=3, random_state=0, client=client)
    ...     model = model.fit(X, X[:, 0] > 0.5)
    >>> model.to_local().n_trees_
    3
    """

    _local_class = SGTBoostingClassifier


@documented
@with_parameters
class DaskSGTBoostingRegressor(DaskSGTRegressor, SGTBoostingRegressor):
    """`SGTBoostingRegressor`, trained on a Dask cluster; see `DaskSGTClassifier`.

    Parameters
    ----------
    **parameters
        Those of `SGTBoostingRegressor`, and ``client``, the cluster.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sgtrees.dask import DaskSGTBoostingRegressor
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     X = da.random.default_rng(0).random((4000, 2), chunks=(1000, 2))
    ...     model = DaskSGTBoostingRegressor(n_estimators=3, random_state=0, client=client)
    ...     model = model.fit(X, X[:, 0])
    >>> model.to_local().n_trees_
    3
    """

    _local_class = SGTBoostingRegressor


@documented
@with_parameters
class DaskSGTForestClassifier(DaskSGTClassifier, SGTForestClassifier):
    """`SGTForestClassifier`, trained on a Dask cluster; see `DaskSGTClassifier`.

    Parameters
    ----------
    **parameters
        Those of `SGTForestClassifier`, and ``client``, the cluster.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sgtrees.dask import DaskSGTForestClassifier
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     X = da.random.default_rng(0).random((4000, 2), chunks=(1000, 2))
    ...     model = DaskSGTForestClassifier(n_estimators=3, random_state=0, client=client)
    ...     model = model.fit(X, X[:, 0] > 0.5)
    >>> model.to_local().n_trees_
    3
    """

    _local_class = SGTForestClassifier


@documented
@with_parameters
class DaskSGTForestRegressor(DaskSGTRegressor, SGTForestRegressor):
    """`SGTForestRegressor`, trained on a Dask cluster; see `DaskSGTClassifier`.

    Parameters
    ----------
    **parameters
        Those of `SGTForestRegressor`, and ``client``, the cluster.

    Examples
    --------
    >>> import dask.array as da
    >>> from distributed import Client
    >>> from sgtrees.dask import DaskSGTForestRegressor
    >>> with Client(processes=False, n_workers=1, dashboard_address=":0") as client:
    ...     X = da.random.default_rng(0).random((4000, 2), chunks=(1000, 2))
    ...     model = DaskSGTForestRegressor(n_estimators=3, random_state=0, client=client)
    ...     model = model.fit(X, X[:, 0])
    >>> model.to_local().n_trees_
    3
    """

    _local_class = SGTForestRegressor


_ESTIMATORS: tuple[Any, ...] = (
    DaskSGTBoostingClassifier,
    DaskSGTBoostingRegressor,
    DaskSGTClassifier,
    DaskSGTForestClassifier,
    DaskSGTForestRegressor,
    DaskSGTRegressor,
)


def from_local(estimator: Any, client: Client | None = None) -> Any:
    """Return an estimator that continues the training of a local one on a cluster.

    Parameters
    ----------
    estimator : SGTClassifier, SGTRegressor, or one of their ensembles
        The local one, which does not change.
    client : Client, optional
        The cluster.

    Returns
    -------
    DaskSGTClassifier, DaskSGTRegressor, or one of their ensembles
        The estimator.

    Raises
    ------
    TypeError
        If no estimator of a cluster is of this kind.

    Examples
    --------
    >>> from_local(SGTForestRegressor(n_estimators=10)).n_estimators
    10
    """
    for kind in _ESTIMATORS:
        if kind.is_of(estimator):
            return kind.from_local(estimator, client)
    raise TypeError(f"{type(estimator).__name__} cannot be trained on a cluster")
