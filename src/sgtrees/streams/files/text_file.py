"""The base class of the text formats: parsed in chunks, and row by row if a chunk is invalid."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, time

import pyarrow as pa

from sgtrees.streams.arrow_tables import conform
from sgtrees.streams.columns import ColumnKind, ColumnPlan, SourceColumn
from sgtrees.streams.errors import Fault, StreamError
from sgtrees.streams.files.chunks import Chunk
from sgtrees.streams.table_stream import TableBatch


@dataclass(frozen=True)
class Record:
    """A row of a text file, parsed by itself.

    Attributes
    ----------
    line : int
        Its first line.
    text : bytes
        The row as it is in the file, with its line break.
    values : mapping from str to str or None, or None
        Its values as text, None if one is missing; None if the row as a whole is invalid.
    problem : str
        Why the row as a whole is invalid.
    """

    line: int
    text: bytes
    values: Mapping[str, str | None] | None
    problem: str = ""


class TextFile(ABC):
    """A text that is being read.

    Parameters
    ----------
    name : str
        Its name in messages.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    @abstractmethod
    def source_columns(self) -> dict[str, SourceColumn]:
        """Return the file's columns, inferred from its first block."""

    def column_names(self) -> list[str]:
        """Return the names of the file's columns."""
        return list(self.source_columns())

    @abstractmethod
    def chunks(self) -> Iterator[Chunk]:
        """Yield the lines that hold rows."""

    @abstractmethod
    def read(self, data: bytes, plan: ColumnPlan) -> pa.Table:
        """Parse rows; raises ``pyarrow.ArrowInvalid`` or ``ValueError`` if one is invalid."""

    @abstractmethod
    def records(self, chunk: Chunk) -> Iterator[Record]:
        """Parse rows one by one."""

    def is_number(self, text: str) -> bool:
        """Return whether a text is a number in this format."""
        try:
            float(text)
        except ValueError:
            return False
        # Python accepts underscores, pyarrow does not.
        return "_" not in text

    def is_time(self, text: str) -> bool:
        """Return whether a text is a date or a time in this format."""
        return any(_parses(parse, text) for parse in (datetime.fromisoformat, time.fromisoformat))

    def batches(self, plan: ColumnPlan) -> Iterator[TableBatch]:
        """Yield all rows."""
        for chunk in self.chunks():
            yield self.batch(chunk, plan)

    def batch(self, chunk: Chunk, plan: ColumnPlan) -> TableBatch:
        """Return the rows of a chunk."""
        try:
            table = conform(self.read(chunk.data, plan), plan)
        except (pa.ArrowInvalid, ValueError) as error:
            return self.batch_by_records(chunk, plan, error)
        return TableBatch(table, lambda: [record.line for record in self.records(chunk)])

    def batch_by_records(
        self, chunk: Chunk, plan: ColumnPlan, error: Exception | None = None
    ) -> TableBatch:
        """Parse a chunk with invalid rows, and find out which.

        ``error`` is what says that there are some.
        """
        valid: list[Record] = []
        faults: list[tuple[int, Fault]] = []
        for record in self.records(chunk):
            fault = self._fault_of(record, plan)
            if fault is None:
                valid.append(record)
            else:
                faults.append((len(valid), fault))
        lines = [record.line for record in valid]
        text = b"".join(record.text for record in valid)
        if not valid:
            empty = conform(pa.table({name: pa.nulls(0) for name in plan.kinds}), plan)
            return TableBatch(empty, lambda: lines, faults)
        try:
            table = conform(self.read(text, plan), plan)
        except (pa.ArrowInvalid, ValueError) as again:
            raise StreamError(
                f"{self.name}, in the rows from line {chunk.line} on: {error or again}"
            ) from again
        return TableBatch(table, lambda: lines, faults)

    def _fault_of(self, record: Record, plan: ColumnPlan) -> Fault | None:
        if record.values is None:
            return Fault(self.name, record.line, record.problem)
        for name, kind in plan.kinds.items():
            text = record.values.get(name)
            if text is None:
                continue
            if kind in (ColumnKind.NUMERIC, ColumnKind.TIME):
                of_source = plan.sources[name].kind
                is_time = ColumnKind.TIME in (kind, of_source) and of_source is not kind.NUMERIC
                if not (self.is_time(text) if is_time else self.is_number(text)):
                    noun = "date or time" if is_time else "number"
                    what = f"{short(text)} is not a {noun}, unlike the other values"
                    return Fault(self.name, record.line, what, name)
            elif kind is ColumnKind.BOOLEAN and text.lower() not in ("true", "false", "0", "1"):
                what = f"{short(text)} is neither true nor false, unlike the values before"
                return Fault(self.name, record.line, what, name)
            elif "\ufffd" in text:
                what = "these bytes are not UTF-8; give encoding='latin-1' (--encoding), or convert"
                return Fault(self.name, record.line, what, name)
        return None


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def short(text: str) -> str:
    """Return a text in quotes, truncated if it is long.

    Examples
    --------
    >>> short("abc"), short("x" * 100)
    ("'abc'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'")
    """
    return repr(text if len(text) <= 40 else text[:40] + "...")
