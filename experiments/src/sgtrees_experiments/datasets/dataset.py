"""What is known of a data set before any file of it has been opened."""

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
    """How much of the paper's data a version of a data set is."""

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
        Where it is.
    name : str
        What the file is called.
    size : int
        Its bytes; 0 where they are not known.
    sha256 : str
        Its checksum; "" where nobody has published one. Then the one of the first download whose
        contents were right is kept and demanded from there on.
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
        Where they can be had; none where they cannot be had without an account.
    """

    names: tuple[str, ...]
    read: Callable[[Sequence[Path]], Data]
    downloads: tuple[Download, ...] = ()


@dataclass(frozen=True)
class Version:
    """What stands for a data set of the paper: all of it, a part of it, or something alike.

    Attributes
    ----------
    name : str
        What it is called on the command line and in tables.
    status : Status
        How much of the paper's data it is.
    about : str
        What it is, in a few words.
    shape : Shape
        How large it is; checked when it is read.
    files : tuple of Files
        The files in which it may lie, the first that are there count.
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
        What it is called on the command line.
    title : str
        What the paper calls it.
    task : Task
        What is to be learned.
    published : Shape
        How large the paper says it is (its table 1 counts some class columns as features).
    versions : tuple of Version
        What may stand for it, the whole one first.
    obtain : str
        What to do to get the whole of it.
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
