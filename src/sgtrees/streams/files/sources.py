"""The files that paths, folders and patterns name, and their formats."""

import glob
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sgtrees.streams.errors import StreamError

STANDARD_INPUT = "-"

_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".txt": "csv",
    ".data": "csv",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".json": "ndjson",
    ".arff": "arff",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arrows": "arrow",
}
FORMATS = ("csv", "tsv", "ndjson", "arff", "parquet", "arrow")
_COMPRESSED = (".gz", ".zst", ".zstd", ".bz2", ".xz", ".zip")


@dataclass(frozen=True)
class Source:
    """A file or standard input.

    Attributes
    ----------
    path : str
        The path, or "-".
    format : str or None
        One of `FORMATS`; None if it follows from the first bytes.
    row_group : int or None
        One row group of a Parquet file; None for all.
    """

    path: str
    format: str | None
    row_group: int | None = None

    @property
    def is_standard_input(self) -> bool:
        """Whether this is standard input."""
        return self.path == STANDARD_INPUT

    @property
    def name(self) -> str:
        """Its name in messages."""
        if self.row_group is not None:
            return f"{self.path}, row group {self.row_group}"
        return "standard input" if self.is_standard_input else self.path

    @property
    def n_bytes(self) -> int | None:
        """The file's (compressed) size; None if it has none, like a pipe."""
        if self.is_standard_input or not Path(self.path).is_file():
            return None
        return Path(self.path).stat().st_size


def find_sources(
    paths: str | Path | Iterable[str | Path], file_format: str | None = None
) -> list[Source]:
    """Find the files that paths, folders and patterns name.

    Parameters
    ----------
    paths : str, Path, or iterable of them
        Files in their order; a folder stands for the files in it with a known extension, and a
        pattern like ``"2013-*.csv"`` for those that match, both sorted by name, where ``part-2``
        comes before ``part-10``. "-" is standard input.
    file_format : str, optional
        One of `FORMATS`, if it cannot be derived from the extensions.

    Returns
    -------
    list of Source
        The files, at least one.
    """
    if file_format is not None and file_format not in FORMATS:
        raise StreamError(
            f"the format {file_format!r} is unknown; give one of {', '.join(FORMATS)}"
        )
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    if not given:
        raise StreamError("no file was given")
    files = [file for path in given for file in _expand(str(path), file_format)]
    return [Source(file, file_format or _format_of(file)) for file in files]


def _expand(path: str, file_format: str | None) -> list[str]:
    if path == STANDARD_INPUT:
        return [path]
    place = Path(path)
    if place.is_dir():
        inside = [str(file) for file in place.iterdir() if _is_data(file, file_format)]
        if not inside:
            raise StreamError(
                f"the folder {path} holds no file with a known extension ({_extensions()})"
            )
        return sorted(inside, key=_natural_order)
    if place.exists():
        return [path]
    if glob.has_magic(path):
        found = glob.glob(path, recursive=True)  # noqa: PTH207 - the path may be absolute
        hits = [hit for hit in found if Path(hit).is_file()]
        if not hits:
            raise StreamError(f"no file matches {path}")
        return sorted(hits, key=_natural_order)
    raise StreamError(f"there is no file {path}")


def _is_data(file: Path, file_format: str | None) -> bool:
    hidden = file.name.startswith((".", "_"))
    return file.is_file() and not hidden and (file_format or _format_of(file.name)) is not None


def _extensions() -> str:
    return " ".join(_FORMATS) + ", also compressed: " + " ".join(_COMPRESSED)


def _natural_order(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key in which digits count as numbers."""
    parts = re.split(r"(\d+)", name)
    return [(0, int(part), part) if part.isdigit() else (1, 0, part) for part in parts]


def _format_of(name: str) -> str | None:
    suffixes = [suffix.lower() for suffix in Path(name).suffixes]
    if suffixes and suffixes[-1] in _COMPRESSED:
        suffixes.pop()
    return _FORMATS.get(suffixes[-1]) if suffixes else None
