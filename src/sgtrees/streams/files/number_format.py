"""How numbers are written in CSV: decimal point and thousands separator."""

import re
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sgtrees.streams.errors import StreamError


@dataclass(frozen=True)
class NumberFormat:
    """The characters of numbers.

    Parameters
    ----------
    decimal : str, default="."
        The character before decimals.
    thousands : str, default=""
        The character between groups of three digits; none by default.

    Examples
    --------
    >>> german = NumberFormat(",", ".")
    >>> german.is_number("1.234,5"), german.is_number("1.23"), german.is_plain
    (True, False, False)
    >>> german.floats(pa.chunked_array([["1.234,5", "-7", None]])).to_pylist()
    [1234.5, -7.0, None]
    """

    decimal: str = "."
    thousands: str = ""

    def __post_init__(self) -> None:
        if len(self.decimal) != 1 or self.decimal.isalnum() or self.decimal in "+-":
            raise StreamError(f"decimal is {self.decimal!r}; give one character, '.' or ','")
        if len(self.thousands) > 1 or self.thousands.isalnum() or self.thousands in ("+", "-"):
            raise StreamError(f"thousands is {self.thousands!r}; give one character, like '.'")
        if self.decimal == self.thousands:
            raise StreamError(
                f"decimal and thousands are both {self.decimal!r}; give two characters"
            )

    @property
    def is_plain(self) -> bool:
        """Whether pyarrow reads such numbers by itself."""
        return self.decimal == "." and not self.thousands

    @property
    def pattern(self) -> str:
        """A regular expression of numbers."""
        point, separator = re.escape(self.decimal), re.escape(self.thousands)
        whole = rf"\d{{1,3}}(?:{separator}\d{{3}})+|\d+" if self.thousands else r"\d+"
        return rf"^[-+]?(?:(?:{whole})(?:{point}\d*)?|{point}\d+)(?:[eE][-+]?\d+)?$"

    def is_number(self, text: str) -> bool:
        """Return whether a text is a number."""
        if self.is_plain:
            try:
                float(text)
            except ValueError:
                return False
            # Python accepts underscores, pyarrow does not.
            return "_" not in text
        return re.match(self.pattern, text.strip(" ")) is not None

    def share_of_numbers(self, known: pa.ChunkedArray) -> float:
        """Return the share of a column's texts that are numbers."""
        return float(pc.mean(pc.match_substring_regex(known, self.pattern)).as_py())

    def floats(self, column: pa.ChunkedArray) -> Any:
        """Return a column of texts as numbers; ``ValueError`` if one is none."""
        text = pc.utf8_trim(column, " ")
        if not pc.all(pc.match_substring_regex(text, self.pattern), min_count=0).as_py():
            raise ValueError("a value is not a number")
        if self.thousands:
            text = pc.replace_substring(text, self.thousands, "")
        return pc.replace_substring(text, self.decimal, ".").cast(pa.float64())
