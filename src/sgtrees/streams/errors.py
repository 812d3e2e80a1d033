"""What is wrong with a row or a file: said with file, line, column and what to do."""

from dataclasses import dataclass, field
from typing import Literal

OnError = Literal["raise", "skip"]

# So many of the rows that were left out are remembered one by one; the others are only counted.
MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class Fault:
    """A row that cannot be used.

    Attributes
    ----------
    file : str
        Where it is; "standard input" and the like where that is no file.
    place : int
        Its line in a text file, else its row; both are counted from 1.
    what : str
        What is wrong.
    column : str or None
        In which column; None where the row as a whole is wrong.
    is_line : bool
        Whether ``place`` is a line.

    Examples
    --------
    >>> print(Fault("a.csv", 7, "'abc' is not a number", "size"))
    a.csv, line 7, column 'size': 'abc' is not a number
    """

    file: str
    place: int
    what: str
    column: str | None = None
    is_line: bool = True

    def __str__(self) -> str:
        noun = "line" if self.is_line else "row"
        column = "" if self.column is None else f", column {self.column!r}"
        return f"{self.file}, {noun} {self.place}{column}: {self.what}"


class StreamError(ValueError):
    """A source that cannot be read, or not any further; the message says where and what to do.

    Attributes
    ----------
    fault : Fault or None
        The row, where it is one.
    """

    def __init__(self, message: str, fault: Fault | None = None) -> None:
        super().__init__(message)
        self.fault = fault


@dataclass
class Skipped:
    """The rows that were left out.

    Attributes
    ----------
    rows : int
        How many.
    faults : list of Fault
        The first hundred of them, and what is wrong with each.

    Examples
    --------
    >>> skipped = Skipped()
    >>> skipped.add(Fault("a.csv", 7, "3 values where 4 are due"))
    >>> skipped.rows, str(skipped.faults[0])
    (1, 'a.csv, line 7: 3 values where 4 are due')
    """

    rows: int = 0
    faults: list[Fault] = field(default_factory=list)

    def add(self, fault: Fault) -> None:
        """Count a row."""
        self.rows += 1
        if len(self.faults) < MOST_LISTED:
            self.faults.append(fault)
