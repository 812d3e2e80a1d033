"""Tables as plain values, to be written as Markdown, LaTeX or HTML."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Cell:
    """A cell of a table.

    Attributes
    ----------
    text : str
        Its text.
    best : bool
        Whether it is the best of its column.
    aside : bool
        Whether it is only for comparison, for example a published figure.
    """

    text: str = ""
    best: bool = False
    aside: bool = False


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes
    ----------
    name : str
        A short name for files and links.
    caption : str
        What it shows.
    heading : list of str
        The names of the columns; the first column holds words, the others numbers.
    rows : list of list of Cell
        The lines.
    notes : list of str
        Remarks below the table.
    words : int
        How many of the first columns hold words.
    """

    name: str
    caption: str
    heading: list[str]
    rows: list[list[Cell]]
    notes: list[str]
    words: int = 1


def cells(texts: Sequence[str]) -> list[Cell]:
    """Return plain cells."""
    return [Cell(text) for text in texts]


def number(value: float | None, digits: int = 2) -> str:
    """Return a number for people to read.

    Examples
    --------
    >>> number(1234.5, 1), number(None), number(0.123)
    ('1,234.5', '-', '0.12')
    """
    return "-" if value is None else f"{value:,.{digits}f}"


def with_deviation(mean: float, deviation: float | None, digits: int = 2) -> str:
    """Return a mean with its standard deviation, if there is one.

    Examples
    --------
    >>> with_deviation(26.944, 0.05), with_deviation(26.944, None)
    ('26.94 ± 0.05', '26.94')
    """
    plain = number(mean, digits)
    return plain if deviation is None else f"{plain} ± {number(deviation, digits)}"
