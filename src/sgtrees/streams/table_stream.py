"""Streams that are read as Arrow tables, whose invalid rows are reported or skipped."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sgtrees.streams.arrow_tables import as_block, invalid_rows
from sgtrees.streams.block import Block, Column
from sgtrees.streams.brokers.messages import Places
from sgtrees.streams.columns import ColumnPlan
from sgtrees.streams.errors import Fault, OnError, Skipped, StreamError
from sgtrees.streams.stream import Stream

_LOGGER = logging.getLogger(__name__)
_ADVICE = "Correct it, or leave such rows out with on_error='skip' (--on-error skip)"


@dataclass(frozen=True)
class TableBatch:
    """Consecutive rows of a source.

    Attributes
    ----------
    table : pyarrow.Table
        The rows that could be parsed, with the plan's columns and types.
    positions : callable
        Returns the line or row number in the source of each row of the table, counted from 1. It is
        called only if a row is invalid.
    faults : sequence of (int, Fault)
        Rows that could not be parsed, each with the number of rows of the table before it.
    places : Places or None
        The messages that the rows are from, if they are from a broker.
    """

    table: pa.Table
    positions: Callable[[], Sequence[int]]
    faults: Sequence[tuple[int, Fault]] = ()
    places: Places | None = None

    def at(self, row: int) -> str | None:
        """Return the place of a row, if it is from a message."""
        return None if self.places is None else self.places.label(row)

    def block(self, plan: ColumnPlan, rows: NDArray[np.intp] | None = None) -> Block:
        """Return some of the rows as a block; all by default."""
        table, places = self.table, self.places
        if rows is not None:
            table = table.take(rows)
            places = None if places is None else places.of_rows(rows)
        block = as_block(table, plan)
        return block if places is None else replace(block, places=places)


class TableStream(Stream):
    """A stream of tables that follow one `ColumnPlan`.

    Parameters
    ----------
    plan : ColumnPlan
        The columns to read.
    on_error : {"raise", "skip"}
        Whether an invalid row raises a `StreamError` or is left out and counted.
    """

    def __init__(self, plan: ColumnPlan, on_error: OnError) -> None:
        self._plan = plan
        self._on_error = on_error
        self._skipped = Skipped()

    @property
    def columns(self) -> tuple[Column, ...]:
        """The features, in their order."""
        return tuple(self._plan.column(name) for name in self._plan.features)

    @property
    def target(self) -> Column | None:
        """The column to predict; None if the stream has none."""
        return None if self._plan.target is None else self._plan.column(self._plan.target)

    @property
    def skipped(self) -> Skipped:
        """The rows that the latest iteration has left out."""
        return self._skipped

    def _valid_blocks(
        self, batches: Iterator[TableBatch], source: str, *, is_text: bool
    ) -> Iterator[Block]:
        """Yield the valid rows of a source; those before an invalid one come first in any case."""
        for batch in batches:
            faults = list(batch.faults)
            invalid = invalid_rows(batch.table, self._plan)
            if invalid:
                positions = batch.positions()
                faults += [
                    (row, Fault(source, int(positions[row]), what, column, is_text, batch.at(row)))
                    for row, (column, what) in invalid.items()
                ]
                faults.sort(key=lambda fault: fault[1].place)
            yield from self._without(batch, faults, list(invalid))

    def _without(
        self, batch: TableBatch, faults: list[tuple[int, Fault]], invalid: list[int]
    ) -> Iterator[Block]:
        n_rows = len(batch.table)
        if faults and self._on_error == "raise":
            row, fault = faults[0]
            if row:
                yield batch.block(self._plan).slice(0, row)
            raise StreamError(f"{fault}. {_ADVICE}", fault)
        for _, fault in faults:
            self._skipped.add(fault)
            _LOGGER.debug("skipped: %s", fault)
        if len(invalid) < n_rows:
            kept = np.setdiff1d(np.arange(n_rows), invalid) if invalid else None
            yield batch.block(self._plan, kept)
