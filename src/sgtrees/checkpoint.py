"""Checkpoints: a long training that was stopped, or killed, goes on where it was.

>>> import tempfile
>>> import numpy as np
>>> from sgtrees import SGTRegressor
>>> from sgtrees.checkpoint import Checkpoints
>>> X = np.linspace(0, 1, 5000).reshape(-1, 1)
>>> y = 10.0 * (X[:, 0] > 0.5)
>>> def train(folder, stop):
...     checkpoints = Checkpoints(folder, every_rows=1000, keep=2)
...     last = checkpoints.begin(resume=True)
...     model, rows = (last.estimator, last.rows) if last else (SGTRegressor(), 0)
...     while rows < stop:
...         model.partial_fit(X[rows : rows + 500], y[rows : rows + 500])
...         rows += 500
...         checkpoints.after(model, rows)
...     return model
>>> with tempfile.TemporaryDirectory() as folder:
...     killed = train(folder, stop=2500)
...     model = train(folder, stop=5000)
>>> bool((model.predict(X) == SGTRegressor().partial_fit(X, y).predict(X)).all())
True
"""

import re
import time
import warnings
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from sgtrees.loading import Estimator, restore
from sgtrees.persistence import ModelFileError, NewerFormatError
from sgtrees.persistence.document import Document, Fields
from sgtrees.persistence.model_file import (
    TEMPORARY_SUFFIX,
    Contents,
    PathLike,
    named,
    read_file,
    write_file,
)
from sgtrees.persistence.python_values import from_json, to_json
from sgtrees.persistence.savable import contents_of

_NAME = re.compile(r"checkpoint-([0-9]+)\.safetensors")
_DAMAGED_SUFFIX = ".damaged"


@dataclass(frozen=True)
class Checkpoint:
    """A model, and the place in its stream up to which it has learned.

    Attributes
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator, ready to learn on.
    rows : int
        How many rows of the stream it has learned (or bags, or whatever the caller counts): it
        goes on with the next one.
    progress : object
        What the caller saved beside it.
    path : Path
        The file.
    """

    estimator: Estimator
    rows: int
    progress: Any
    path: Path


class Checkpoints:
    """A directory of checkpoints of one training.

    Each is a model file that `sgtrees.load` can load too. It is written whole or not at all, so
    that a training may be killed at any moment: it loses the rows since its last checkpoint, and
    ends with the model that it would have had without being killed.

    Parameters
    ----------
    directory : str or path-like
        Where they are; made where it does not exist.
    every_rows : int, optional
        `after` saves when so many rows have come since the last checkpoint.
    every_seconds : float or None, default=60.0
        `after` saves when so much time has passed since the last one, too.
    keep : int, default=3
        How many checkpoints stay: the last ones.

    Examples
    --------
    >>> import tempfile
    >>> from sgtrees import SGTClassifier
    >>> model = SGTClassifier().partial_fit([[1.0], [2.0]], ["a", "b"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     checkpoints = Checkpoints(folder)
    ...     path = checkpoints.save(model, rows=2, progress={"errors": 1})
    ...     last = checkpoints.latest()
    >>> path.name, last.rows, last.progress
    ('checkpoint-000000000002.safetensors', 2, {'errors': 1})
    """

    def __init__(
        self,
        directory: PathLike,
        *,
        every_rows: int | None = None,
        every_seconds: float | None = 60.0,
        keep: int = 3,
    ) -> None:
        for name, value, lowest in (("every_rows", every_rows, 1), ("keep", keep, 1)):
            if value is not None and (type(value) is not int or value < lowest):
                raise ValueError(f"{name} == {value!r}, must be an integer of at least {lowest}.")
        if every_seconds is not None and not 0 <= every_seconds < inf:
            raise ValueError(f"every_seconds == {every_seconds!r}, must be at least 0, or None.")
        self.directory = Path(directory)
        self.every_rows = every_rows
        self.every_seconds = every_seconds
        self.keep = keep
        self._mark(0)

    # ---- resuming -------------------------------------------------------------------------------

    def begin(self, *, resume: bool, loss: Any = None) -> Checkpoint | None:
        """Begin a training: make the directory, and find where to go on.

        Parameters
        ----------
        resume : bool
            Whether to go on from the last checkpoint, if there is one. Without it the directory
            must hold none: a new training must not mix its checkpoints with another's.
        loss : Loss or callable, optional
            The loss, where it is one's own; see `sgtrees.load`.

        Returns
        -------
        Checkpoint or None
            The last one; None where the training begins at its first row.

        Raises
        ------
        FileExistsError
            Where there are checkpoints, and they are not to be resumed from.
        ModelFileError
            Where there are checkpoints, and none of them can be loaded.

        Warns
        -----
        UserWarning
            Where the last checkpoint is damaged, and an older one takes its place. The damaged
            file stays, under another name.
        """
        self.directory.mkdir(parents=True, exist_ok=True)
        for partial in self.directory.glob(f".checkpoint-*{TEMPORARY_SUFFIX}"):
            partial.unlink(missing_ok=True)
        paths = self.paths()
        if not resume and paths:
            raise FileExistsError(
                f"{self.directory} holds checkpoints of a training, the last one after row "
                f"{_rows_of(paths[-1]):,}; resume it, or give another directory"
            )
        found = self._latest(loss, set_aside=True)
        self._mark(0 if found is None else found.rows)
        return found

    def latest(self, loss: Any = None) -> Checkpoint | None:
        """Load the last checkpoint that is not damaged.

        Parameters
        ----------
        loss : Loss or callable, optional
            The loss, where it is one's own; see `sgtrees.load`.

        Returns
        -------
        Checkpoint or None
            The checkpoint; None where there is none.
        """
        return self._latest(loss, set_aside=False)

    def paths(self) -> list[Path]:
        """Return the files of all checkpoints, the last one at the end."""
        if not self.directory.is_dir():
            return []
        files = (path for path in self.directory.iterdir() if _NAME.fullmatch(path.name))
        return sorted(files, key=_rows_of)

    def _latest(self, loss: Any, *, set_aside: bool) -> Checkpoint | None:
        damaged: dict[Path, ModelFileError] = {}
        for path in reversed(self.paths()):
            try:
                with named(path):
                    contents = read_file(path)
                break
            except NewerFormatError:
                raise
            except ModelFileError as error:
                damaged[path] = error
        else:
            if damaged:
                raise ModelFileError("; ".join(map(str, damaged.values())))
            return None
        for wrong, reason in damaged.items():
            warnings.warn(f"{reason}; an older checkpoint takes its place", stacklevel=3)
            if set_aside:
                wrong.rename(wrong.with_name(wrong.name + _DAMAGED_SUFFIX))
        with named(path):
            return _checkpoint(path, contents, loss)

    # ---- saving ---------------------------------------------------------------------------------

    def after(self, estimator: Estimator, rows: int, progress: Any = None) -> Path | None:
        """Save a checkpoint if one is due; to be called after each block of rows.

        Parameters
        ----------
        estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
            The estimator.
        rows : int
            How many rows of the stream it has learned, from the stream's beginning.
        progress : object, optional
            Anything else to have back when resuming, such as the errors counted so far: strings,
            numbers, lists, tuples, dictionaries and arrays of them.

        Returns
        -------
        Path or None
            The file; None where no checkpoint was due.
        """
        by_rows = self.every_rows is not None and rows - self._rows >= self.every_rows
        by_time = (
            self.every_seconds is not None and time.monotonic() - self._time >= self.every_seconds
        )
        return self.save(estimator, rows, progress) if by_rows or by_time else None

    def save(self, estimator: Estimator, rows: int, progress: Any = None) -> Path:
        """Save a checkpoint, and remove those that are too old.

        Parameters
        ----------
        estimator, rows, progress
            As in `after`.

        Returns
        -------
        Path
            The file.
        """
        place: Document = {"rows": int(rows), "progress": to_json(progress, "progress")}
        path = self.directory / f"checkpoint-{int(rows):012d}.safetensors"
        self.directory.mkdir(parents=True, exist_ok=True)
        write_file(path, contents_of(estimator, checkpoint=place))
        self._mark(int(rows))
        for old in self.paths()[: -self.keep]:
            old.unlink(missing_ok=True)
        return path

    def _mark(self, rows: int) -> None:
        """Count rows and time from here to the next checkpoint."""
        self._rows = rows
        self._time = time.monotonic()


def _rows_of(path: Path) -> int:
    match = _NAME.fullmatch(path.name)
    assert match is not None
    return int(match[1])


def _checkpoint(path: Path, contents: Contents, loss: Any) -> Checkpoint:
    fields = Fields(contents.checkpoint, "checkpoint")
    rows = fields.integer("rows")
    progress = from_json(fields.take("progress"), fields.place("progress"))
    fields.finish()
    return Checkpoint(restore(contents, loss), rows, progress, path)
