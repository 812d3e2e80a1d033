"""Data sets as files that every learner's process reads, whatever its language."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sgtrees_experiments.datasets import Bags, Found, Version
from sgtrees_experiments.moa import NumericStream, StreamFiles


@dataclass(frozen=True)
class Prepared:
    """A data set, read and checked, in its own folder.

    Attributes
    ----------
    found : Found
        What it is.
    folder : Path
        Where it is.
    """

    found: Found
    folder: Path

    @property
    def version(self) -> Version:
        """What it is."""
        return self.found.version

    @property
    def stream(self) -> StreamFiles:
        """The files of a stream."""
        return StreamFiles(self.folder)


def prepare(found: Found, folder: Path) -> Prepared:
    """Read a data set, check it, and write it into a folder.

    Raises
    ------
    AbsentError
        If the files are not what they should be.
    """
    data = found.load()
    folder.mkdir(parents=True, exist_ok=True)
    if isinstance(data, NumericStream):
        StreamFiles.write(data, folder)
    else:
        write_bags(data, folder)
    return Prepared(found, folder)


def write_bags(data: Bags, folder: Path) -> None:
    """Write bags as one array of rows with the sizes of the bags."""
    sizes = [len(bag) for bag in data.bags]
    np.savez(folder / "bags.npz", rows=np.concatenate(data.bags), sizes=sizes, y=data.y)


def read_bags(folder: Path) -> Bags:
    """Read bags that were written."""
    with np.load(folder / "bags.npz") as arrays:
        ends = np.cumsum(arrays["sizes"])[:-1]
        return Bags(np.split(arrays["rows"], ends), arrays["y"])
