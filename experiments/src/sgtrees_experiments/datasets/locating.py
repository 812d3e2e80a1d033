"""The files of data sets on this machine, and their checked contents."""

import hashlib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from sgtrees.atomic_file import write_atomically
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets.dataset import Data, Files, PaperSet, Shape, Status, Version
from sgtrees_experiments.datasets.download import fetch
from sgtrees_experiments.folders import download_folder
from sgtrees_experiments.moa import NumericStream

# What readers raise if a file is truncated or of another type.
_UNREADABLE = (OSError, EOFError, ValueError, KeyError, pa.ArrowException, zipfile.BadZipFile)


@dataclass(frozen=True)
class Found:
    """A version of a data set whose files are here.

    Attributes
    ----------
    of : PaperSet
        The data set of the paper that it stands for.
    version : Version
        What it is.
    files : Files
        The files, and how they are read.
    folder : Path
        Where they are.
    """

    of: PaperSet
    version: Version
    files: Files
    folder: Path

    @property
    def paths(self) -> list[Path]:
        """The files."""
        return [self.folder / name for name in self.files.names]

    def load(self) -> Data:
        """Read the data and check its shape.

        Raises
        ------
        AbsentError
            If a file cannot be read, or holds other data.
        """
        for download in self.files.downloads:
            _check_kept(self.folder / download.name, download.sha256)
        try:
            data = self.files.read(self.paths)
        except _UNREADABLE as error:
            raise AbsentError(
                f"{self.version.name}: {self._files} cannot be read ({_first_line(error)}); "
                f"get a good copy: {self.of.obtain}"
            ) from error
        shape = shape_of(data)
        if shape != self.version.shape:
            raise AbsentError(
                f"{self.version.name}: {self._files} holds {shape}, but it should be "
                f"{self.version.shape}; get a good copy: {self.of.obtain}"
            )
        for download in self.files.downloads:
            _keep_checksum(self.folder / download.name)
        return data

    @property
    def _files(self) -> str:
        return " and ".join(str(path) for path in self.paths)


def shape_of(data: Data) -> Shape:
    """Return how large some data is."""
    if isinstance(data, NumericStream):
        return Shape(len(data.y), data.X.shape[1], data.classes)
    rows = sum(len(bag) for bag in data.bags)
    return Shape(rows, data.bags[0].shape[1], len(set(data.y.tolist())), len(data.bags))


def locate(known: PaperSet, folders: Sequence[Path], names: Sequence[str] = ()) -> list[Found]:
    """Find the files of a data set.

    Parameters
    ----------
    known : PaperSet
        The data set.
    folders : sequence of Path
        Where to look.
    names : sequence of str
        Versions that are wanted even if the whole is found.

    Returns
    -------
    list of Found
        The whole of it if its files exist; otherwise all parts and stand-ins that exist.
    """
    found = [there for version in known.versions if (there := _find(known, version, folders))]
    if not names:
        whole = [there for there in found if there.version.status is Status.WHOLE]
        return whole or found
    return [there for there in found if there.version.name in names]


def download_whole(known: PaperSet) -> None:
    """Download the whole of a data set.

    Parameters
    ----------
    known : PaperSet
        The data set.

    Raises
    ------
    AbsentError
        If it cannot be downloaded.
    """
    offers = [files for files in known.whole.files if files.downloads]
    if not offers:
        raise AbsentError(f"{known.name} cannot be downloaded by itself: {known.obtain}")
    for download in offers[0].downloads:
        fetch(download, download_folder())


def _find(known: PaperSet, version: Version, folders: Sequence[Path]) -> Found | None:
    for folder in folders:
        for files in version.files:
            if all((folder / name).is_file() for name in files.names):
                return Found(known, version, files, folder)
    return None


# ---- checksums of files that were downloaded -----------------------------------------------------


def _check_kept(path: Path, published: str) -> None:
    """Refuse a download that is not (or no longer) what it was."""
    noted = _note(path)
    expected = published or (noted.read_text().strip() if noted.exists() else "")
    if expected and _checksum(path) != expected:
        raise AbsentError(
            f"{path} has a wrong checksum; delete it, and let it be downloaded again (--download)"
        )


def _keep_checksum(path: Path) -> None:
    """Note the checksum of a file whose contents were right, to demand it from now on."""
    if not _note(path).exists() and path.parent == download_folder():
        write_atomically(_note(path), [_checksum(path).encode()])


def _note(path: Path) -> Path:
    return path.with_name(f"{path.name}.sha256")


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
