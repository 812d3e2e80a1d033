"""Streams of rows that an iterable yields as dictionaries."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from sgtrees.streams.arrow_tables import columns_of_schema, conform
from sgtrees.streams.block import Block
from sgtrees.streams.columns import ColumnOptions, plan_columns
from sgtrees.streams.errors import Fault, OnError, Skipped, StreamError
from sgtrees.streams.table_stream import TableBatch, TableStream

_ROWS_PER_BLOCK = 1024
_NAME = "the iterator"


class RowStream(TableStream):
    """Rows as dictionaries; see `sgtrees.streams.open_stream`.

    The columns and their kinds are those of the first block of rows.

    Parameters
    ----------
    rows : iterable of mapping, or of (mapping, target)
        The rows. An iterable that is not an iterator can be read several times.
    options : ColumnOptions
        The user's options for columns.
    on_error : {"raise", "skip"}
        Whether an invalid row raises a `StreamError` or is left out and counted.
    """

    def __init__(self, rows: Iterable[Any], options: ColumnOptions, on_error: OnError) -> None:
        self._rows = rows
        iterator = iter(rows)
        self._can_repeat = iterator is not rows
        first = list(itertools.islice(iterator, _ROWS_PER_BLOCK))
        if not first:
            raise StreamError("the iterator yields no row")
        self._is_pairs = isinstance(first[0], tuple)
        self._target_name = "y" if options.target is None else str(options.target)
        if self._is_pairs:
            options = replace(options, target=self._target_name)
        sources = columns_of_schema(_table([self._as_mapping(row) for row in first]).schema)
        super().__init__(plan_columns(sources, options, _NAME), on_error)
        self._pending: Iterator[Any] | None = itertools.chain(first, iterator)

    def __iter__(self) -> Iterator[Block]:
        self._skipped = Skipped()
        rows, self._pending = self._pending, None
        if rows is None:
            if not self._can_repeat:
                raise StreamError("an iterator can be read only once")
            rows = iter(self._rows)
        return self._valid_blocks(self._batches(rows), _NAME, is_text=False)

    def _batches(self, rows: Iterator[Any]) -> Iterator[TableBatch]:
        n_before = 0
        while block := list(itertools.islice(rows, _ROWS_PER_BLOCK)):
            yield self._batch([self._as_mapping(row) for row in block], n_before)
            n_before += len(block)

    def _as_mapping(self, row: Any) -> Mapping[str, Any]:
        if not self._is_pairs:
            return {str(name): value for name, value in row.items()}
        x, y = row
        return {str(name): value for name, value in x.items()} | {self._target_name: y}

    def _batch(self, rows: Sequence[Mapping[str, Any]], n_before: int) -> TableBatch:
        positions = list(range(n_before + 1, n_before + 1 + len(rows)))
        try:
            return TableBatch(self._parsed(rows), lambda: positions)
        except (pa.ArrowInvalid, pa.ArrowTypeError, StreamError):
            pass
        # One by one, to find out which rows are invalid.
        valid: list[int] = []
        faults: list[tuple[int, Fault]] = []
        for place, row in enumerate(rows):
            try:
                self._parsed([row])
                valid.append(place)
            except (pa.ArrowInvalid, pa.ArrowTypeError, StreamError) as error:
                fault = Fault(_NAME, positions[place], str(error), is_line=False)
                faults.append((len(valid), fault))
        table = self._parsed([rows[place] for place in valid])
        return TableBatch(table, lambda: [positions[place] for place in valid], faults)

    def _parsed(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        known = frozenset(self._plan.kinds) | self._plan.dropped
        new = [name for row in rows for name in row if name not in known]
        if new:
            raise StreamError(
                f"the feature {new[0]!r} is new; a stream has the columns of its first block "
                "(learn_one takes features that come later)"
            )
        return conform(_table(rows, known), self._plan)


def _table(rows: Sequence[Mapping[str, Any]], names: Iterable[str] | None = None) -> pa.Table:
    if names is None:
        names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: _array([row.get(name) for row in rows], name) for name in names})


def _array(values: list[Any], name: str) -> Any:
    plain = [None if value is None or value != value else value for value in values]  # noqa: PLR0124
    try:
        return pa.array(plain)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        if all(value is None or isinstance(value, int | float) for value in plain):
            return pa.array([None if v is None else float(v) for v in plain])
        types = " and ".join(sorted({type(value).__name__ for value in plain if value is not None}))
        raise StreamError(f"the values of {name!r} are of several types: {types}") from None
