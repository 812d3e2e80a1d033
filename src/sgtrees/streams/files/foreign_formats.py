"""Formats of other programs, which are refused by their names and with what to do."""

from collections.abc import Sequence
from pathlib import Path

from sgtrees.streams.errors import StreamError

_SPREADSHEET = "a spreadsheet"
_BY_EXTENSION = {
    ".xlsx": "an Excel file",
    ".xlsm": "an Excel file",
    ".xlsb": "an Excel file",
    ".xls": "an Excel file",
    ".ods": _SPREADSHEET,
    ".numbers": _SPREADSHEET,
    ".pkl": "a pickle",
    ".pickle": "a pickle",
    ".npy": "a NumPy array",
    ".npz": "a NumPy array",
    ".h5": "an HDF5 file",
    ".hdf5": "an HDF5 file",
    ".sav": "an SPSS file",
    ".dta": "a Stata file",
    ".sas7bdat": "a SAS file",
    ".rds": "an R file",
    ".rdata": "an R file",
    ".orc": "an ORC file",
    ".avro": "an Avro file",
    ".db": "a database",
    ".sqlite": "a database",
    ".sqlite3": "a database",
    ".7z": "a 7z archive",
    ".rar": "a RAR archive",
    ".tar": "a tar archive",
    ".pdf": "a PDF document",
}
_BY_FIRST_BYTES = {
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": "an Excel file",
    b"SQLite format 3\x00": "a database",
    b"\x89HDF\r\n": "an HDF5 file",
    b"Obj\x01": "an Avro file",
    b"7z\xbc\xaf\x27\x1c": "a 7z archive",
    b"Rar!": "a RAR archive",
    b"%PDF": "a PDF document",
    b"\x93NUMPY": "a NumPy array",
}


def foreign_format(path: str | Path) -> str | None:
    """Return what a file of another program is, by its extension; None for others.

    Examples
    --------
    >>> foreign_format("p.xlsx"), foreign_format("p.csv")
    ('an Excel file', None)
    """
    return _BY_EXTENSION.get(Path(path).suffix.lower())


def refuse_foreign(name: str, first: bytes, *, is_declared: bool = False) -> None:
    """Refuse a file of another program, by its name or its first bytes.

    Parameters
    ----------
    name : str
        The file's name.
    first : bytes
        Its first bytes.
    is_declared : bool, default=False
        Whether the user says which format it has. Then the name says nothing: many programs export
        text with the extension of Excel.
    """
    found = None if is_declared else foreign_format(name)
    if found is None:
        found = next((what for m, what in _BY_FIRST_BYTES.items() if first.startswith(m)), None)
    if found is not None:
        raise _refusal(name, found)


def refuse_archive(name: str, members: Sequence[str]) -> None:
    """Refuse a ZIP archive that is a spreadsheet."""
    if "[Content_Types].xml" in members:
        raise _refusal(name, "an Excel file")
    if "mimetype" in members:
        raise _refusal(name, _SPREADSHEET)


def _refusal(name: str, what: str) -> StreamError:
    return StreamError(
        f"{name} is {what}, which cannot be read; save the table as CSV (or Parquet), and give that"
    )
