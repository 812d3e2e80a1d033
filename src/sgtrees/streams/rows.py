"""Rows and blocks that an iterator yields."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from sgtrees.streams.arrow_tables import conform, found_in
from sgtrees.streams.block import Block, Column
from sgtrees.streams.errors import Fault, OnError, Skipped, StreamError
from sgtrees.streams.kinds import Kind, Said, make_plan
from sgtrees.streams.pieces import FaultPolicy, Piece
from sgtrees.streams.stream import Stream

_ROWS_PER_BLOCK = 1024
_NAME = "the iterator"


class RowStream(Stream):
    """Rows as dictionaries; see `sgtrees.streams.open_stream`.

    The columns and their kinds are those of the first block of rows.

    Parameters
    ----------
    rows : iterable of mapping, or of (mapping, target)
        The rows. One that can be iterated again begins anew each time.
    said : Said
        What the user says of columns.
    on_error : {"raise", "skip"}
        What becomes of rows that cannot be used.
    """

    def __init__(self, rows: Iterable[Any], said: Said, on_error: OnError) -> None:
        self._rows = rows
        self._on_error = on_error
        self._skipped = Skipped()
        iterator = iter(rows)
        self._can_repeat = iterator is not rows
        first = list(itertools.islice(iterator, _ROWS_PER_BLOCK))
        if not first:
            raise StreamError("the iterator yields no row")
        self._is_pairs = isinstance(first[0], tuple)
        self._target_name = "y" if said.target is None else str(said.target)
        if self._is_pairs:
            said = replace(said, target=self._target_name)
        found = found_in(self._table([self._whole(row) for row in first]).schema)
        self._plan = make_plan(found, said, _NAME)
        self._pending: Iterator[Any] | None = itertools.chain(first, iterator)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The features, in their order."""
        return tuple(self._column(name) for name in self._plan.features)

    @property
    def target(self) -> Column | None:
        """The column that is to be predicted; None where the stream has none."""
        return None if self._plan.target is None else self._column(self._plan.target)

    def _column(self, name: str) -> Column:
        return Column(name, self._plan.kinds[name] is not Kind.NUMERIC)

    @property
    def skipped(self) -> Skipped:
        """The rows that the latest iteration has left out."""
        return self._skipped

    def __iter__(self) -> Iterator[Block]:
        self._skipped = Skipped()
        rows, self._pending = self._pending, None
        if rows is None:
            if not self._can_repeat:
                raise StreamError("an iterator can be read only once")
            rows = iter(self._rows)
        policy = FaultPolicy(_NAME, False, self._on_error, self._skipped)
        return policy.blocks(self._pieces(rows), self._plan)

    def _pieces(self, rows: Iterator[Any]) -> Iterator[Piece]:
        n_before = 0
        while block := list(itertools.islice(rows, _ROWS_PER_BLOCK)):
            yield self._piece([self._whole(row) for row in block], n_before)
            n_before += len(block)

    def _whole(self, row: Any) -> Mapping[str, Any]:
        if not self._is_pairs:
            return {str(name): value for name, value in row.items()}
        x, y = row
        return {str(name): value for name, value in x.items()} | {self._target_name: y}

    def _piece(self, rows: Sequence[Mapping[str, Any]], n_before: int) -> Piece:
        places = list(range(n_before + 1, n_before + 1 + len(rows)))
        try:
            return Piece(conform(self._table(rows, self._known), self._plan), lambda: places)
        except (pa.ArrowInvalid, pa.ArrowTypeError, StreamError):
            pass
        # One by one, to find out which.
        good: list[int] = []
        faults: list[tuple[int, Fault]] = []
        for place, row in enumerate(rows):
            try:
                conform(self._table([row], self._known), self._plan)
                good.append(place)
            except (pa.ArrowInvalid, pa.ArrowTypeError, StreamError) as error:
                faults.append((len(good), Fault(_NAME, places[place], str(error), is_line=False)))
        table = conform(self._table([rows[place] for place in good], self._known), self._plan)
        return Piece(table, lambda: [places[place] for place in good], faults)

    @property
    def _known(self) -> frozenset[str]:
        return frozenset(self._plan.kinds) | self._plan.dropped

    def _table(
        self, rows: Sequence[Mapping[str, Any]], known: frozenset[str] | None = None
    ) -> pa.Table:
        names = list(dict.fromkeys(name for row in rows for name in row))
        if known is not None:
            new = [name for name in names if name not in known]
            if new:
                raise StreamError(
                    f"the feature {new[0]!r} is new; a stream has the columns of its first block "
                    "(learn_one takes features that come later)"
                )
            names = [*known]
        return pa.table({name: _array([row.get(name) for row in rows], name) for name in names})


def _array(values: list[Any], name: str) -> Any:
    plain = [None if value is None or value != value else value for value in values]  # noqa: PLR0124
    try:
        return pa.array(plain)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        if all(value is None or isinstance(value, int | float) for value in plain):
            return pa.array([None if v is None else float(v) for v in plain])
        kinds = " and ".join(sorted({type(value).__name__ for value in plain if value is not None}))
        raise StreamError(f"the values of {name!r} are of several kinds: {kinds}") from None
