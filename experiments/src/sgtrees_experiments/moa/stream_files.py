"""A stream as files of plain numbers, which programs in any language can read."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True)
class NumericStream:
    """Labelled rows of which categories and classes are numbers 0, 1, 2, ...

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_features)
        The rows.
    y : ndarray of shape (n_rows,)
        The targets.
    cardinalities : list of int
        The number of categories of each feature; 0 for a numeric one.
    classes : int
        The number of classes; 0 for a regression.
    """

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    cardinalities: list[int]
    classes: int

    @property
    def nominal(self) -> list[int]:
        """The columns of the nominal features."""
        return [column for column, count in enumerate(self.cardinalities) if count]

    def take(self, rows: NDArray[np.integer]) -> Self:
        """Return some of the rows, in an order."""
        return replace(self, X=self.X[rows], y=self.y[rows])


@dataclass(frozen=True)
class StreamFiles:
    """A folder with a stream in it.

    ``schema.txt`` has a line for each column, "numeric" or "nominal K", the target last;
    ``rows.f64`` holds the rows as little-endian doubles, the target last.

    Attributes
    ----------
    folder : Path
        The folder.
    """

    folder: Path

    @property
    def schema(self) -> Path:
        """The file with the types of the columns."""
        return self.folder / "schema.txt"

    @property
    def rows(self) -> Path:
        """The file with the rows."""
        return self.folder / "rows.f64"

    @classmethod
    def write(cls, stream: NumericStream, folder: Path) -> Self:
        """Write a stream into a folder.

        Examples
        --------
        >>> from tempfile import TemporaryDirectory
        >>> stream = NumericStream(np.array([[0.0, 2.5]]), np.array([1.0]), [3, 0], 2)
        >>> with TemporaryDirectory() as folder:
        ...     files = StreamFiles.write(stream, Path(folder))
        ...     print(files.schema.read_text(), np.array(files.read().X))
        nominal 3
        numeric
        nominal 2
         [[0.  2.5]]
        """
        files = cls(folder)
        columns = [*stream.cardinalities, stream.classes]
        files.schema.write_text("".join(f"nominal {k}\n" if k else "numeric\n" for k in columns))
        np.column_stack([stream.X, stream.y]).astype("<f8").tofile(files.rows)
        return files

    def read(self) -> NumericStream:
        """Read the stream; its rows stay on the disk until they are used."""
        words = [line.split() for line in self.schema.read_text().splitlines()]
        counts = [int(word[1]) if word[0] == "nominal" else 0 for word in words]
        rows = np.memmap(self.rows, dtype="<f8", mode="r").reshape(-1, len(counts))
        return NumericStream(rows[:, :-1], rows[:, -1], counts[:-1], counts[-1])


def write_numbers(numbers: ArrayLike, path: Path) -> Path:
    """Write row numbers as little-endian 32-bit integers, and return where."""
    np.asarray(numbers).astype("<i4").tofile(path)
    return path
