"""How CSV is written."""

from dataclasses import dataclass

# What stands for a missing value in CSV, where nothing else is said.
MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "null", "NULL", "None")


@dataclass(frozen=True)
class TextSettings:
    """How CSV is written.

    Attributes
    ----------
    delimiter : str or None
        The character between values; None to find it out.
    has_names : bool
        Whether the first line holds the columns' names.
    missing : tuple of str
        What stands for a missing value.
    encoding : str
        The text's encoding.
    """

    delimiter: str | None = None
    has_names: bool = True
    missing: tuple[str, ...] = MISSING
    encoding: str = "utf-8"
