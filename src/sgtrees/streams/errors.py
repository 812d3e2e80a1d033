"""Errors in rows and files, with file, line, column and what to do."""

from dataclasses import dataclass, field
from typing import Literal

OnError = Literal["raise", "skip"]

# This many of the skipped rows are listed; the others are only counted.
MOST_LISTED = 100


@dataclass(frozen=True, slots=True)
class Fault:
    """An invalid row.

    Attributes
    ----------
    file : str
        The file's name; "standard input" or similar if it is not a file.
    place : int
        Its line in a text file, otherwise its row; both are counted from 1.
    what : str
        What is wrong.
    column : str or None
        The column; None if the row as a whole is invalid.
    is_line : bool
        Whether ``place`` is a line.
    at : str or None
        What the source calls the place, if it is no file: "offset 17".

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
    at: str | None = None

    def __str__(self) -> str:
        place = self.at or f"{'line' if self.is_line else 'row'} {self.place}"
        column = "" if self.column is None else f", column {self.column!r}"
        return f"{self.file}, {place}{column}: {self.what}"


class StreamError(ValueError):
    """A source that cannot be read (further); the message names the place and what to do.

    Attributes
    ----------
    fault : Fault or None
        The invalid row, if that is the reason.

    Examples
    --------
    >>> from sgtrees.streams import open_stream
    >>> try:
    ...     open_stream("nowhere.csv", "y")
    ... except StreamError as error:
    ...     print(error)
    there is no file nowhere.csv
    """

    def __init__(self, message: str, fault: Fault | None = None) -> None:
        super().__init__(message)
        self.fault = fault


@dataclass
class Skipped:
    """Invalid rows that were left out.

    Attributes
    ----------
    rows : int
        Their number.
    faults : list of Fault
        The first hundred of them, and what is wrong with each.

    Examples
    --------
    >>> skipped = Skipped()
    >>> skipped.add(Fault("a.csv", 7, "3 values instead of 4"))
    >>> skipped.rows, str(skipped.faults[0])
    (1, 'a.csv, line 7: 3 values instead of 4')
    """

    rows: int = 0
    faults: list[Fault] = field(default_factory=list)

    def add(self, fault: Fault) -> None:
        """Count an invalid row."""
        self.rows += 1
        if len(self.faults) < MOST_LISTED:
            self.faults.append(fault)
