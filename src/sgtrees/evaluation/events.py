"""The rows of a block as dictionaries, for models that take one row at a time."""

from collections.abc import Iterator, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from sgtrees.data.tables import is_frame
from sgtrees.streams import Block, Column


def events_of(block: Block, columns: Sequence[Column]) -> Iterator[dict[str, Any]]:
    """Yield each row as a dictionary without its missing values.

    Parameters
    ----------
    block : Block
        The rows.
    columns : sequence of Column
        What the columns are. A nominal one whose categories are known yields their names.

    Examples
    --------
    >>> columns = [Column("size"), Column("colour", True, ("red", "blue"))]
    >>> list(events_of(Block(np.array([[1.5, 1.0], [np.nan, 0.0]])), columns))
    [{'size': 1.5, 'colour': 'blue'}, {'colour': 'red'}]
    """
    names = [column.name for column in columns]
    if is_frame(block.X):
        values = [_plain(series) for series in nw.from_native(block.X).iter_columns()]
    else:
        array = np.asarray(block.X)
        values = [
            _named(array[:, place], column.categories if column.nominal else None)
            for place, column in enumerate(columns)
        ]
    for row in zip(*values, strict=True):
        yield {
            name: value
            for name, value in zip(names, row, strict=True)
            if value is not None and value == value  # noqa: PLR0124 - NaN is missing
        }


def _plain(series: Any) -> list[Any]:
    values: list[Any] = series.to_list()
    return values


def _named(values: Any, categories: tuple[str, ...] | None) -> list[Any]:
    plain: list[Any] = values.tolist()
    if categories is None:
        return plain
    return [None if value != value else categories[int(value)] for value in plain]  # noqa: PLR0124


def targets_of(block: Block) -> list[Any]:
    """Return the targets as plain values."""
    y = block.y
    if hasattr(y, "to_pylist"):
        targets: list[Any] = y.to_pylist()
        return targets
    plain: list[Any] = np.asarray(y).tolist()
    return plain
