"""Tables read from one file, and the rows among them that cannot be used."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from sgtrees.streams.arrow_tables import as_block, bad_rows
from sgtrees.streams.block import Block
from sgtrees.streams.errors import Fault, OnError, Skipped, StreamError
from sgtrees.streams.kinds import Plan


@dataclass(frozen=True)
class Piece:
    """Rows of a file.

    Attributes
    ----------
    table : pyarrow.Table
        The rows that could be read, in the plan's columns and types.
    places : callable
        From the table's rows to their lines or rows in the file, counted from 1. It is only called
        where something is wrong.
    faults : sequence of (int, Fault)
        Rows that could not be read, each with the number of rows of the table that come before.
    """

    table: pa.Table
    places: Callable[[], Sequence[int]]
    faults: Sequence[tuple[int, Fault]] = ()


@dataclass(frozen=True)
class FaultPolicy:
    """What becomes of rows that cannot be used.

    Attributes
    ----------
    file : str
        The file's name.
    is_text : bool
        Whether rows are told by their lines.
    on_error : {"raise", "skip"}
        To raise a `StreamError` at the first, or to leave them out and count them.
    skipped : Skipped
        Where they are counted.
    """

    file: str
    is_text: bool
    on_error: OnError
    skipped: Skipped

    def blocks(self, pieces: Iterator[Piece], plan: Plan) -> Iterator[Block]:
        """Yield the rows that can be used; those before a bad one come first in any case."""
        for piece in pieces:
            faults = list(piece.faults)
            bad = bad_rows(piece.table, plan)
            if bad:
                places = piece.places()
                faults += [
                    (row, Fault(self.file, int(places[row]), what, column, self.is_text))
                    for row, (column, what) in bad.items()
                ]
                faults.sort(key=lambda fault: fault[1].place)
            yield from self._without(piece.table, plan, faults, list(bad))

    def _without(
        self, table: pa.Table, plan: Plan, faults: list[tuple[int, Fault]], bad: list[int]
    ) -> Iterator[Block]:
        if faults and self.on_error == "raise":
            row, fault = faults[0]
            if row:
                yield as_block(table.slice(0, row), plan)
            raise StreamError(f"{fault}. {_ADVICE}", fault)
        for _, fault in faults:
            self.skipped.add(fault)
        if bad:
            table = table.take(np.setdiff1d(np.arange(len(table)), bad))
        if len(table):
            yield as_block(table, plan)


_ADVICE = "Correct it, or leave such rows out with on_error='skip' (--on-error skip)"
