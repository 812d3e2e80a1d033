"""Readers of the files in which streams come: Parquet, and the originals' own tables."""

import zipfile
from collections.abc import Callable, Collection, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pv
import pyarrow.parquet as pq

from sgtrees_experiments.datasets.coding import TARGET, code
from sgtrees_experiments.moa import NumericStream

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
        # pyarrow goes by the name; some originals are compressed without saying so.
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
