"""What the payloads of messages have in common, whatever their format."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sgtrees.streams.arrow_tables import conform
from sgtrees.streams.brokers.messages import Rows
from sgtrees.streams.columns import ColumnPlan
from sgtrees.streams.errors import Fault


@dataclass(frozen=True)
class Decoded:
    """The rows of some payloads.

    Attributes
    ----------
    table : pyarrow.Table
        The rows, with the plan's columns and types.
    numbers : ndarray of shape (n_rows,)
        The number of each row's payload.
    rows, counts : ndarray or None
        The number of each row within its payload, and of rows in each payload; None if each payload
        is one row.
    faults : sequence of (int, Fault)
        Payloads that cannot be used, each with the number of rows of the table before it. The place
        of each is its number, counted from 1.
    """

    table: pa.Table
    numbers: Rows
    rows: Rows | None = None
    counts: Rows | None = None
    faults: Sequence[tuple[int, Fault]] = ()


class Payloads(ABC):
    """A format of payloads.

    Parameters
    ----------
    name : str
        The topic's or stream's name in messages.

    Attributes
    ----------
    schema : pyarrow.Schema
        The columns and their types: given, or found in the first payloads.
    """

    schema: Any

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def find_schema(self, payloads: Sequence[bytes]) -> None:
        """Find the columns and their types in the first payloads."""

    @abstractmethod
    def decode(self, payloads: Sequence[bytes], plan: ColumnPlan) -> Decoded:
        """Return the rows of payloads."""

    def fault(self, number: int, what: str) -> Fault:
        """Return what is wrong with a payload."""
        return Fault(self.name, number + 1, what, is_line=False)

    def empty(self, plan: ColumnPlan) -> Any:
        """Return a table of no rows."""
        return conform(pa.table({name: pa.nulls(0) for name in plan.kinds}), plan)


def numbered(counts: Sequence[int]) -> tuple[Rows, Rows, Rows]:
    """Return the payload and the number of each row, and the counts as an array.

    Examples
    --------
    >>> numbers, rows, counts = numbered([2, 0, 3])
    >>> numbers.tolist(), rows.tolist()
    ([0, 0, 2, 2, 2], [0, 1, 0, 1, 2])
    """
    of_each = np.array(counts, dtype=np.intp)
    numbers = np.repeat(np.arange(len(of_each)), of_each)
    first = np.cumsum(of_each) - of_each
    return numbers, np.arange(len(numbers)) - first[numbers], of_each
