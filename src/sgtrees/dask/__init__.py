"""The same trees, trained on a Dask cluster.

`DaskSGTClassifier` and `DaskSGTRegressor` take Dask data frames and arrays, or the names of files
that each worker reads for itself, and give, bit for bit, the model that `SGTClassifier` and
`SGTRegressor` give with the same ``round_rows``: whatever the number of workers, the partitions,
and the workers that died on the way. They need the extra ``dask``.
"""

from sgtrees.dask.estimators import DaskSGTClassifier, DaskSGTRegressor
from sgtrees.dask.telling import RoundReport
from sgtrees.dask.work import PartitionError

__all__ = ["DaskSGTClassifier", "DaskSGTRegressor", "PartitionError", "RoundReport"]
