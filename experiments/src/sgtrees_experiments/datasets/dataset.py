"""Descriptions of data sets: tasks, shapes, versions and files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sgtrees_experiments.moa import NumericStream


class Task(Enum):
    """What is to be learned."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"
    BAGS = "bags"


class Status(Enum):
    """What a version of a data set is, compared with the paper's data."""

    WHOLE = "whole"
    PART = "part"
    STAND_IN = "stand-in"
    ABSENT = "absent"


@dataclass(frozen=True)
class Shape:
    """How large a data set is.

    Attributes
    ----------
    rows : int
        Rows, or instances of all bags.
    features : int
        Features, without the target.
    classes : int
        Classes; 0 for a regression.
    bags : int
        Bags; 0 for rows that are labelled themselves.
    """

    rows: int
    features: int
    classes: int = 0
    bags: int = 0

    def __str__(self) -> str:
        words = [f"{self.bags:,} bags"] if self.bags else []
        words += [f"{self.rows:,} x {self.features}"]
        words += [f"{self.classes} classes"] if self.classes and not self.bags else []
        return ", ".join(words)


@dataclass(frozen=True)
class Bags:
    """Bags of instances with a label each.

    Attributes
    ----------
    bags : list of ndarray
        The instances of each bag, a row each.
    y : ndarray of shape (n_bags,)
        1 for positive bags, 0 for others.
    """

    bags: list[NDArray[np.float64]]
    y: NDArray[np.int64]


Data = NumericStream | Bags


@dataclass(frozen=True)
class Download:
    """A public address of a file.

    Attributes
    ----------
    url : str
        The address.
    name : str
        The name of the file.
    size : int
        Its size in bytes; 0 if it is not known.
    sha256 : str
        Its checksum; "" if none is published. Then the checksum of the first download with the
        right contents is recorded, and later files must have it.
    """

    url: str
    name: str
    size: int = 0
    sha256: str = ""


@dataclass(frozen=True)
class Files:
    """Files that hold a data set together, and how they are read.

    Attributes
    ----------
    names : tuple of str
        The files, all of which are needed.
    read : callable
        From their paths to the data.
    downloads : tuple of Download
        Their public addresses; empty if an account is needed.
    """

    names: tuple[str, ...]
    read: Callable[[Sequence[Path]], Data]
    downloads: tuple[Download, ...] = ()


@dataclass(frozen=True)
class Version:
    """A version of a data set of the paper: all of it, a part of it, or similar data.

    Attributes
    ----------
    name : str
        Its name on the command line and in tables.
    status : Status
        How much of the paper's data it is.
    about : str
        What it is, in a few words.
    shape : Shape
        How large it is; checked when it is read.
    files : tuple of Files
        The files that may hold it; the first ones that exist are used.
    """

    name: str
    status: Status
    about: str
    shape: Shape
    files: tuple[Files, ...]


@dataclass(frozen=True)
class PaperSet:
    """A data set of the paper.

    Attributes
    ----------
    name : str
        Its name on the command line.
    title : str
        What the paper calls it.
    task : Task
        What is to be learned.
    published : Shape
        Its size according to the paper (whose table 1 counts some class columns as features).
    versions : tuple of Version
        Its versions, the whole one first.
    obtain : str
        How to get the whole of it.
    """

    name: str
    title: str
    task: Task
    published: Shape
    versions: tuple[Version, ...]
    obtain: str

    @property
    def whole(self) -> Version:
        """The version that is the paper's own."""
        return self.versions[0]
