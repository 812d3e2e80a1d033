"""Readers of streams: Parquet, and the tables of the originals, as numbers alone."""

import zipfile
from collections.abc import Callable, Collection, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pv
import pyarrow.parquet as pq
from numpy.typing import NDArray

from sgtrees_experiments.moa import NumericStream

TARGET = "target"

Floats = NDArray[np.float64]


def code(table: pa.Table, nominal: Collection[str], *, classification: bool) -> NumericStream:
    """Give numbers to categories and classes, in their sorted order.

    Parameters
    ----------
    table : pyarrow.Table
        The features, and the target in the column ``target``.
    nominal : collection of str
        The features that are nominal though they hold numbers; those of strings are so anyway.
    classification : bool
        Whether the target is a class.

    Returns
    -------
    NumericStream
        The same as numbers.

    Examples
    --------
    >>> table = pa.table({"flag": [1, 0], "colour": ["red", "blue"], "target": ["b", "a"]})
    >>> stream = code(table, ["flag"], classification=True)
    >>> stream.X, stream.y, stream.cardinalities, stream.classes
    (array([[1., 1.], [0., 0.]]), array([1., 0.]), [2, 2], 2)
    """
    names = [name for name in table.column_names if name != TARGET]
    columns, cardinalities = [], []
    for name in names:
        column = table[name]
        is_nominal = name in nominal or not _is_number(column)
        values, count = _categories(column) if is_nominal else (_floats(column), 0)
        columns.append(values)
        cardinalities.append(count)
    y, classes = _categories(table[TARGET]) if classification else (_floats(table[TARGET]), 0)
    return NumericStream(np.column_stack(columns), y, cardinalities, classes)


def _is_number(column: pa.ChunkedArray) -> bool:
    kind = column.type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _floats(column: pa.ChunkedArray) -> Floats:
    return np.asarray(column.to_numpy(), dtype=np.float64)


def _categories(column: pa.ChunkedArray) -> tuple[Floats, int]:
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    encoded = pc.dictionary_encode(column.combine_chunks())
    place = np.empty(len(encoded.dictionary))
    place[pc.sort_indices(encoded.dictionary).to_numpy()] = np.arange(len(place))
    return place[encoded.indices.to_numpy()], len(place)


Reader = Callable[[Sequence[Path]], NumericStream]


def parquet(nominal: Collection[str] = (), *, classification: bool) -> Reader:
    """Return a reader of Parquet files, one after the other, with a column ``target``."""

    def read(paths: Sequence[Path]) -> NumericStream:
        tables = [_plain(pq.read_table(path)) for path in paths]
        return code(pa.concat_tables(tables), nominal, classification=classification)

    return read


def text(
    columns: Sequence[str],
    nominal: Collection[str] = (),
    *,
    classification: bool,
    header_rows: int = 0,
) -> Reader:
    """Return a reader of comma-separated tables, one after the other.

    They may be compressed (.gz, .bz2), or the only file in a .zip.

    Parameters
    ----------
    columns : sequence of str
        The names of the columns, ``target`` among them.
    nominal : collection of str
        The nominal features that hold numbers.
    classification : bool
        Whether the target is a class.
    header_rows : int
        Lines before the first row.
    """
    how = pv.ReadOptions(column_names=list(columns), skip_rows=header_rows)

    def read(paths: Sequence[Path]) -> NumericStream:
        tables = [pv.read_csv(_opened(path), read_options=how) for path in paths]
        table = pa.concat_tables(tables, promote_options="permissive")
        return code(table, nominal, classification=classification)

    return read


def _opened(path: Path) -> Any:
    if path.suffix != ".zip":
        # pyarrow goes by the name; some originals are compressed, but their names have no suffix.
        with path.open("rb") as file:
            compressed = file.read(2) == b"\x1f\x8b"
        return pa.CompressedInputStream(pa.OSFile(str(path)), "gzip") if compressed else str(path)
    with zipfile.ZipFile(path) as archive:
        (name,) = archive.namelist()
        return BytesIO(archive.read(name))


def _plain(table: pa.Table) -> pa.Table:
    """Let dictionaries go, which may differ from file to file."""
    fields = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in table.schema
    ]
    return table.cast(pa.schema(fields)).replace_schema_metadata(None)


def target_first(n_features: int, prefix: str = "x") -> list[str]:
    """Name the columns of a table whose target comes first."""
    return [TARGET, *(f"{prefix}{i}" for i in range(n_features))]


def target_last(n_features: int, prefix: str = "x") -> list[str]:
    """Name the columns of a table whose target comes last."""
    return [*(f"{prefix}{i}" for i in range(n_features)), TARGET]
