"""Streams of blocks in memory: arrays, data frames, and iterables of blocks."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from sgtrees.data.tables import is_frame
from sgtrees.streams.block import Block, Column
from sgtrees.streams.columns import ColumnKind, ColumnOptions, SourceColumn, plan_columns
from sgtrees.streams.errors import StreamError
from sgtrees.streams.stream import Stream

_ROWS_PER_BLOCK = 1 << 16
_TEXT_TYPES = (nw.String, nw.Categorical, nw.Enum)


class BlockStream(Stream):
    """The blocks of an iterable, as they are; see `sgtrees.streams.open_stream`.

    Parameters
    ----------
    blocks : iterable of Block, or of (X, y)
        The blocks.
    columns : sequence of Column
        The features, as the first block has them.
    target : Column or None
        The column to predict.
    """

    def __init__(
        self, blocks: Iterable[Any], columns: Sequence[Column], target: Column | None
    ) -> None:
        self._blocks = blocks
        self._columns = tuple(columns)
        self._target = target

    @property
    def columns(self) -> tuple[Column, ...]:
        """The features, in their order."""
        return self._columns

    @property
    def target(self) -> Column | None:
        """The column to predict; None if the stream has none."""
        return self._target

    def __iter__(self) -> Iterator[Block]:
        for block in self._blocks:
            yield block if isinstance(block, Block) else Block(*block)


class MemoryStream(BlockStream):
    """The rows of an array or a data frame; see `sgtrees.streams.open_stream`.

    Parameters
    ----------
    whole : Block
        All rows.
    columns, target
        See `BlockStream`.
    """

    def __init__(self, whole: Block, columns: Sequence[Column], target: Column | None) -> None:
        super().__init__([whole], columns, target)
        self.whole = whole
        self._read_rows = 0

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.whole)

    @property
    def progress(self) -> float | None:
        """The fraction of the rows that the latest iteration has yielded."""
        return self._read_rows / max(len(self.whole), 1)

    def __iter__(self) -> Iterator[Block]:
        for start in range(0, len(self.whole), _ROWS_PER_BLOCK):
            self._read_rows = min(start + _ROWS_PER_BLOCK, len(self.whole))
            yield self.whole.slice(start, self._read_rows)


def stream_of_frame(frame: Any, y: Any, options: ColumnOptions) -> MemoryStream:
    """Make a stream of a data frame; the target is one of its columns, or is given separately."""
    wrapped = nw.from_native(frame, eager_only=True)
    sources = {str(name): _source_column(dtype) for name, dtype in wrapped.schema.items()}
    plan = plan_columns(sources, options, "the data frame")
    columns = [plan.column(name) for name in plan.features]
    features = wrapped.select(
        *[_cast(name, sources[name].kind, plan.kinds[name]) for name in plan.features]
    )
    weights = None if plan.weight is None else wrapped[plan.weight].to_numpy().astype(np.float64)
    if plan.target is None:
        target = None if y is None else Column("y", _is_nominal_target(y))
        return MemoryStream(Block(features.to_native(), y, weights), columns, target)
    if y is not None:
        raise StreamError("give y or the name of the target column, not both")
    target = plan.column(plan.target)
    series = wrapped[plan.target]
    values = series.to_native() if target.nominal else series.to_numpy()
    return MemoryStream(Block(features.to_native(), values, weights), columns, target)


def stream_of_array(X: Any, y: Any, options: ColumnOptions) -> MemoryStream:
    """Make a stream of an array, whose columns are named x0, x1, x2, ..."""
    array = np.asarray(X)
    if array.ndim != 2:
        raise StreamError(f"X must be two-dimensional, got shape {array.shape}")
    names = [f"x{place}" for place in range(array.shape[1])]
    plan = plan_columns(
        dict.fromkeys(names, SourceColumn(ColumnKind.NUMERIC)), options, "the array"
    )
    columns = [plan.column(name) for name in plan.features]
    places = [names.index(name) for name in plan.features]
    weights = None if plan.weight is None else array[:, names.index(plan.weight)]
    if plan.target is not None:
        y = array[:, names.index(plan.target)]
    target = None if y is None else Column(plan.target or "y", _is_nominal_target(y))
    whole = array if len(places) == len(names) else array[:, places]
    return MemoryStream(Block(whole, y, weights), columns, target)


def _is_nominal_target(y: Any) -> bool:
    if is_frame(y):
        raise StreamError("y must be one column")
    return np.asarray(y[:1]).dtype.kind not in "iuf"


def _source_column(dtype: Any) -> SourceColumn:
    if dtype.is_numeric():
        return SourceColumn(ColumnKind.NUMERIC)
    if dtype == nw.Boolean:
        return SourceColumn(ColumnKind.BOOLEAN)
    if isinstance(dtype, _TEXT_TYPES) or dtype in _TEXT_TYPES or dtype == nw.Object:
        return SourceColumn(ColumnKind.NOMINAL)
    return SourceColumn(ColumnKind.TIME if dtype.is_temporal() else ColumnKind.OTHER, str(dtype))


def _cast(name: str, source: ColumnKind, kind: ColumnKind) -> Any:
    """Return a column, cast if the user declares another kind."""
    column = nw.col(name)
    if kind is ColumnKind.NUMERIC and source is ColumnKind.TIME:
        return column.dt.timestamp("ms").cast(nw.Float64) / 1000.0
    if kind is ColumnKind.NUMERIC and source is not ColumnKind.NUMERIC:
        return column.cast(nw.Float64)
    if kind is ColumnKind.NOMINAL and source is not ColumnKind.NOMINAL:
        return column.cast(nw.String)
    return column
