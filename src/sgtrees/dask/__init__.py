"""Estimators that are trained on a Dask cluster.

`DaskSGTClassifier` and `DaskSGTRegressor` take Dask data frames and arrays, or the names of files
that workers read, and train, bit for bit, the model that `SGTClassifier` and `SGTRegressor` train
with the same ``round_rows``, whatever the number of workers and partitions, and also if workers
are lost; and so do those of ensembles. They need the extra ``dask``.
"""

from sgtrees.extras import install_command

try:
    from sgtrees.dask.ensembles import (
        DaskSGTBoostingClassifier,
        DaskSGTBoostingRegressor,
        DaskSGTForestClassifier,
        DaskSGTForestRegressor,
        from_local,
    )
    from sgtrees.dask.errors import PartitionError
    from sgtrees.dask.estimators import DaskSGTClassifier, DaskSGTRegressor
    from sgtrees.dask.progress import RoundReport
except ModuleNotFoundError as error:
    if (error.name or "").startswith("sgtrees"):
        raise
    message = f"sgtrees.dask needs {error.name}: {install_command('dask')}"
    raise ModuleNotFoundError(message, name=error.name) from error

__all__ = [
    "DaskSGTBoostingClassifier",
    "DaskSGTBoostingRegressor",
    "DaskSGTClassifier",
    "DaskSGTForestClassifier",
    "DaskSGTForestRegressor",
    "DaskSGTRegressor",
    "PartitionError",
    "RoundReport",
    "from_local",
]
