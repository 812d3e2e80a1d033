"""The partitions of Dask collections and files, which workers read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
from distributed import Client, Future

from sgtrees.dask.partition import prepare, prepare_rows
from sgtrees.dask.row_queue import PendingPartition
from sgtrees.dask.rows import Rows
from sgtrees.streams import Stream, StreamError, open_stream
from sgtrees.streams.files.sources import Source, find_sources

# The number of rows from which the leader infers the columns.
_FIRST_ROWS = 1000
# Options for columns: the leader uses them to infer the columns, which workers then are given.
_COLUMN_OPTIONS = ("nominal", "numeric", "drop", "only")


@dataclass(frozen=True)
class Partitions:
    """Partitions, in order, and their first rows, from which the columns are inferred."""

    first: Rows
    all: Sequence[PendingPartition]

    def __len__(self) -> int:
        return len(self.all)


def partitions_of(
    X: Any,
    y: Any,
    sample_weight: Any,
    client: Client,
    stream_options: Mapping[str, Any] | None = None,
) -> Partitions:
    """Return the partitions of the arguments of ``fit``.

    Parameters
    ----------
    X : dask DataFrame or Array; path, pattern or folder, or a sequence of paths
        The rows, or the files that hold them.
    y : dask Series, DataFrame or Array; str
        The targets, or the name of their column.
    sample_weight : dask Series or Array; str; None
        The weights, or the name of their column.
    client : Client
        The cluster.
    stream_options : mapping, optional
        Further arguments of `sgtrees.streams.open_stream`, if X names files.
    """
    if isinstance(X, str | Path) or (isinstance(X, list | tuple) and _are_paths(X)):
        return _of_files(X, y, sample_weight, client, dict(stream_options or {}))
    if isinstance(X, dd.DataFrame):
        return _of_frames(X, y, sample_weight, client)
    if isinstance(X, da.Array):
        return _of_arrays(X, y, sample_weight, client)
    raise TypeError(
        f"X must be a dask DataFrame or Array, or name files, got {type(X).__name__}; for data in "
        "memory use SGTClassifier or SGTRegressor, or dask.dataframe.from_pandas"
    )


def _are_paths(X: Sequence[Any]) -> bool:
    return len(X) > 0 and all(isinstance(path, str | Path) for path in X)


# --------------------------------------------------------------------------------------------------
# Collections
# --------------------------------------------------------------------------------------------------


def _of_frames(X: Any, y: Any, sample_weight: Any, client: Client) -> Partitions:
    if isinstance(y, str):
        name, y = y, _column(X, y, "y")
        X = X.drop(columns=[name])
    if isinstance(sample_weight, str):
        name, sample_weight = sample_weight, _column(X, sample_weight, "sample_weight")
        X = X.drop(columns=[name])
    return _of_delayed(
        X.to_delayed(), _delayed(y, "y"), _delayed(sample_weight, "sample_weight"), client
    )


def _column(X: Any, name: str, what: str) -> Any:
    if name not in X.columns:
        raise ValueError(f"{what} names the column {name!r}, which X does not have")
    return X[name]


def _of_arrays(X: Any, y: Any, sample_weight: Any, client: Client) -> Partitions:
    if X.ndim != 2:
        raise ValueError(f"X must have rows and columns, got an array of {X.ndim} dimensions")
    return _of_delayed(
        whole_rows(X).to_delayed().ravel().tolist(),
        _delayed(y, "y"),
        _delayed(sample_weight, "sample_weight"),
        client,
    )


def whole_rows(array: Any) -> Any:
    """Return a Dask array whose chunks have all columns."""
    if array.ndim == 2 and array.numblocks[1] > 1:
        return array.rechunk({1: -1})
    return array


def _delayed(collection: Any, what: str) -> list[Any] | None:
    if collection is None:
        return None
    if isinstance(collection, da.Array):
        delayed: list[Any] = whole_rows(collection).to_delayed().ravel().tolist()
        return delayed
    if isinstance(collection, dd.DataFrame | dd.Series):
        return list(collection.to_delayed())
    raise TypeError(
        f"{what} must be a dask collection, or the name of a column of a dask DataFrame, "
        f"got {type(collection).__name__}"
    )


def _of_delayed(X: list[Any], y: Any, weights: Any, client: Client) -> Partitions:
    if y is None:
        raise ValueError("y must be passed, but is None")
    for what, parts in (("y", y), ("sample_weight", weights)):
        if parts is not None and len(parts) != len(X):
            raise ValueError(
                f"X has {len(X)} partitions and {what} {len(parts)}; they must be the same"
            )
    columns = [X, y] + ([] if weights is None else [weights])
    rows = list(zip(*columns, strict=True))

    def pending(place: int) -> PendingPartition:
        name = f"partition {place}"

        def submit(template: Future, _: str) -> Future:
            # The chunk stays where it is, or where Dask computes it.
            task = dask.delayed(prepare_rows)(dask.delayed(template), name, *rows[place])
            future: Future = client.compute(task)
            return future

        return PendingPartition(name, submit)

    return Partitions(_first_rows(rows, client), [pending(place) for place in range(len(rows))])


def _first_rows(rows: list[Any], client: Client) -> Rows:
    for parts in rows:
        first: Rows = client.compute(dask.delayed(_head)(*parts)).result()
        if len(first.X) > 0:
            return first
    raise ValueError("there are no rows: all partitions are empty")


def _head(X: Any, y: Any, weights: Any = None) -> Rows:
    heads = [None if part is None else part[:_FIRST_ROWS] for part in (X, y, weights)]
    return Rows(*heads)


# --------------------------------------------------------------------------------------------------
# Files
# --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class FilePart:
    """A file, or a row group of a Parquet file, and how to read it with `open_stream`."""

    source: Source
    target: str
    weight: str | None
    features: tuple[str, ...]
    nominal: tuple[str, ...]
    numeric: tuple[str, ...]
    file_options: Mapping[str, Any]

    def __call__(self) -> Iterator[Rows]:
        """Yield its rows."""
        stream = open_stream(
            self.source,
            self.target,
            weight=self.weight,
            only=self.features,
            nominal=self.nominal,
            numeric=self.numeric,
            **self.file_options,
        )
        return (Rows(block.X, block.y, block.weights) for block in stream)


def _of_files(
    paths: Any, target: Any, weight: Any, client: Client, stream_options: dict[str, Any]
) -> Partitions:
    if not isinstance(target, str) or not isinstance(weight, str | None):
        raise TypeError("if X names files, y and sample_weight must be names of columns")
    sources = find_sources(paths, stream_options.pop("file_format", None))
    if any(source.is_standard_input for source in sources):
        raise ValueError("workers cannot read standard input; name files")
    stream = open_stream(sources[0], target, weight=weight, **stream_options)
    files = {name: v for name, v in stream_options.items() if name not in _COLUMN_OPTIONS}
    first = _first_of(sources, stream, target, weight, files)
    nominal = tuple(column.name for column in stream.columns if column.nominal)
    numeric = tuple(column.name for column in stream.columns if not column.nominal)
    names = tuple(column.name for column in stream.columns)
    parts = [
        FilePart(part, target, weight, names, nominal, numeric, files)
        for source in sources
        for part in _parts_of(source)
    ]

    def pending(part: FilePart) -> PendingPartition:
        def submit(template: Future, worker: str) -> Future:
            return client.submit(
                prepare,
                template,
                part,
                part.source.name,
                pure=False,
                workers=[worker] if worker else None,
                allow_other_workers=bool(worker),
            )

        return PendingPartition(part.source.name, submit)

    return Partitions(first, [pending(part) for part in parts])


def _first_of(
    sources: Sequence[Source],
    stream: Stream,
    target: str,
    weight: str | None,
    files: Mapping[str, Any],
) -> Rows:
    for block in stream:
        if len(block) > 0:
            return Rows(block.X, block.y, block.weights)
    for source in sources[1:]:
        for block in open_stream(source, target, weight=weight, **files):
            if len(block) > 0:
                return Rows(block.X, block.y, block.weights)
    raise StreamError("there are no rows")


def _parts_of(source: Source) -> list[Source]:
    if source.format != "parquet":
        return [source]
    import pyarrow.parquet as pa_parquet  # noqa: PLC0415 - an extra

    groups = range(pa_parquet.read_metadata(source.path).num_row_groups)
    return [replace(source, row_group=group) for group in groups]
