"""What the text formats share: quick where all is well, and line by line where it is not."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import pyarrow as pa

from sgtrees.streams.arrow_tables import conform
from sgtrees.streams.errors import Fault, StreamError
from sgtrees.streams.files.chunks import Chunk
from sgtrees.streams.files.sources import ByteReader, Source
from sgtrees.streams.kinds import Found, Kind, Plan
from sgtrees.streams.pieces import Piece


@dataclass(frozen=True)
class Record:
    """A row of a text file, looked at by itself.

    Attributes
    ----------
    line : int
        Where it begins.
    text : bytes
        The row as it stands there, with the end of its line.
    values : mapping from str to str or None, or None
        Its values as text, None where one is missing; None where the row as a whole is wrong.
    problem : str
        What is wrong with the row as a whole.
    """

    line: int
    text: bytes
    values: Mapping[str, str | None] | None
    problem: str = ""


class TextFile(ABC):
    """A text file that is being read.

    Parameters
    ----------
    source : Source
        What to read.
    reader : ByteReader
        Its bytes.
    """

    def __init__(self, source: Source, reader: ByteReader) -> None:
        self.name = source.name
        self.reader = reader

    @abstractmethod
    def found(self) -> dict[str, Found]:
        """Return the file's columns; for this its first block is read."""

    def column_names(self) -> list[str]:
        """Return the names of the file's columns."""
        return list(self.found())

    @abstractmethod
    def chunks(self) -> Iterator[Chunk]:
        """Yield the lines with rows, from the first row on."""

    @abstractmethod
    def read(self, data: bytes, plan: Plan) -> pa.Table:
        """Read rows quickly; raises ``pyarrow.ArrowInvalid`` or ``ValueError`` if in doubt."""

    @abstractmethod
    def records(self, chunk: Chunk) -> Iterator[Record]:
        """Read rows one by one."""

    def number(self, text: str) -> bool:
        """Tell whether a text is a number as this format writes it."""
        try:
            float(text)
        except ValueError:
            return False
        # What Python takes and pyarrow does not.
        return "_" not in text

    def pieces(self, plan: Plan) -> Iterator[Piece]:
        """Yield all rows."""
        for chunk in self.chunks():
            yield self._piece(chunk, plan)

    def _piece(self, chunk: Chunk, plan: Plan) -> Piece:
        try:
            table = conform(self.read(chunk.data, plan), plan)
        except (pa.ArrowInvalid, ValueError) as error:
            return self._piece_by_records(chunk, plan, error)
        return Piece(table, lambda: [record.line for record in self.records(chunk)])

    def _piece_by_records(self, chunk: Chunk, plan: Plan, error: Exception) -> Piece:
        """Read a chunk in which something is wrong, and find out what."""
        good: list[Record] = []
        faults: list[tuple[int, Fault]] = []
        for record in self.records(chunk):
            fault = self._fault_of(record, plan)
            if fault is None:
                good.append(record)
            else:
                faults.append((len(good), fault))
        lines = [record.line for record in good]
        text = b"".join(record.text for record in good)
        if not good:
            empty = conform(pa.table({name: pa.nulls(0) for name in plan.kinds}), plan)
            return Piece(empty, lambda: lines, faults)
        try:
            table = conform(self.read(text, plan), plan)
        except (pa.ArrowInvalid, ValueError):
            raise StreamError(
                f"{self.name}, in the rows from line {chunk.line} on: {error}"
            ) from error
        return Piece(table, lambda: lines, faults)

    def _fault_of(self, record: Record, plan: Plan) -> Fault | None:
        if record.values is None:
            return Fault(self.name, record.line, record.problem)
        for name, kind in plan.kinds.items():
            text = record.values.get(name)
            if text is None:
                continue
            if kind is Kind.NUMERIC:
                is_time = plan.found[name].kind is Kind.TIME
                if not (_is_time(text) if is_time else self.number(text)):
                    noun = "date or time" if is_time else "number"
                    what = f"{short(text)} is not a {noun}, as the others are"
                    return Fault(self.name, record.line, what, name)
            elif kind is Kind.BOOLEAN and text.lower() not in ("true", "false", "0", "1"):
                what = f"{short(text)} is neither true nor false, as the values before it were"
                return Fault(self.name, record.line, what, name)
            elif "\ufffd" in text:
                what = "these bytes are no UTF-8; say encoding='latin-1' (--encoding), or convert"
                return Fault(self.name, record.line, what, name)
        return None


def _is_time(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def short(text: str) -> str:
    """Return a text in quotes, its end cut off where it is long.

    Examples
    --------
    >>> short("abc"), short("x" * 100)
    ("'abc'", "'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'")
    """
    return repr(text if len(text) <= 40 else text[:40] + "...")


def check_names(names: Sequence[str], file: str) -> None:
    """Refuse names that occur twice."""
    twice = [name for place, name in enumerate(names) if name in names[:place]]
    if twice:
        raise StreamError(f"{file} has two columns with the name {twice[0]!r}; give it other names")
