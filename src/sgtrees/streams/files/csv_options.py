"""The options of CSV files."""

from dataclasses import dataclass

# Values that mean "missing" by default.
MISSING_VALUES = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")


@dataclass(frozen=True)
class CsvOptions:
    """How CSV files are written.

    Attributes
    ----------
    delimiter : str or None
        The character between values. None: a tab in TSV, otherwise the one of comma, semicolon, tab
        and bar that is most frequent in the first line.
    has_header : bool
        Whether the first line holds the columns' names; otherwise they are x0, x1, x2, ...
    missing : tuple of str
        Values that mean "missing".
    encoding : str
        The encoding of this and all other text files.
    decimal : str
        The character before decimals.
    thousands : str
        The character between groups of three digits; none if it is empty.
    time_format : str or None
        How dates and times are written, as in ``strptime``, if not as ISO 8601 says.
    """

    delimiter: str | None = None
    has_header: bool = True
    missing: tuple[str, ...] = MISSING_VALUES
    encoding: str = "utf-8"
    decimal: str = "."
    thousands: str = ""
    time_format: str | None = None
