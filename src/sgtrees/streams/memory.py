"""Rows that are in memory already: arrays and data frames."""

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from sgtrees.data.tables import is_frame
from sgtrees.streams.block import Block, Column
from sgtrees.streams.errors import StreamError
from sgtrees.streams.kinds import Found, Kind, Said, make_plan
from sgtrees.streams.stream import Stream

_ROWS_PER_BLOCK = 1 << 16
_WORDS = (nw.String, nw.Categorical, nw.Enum)


class MemoryStream(Stream):
    """The rows of an array or a data frame; see `sgtrees.streams.open_stream`.

    Parameters
    ----------
    whole : Block
        All rows.
    columns : sequence of Column
        The features.
    target : Column or None
        What is to be predicted.
    """

    def __init__(self, whole: Block, columns: Sequence[Column], target: Column | None) -> None:
        self.whole = whole
        self._columns = tuple(columns)
        self._target = target
        self._read_rows = 0

    @property
    def columns(self) -> tuple[Column, ...]:
        """The features, in their order."""
        return self._columns

    @property
    def target(self) -> Column | None:
        """The column that is to be predicted; None where the stream has none."""
        return self._target

    @property
    def n_rows(self) -> int:
        """The number of rows."""
        return len(self.whole)

    @property
    def progress(self) -> float | None:
        """The part of the rows that the latest iteration has yielded."""
        return self._read_rows / max(len(self.whole), 1)

    def __iter__(self) -> Iterator[Block]:
        for start in range(0, len(self.whole), _ROWS_PER_BLOCK):
            self._read_rows = min(start + _ROWS_PER_BLOCK, len(self.whole))
            yield self.whole.slice(start, self._read_rows)


def stream_of_frame(frame: Any, y: Any, said: Said) -> MemoryStream:
    """Make a stream of a data frame, whose target is a column of it or given apart."""
    wrapped = nw.from_native(frame, eager_only=True)
    found = {str(name): _found(dtype) for name, dtype in wrapped.schema.items()}
    plan = make_plan(found, said, "the data frame")
    columns = [Column(name, plan.kinds[name] is not Kind.NUMERIC) for name in plan.features]
    features = wrapped.select(
        *[_as_said(name, found[name].kind, plan.kinds[name]) for name in plan.features]
    )
    weights = None if plan.weight is None else wrapped[plan.weight].to_numpy().astype(np.float64)
    if plan.target is None:
        target = None if y is None else Column("y", _is_nominal_target(y))
        return MemoryStream(Block(features.to_native(), y, weights), columns, target)
    if y is not None:
        raise StreamError("give y or the name of the target's column, not both")
    target = Column(plan.target, plan.kinds[plan.target] is not Kind.NUMERIC)
    series = wrapped[plan.target]
    values = series.to_native() if target.nominal else series.to_numpy()
    return MemoryStream(Block(features.to_native(), values, weights), columns, target)


def stream_of_array(X: Any, y: Any, said: Said) -> MemoryStream:
    """Make a stream of an array, whose columns have the names x0, x1, x2, ..."""
    array = np.asarray(X)
    if array.ndim != 2:
        raise StreamError(f"X must be two-dimensional, got shape {array.shape}")
    names = [f"x{place}" for place in range(array.shape[1])]
    plan = make_plan(dict.fromkeys(names, Found(Kind.NUMERIC)), said, "the array")
    columns = [Column(name, plan.kinds[name] is not Kind.NUMERIC) for name in plan.features]
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


def _found(dtype: Any) -> Found:
    if dtype.is_numeric():
        return Found(Kind.NUMERIC)
    if dtype == nw.Boolean:
        return Found(Kind.BOOLEAN)
    if isinstance(dtype, _WORDS) or dtype in _WORDS or dtype == nw.Object:
        return Found(Kind.NOMINAL)
    return Found(Kind.TIME if dtype.is_temporal() else Kind.OTHER, str(dtype))


def _as_said(name: str, found: Kind, kind: Kind) -> Any:
    """Return the column as it is, or cast to what the user says that it is."""
    column = nw.col(name)
    if kind is Kind.NUMERIC and found is Kind.TIME:
        return column.dt.timestamp("ms").cast(nw.Float64) / 1000.0
    if kind is Kind.NUMERIC and found is not Kind.NUMERIC:
        return column.cast(nw.Float64)
    if kind is Kind.NOMINAL and found is not Kind.NOMINAL:
        return column.cast(nw.String)
    return column
