"""Checkpoints: a long training that was stopped or killed continues where it was.

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

import logging
import re
import time
import warnings
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any

from sgtrees.atomic_file import TEMPORARY_SUFFIX, PathLike
from sgtrees.loading import Estimator, restore
from sgtrees.persistence import ModelFileError, NewerFormatError
from sgtrees.persistence.document import Document, Fields
from sgtrees.persistence.model_file import Contents, named, read_file, write_file
from sgtrees.persistence.python_values import from_json, to_json
from sgtrees.persistence.savable import contents_of

_LOGGER = logging.getLogger(__name__)
_NAME = re.compile(r"checkpoint-([0-9]+)\.safetensors")
_DAMAGED_SUFFIX = ".damaged"


@dataclass(frozen=True)
class Checkpoint:
    """A model and its position in the stream.

    Attributes
    ----------
    estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
        The estimator, ready to learn more rows.
    rows : int
        How many rows of the stream it has learned (or bags, or what else the caller counts).
    progress : object
        What the caller saved with it.
    path : Path
        The file.
    """

    estimator: Estimator
    rows: int
    progress: Any
    path: Path


@dataclass(frozen=True)
class TakenCheckpoint:
    """A state that is to be written: see `Checkpoints.take`."""

    rows: int
    contents: Contents


class Checkpoints:
    """A directory of checkpoints of one training.

    Each is a model file, which `sgtrees.load` can load too. It is written completely or not at
    all, so a training may be killed at any moment: when it is resumed it repeats the rows since its
    last checkpoint, and ends with the same model.

    Parameters
    ----------
    directory : str or path-like
        The directory; it is created if it does not exist.
    every_rows : int, optional
        `after` saves when this many rows have been learned since the last checkpoint.
    every_seconds : float or None, default=60.0
        `after` also saves when this much time has passed since the last checkpoint.
    keep : int, default=3
        How many checkpoints to keep; older ones are deleted.

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
        if every_rows is not None:
            _check_count("every_rows", every_rows)
        _check_count("keep", keep)
        if every_seconds is not None and not 0 <= every_seconds < inf:
            raise ValueError(f"every_seconds == {every_seconds!r}, must be at least 0, or None.")
        self.directory = Path(directory)
        self.every_rows = every_rows
        self.every_seconds = every_seconds
        self.keep = keep
        self._mark(0)

    # ---- resuming -------------------------------------------------------------------------------

    def begin(self, *, resume: bool, loss: Any = None) -> Checkpoint | None:
        """Begin a training: create the directory, and load the last checkpoint.

        Parameters
        ----------
        resume : bool
            Whether to continue from the last checkpoint, if there is one. If not, the directory
            must have no checkpoints: those of two trainings must not mix.
        loss : Loss or callable, optional
            The loss, if it is user-defined; see `sgtrees.load`.

        Returns
        -------
        Checkpoint or None
            The last one; None if the training begins with the first row.

        Raises
        ------
        FileExistsError
            If there are checkpoints and ``resume`` is False.
        ModelFileError
            If there are checkpoints and none of them can be loaded.

        Warns
        -----
        UserWarning
            If the last checkpoint is damaged and an older one is used. The damaged file is renamed.
        """
        self.directory.mkdir(parents=True, exist_ok=True)
        for partial in self.directory.glob(f".checkpoint-*{TEMPORARY_SUFFIX}"):
            partial.unlink(missing_ok=True)
        paths = self.paths()
        if not resume and paths:
            raise FileExistsError(
                f"{self.directory} has checkpoints of a training, the last one after row "
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
            The loss, if it is user-defined; see `sgtrees.load`.

        Returns
        -------
        Checkpoint or None
            The checkpoint; None if there is none.
        """
        return self._latest(loss, set_aside=False)

    def paths(self) -> list[Path]:
        """Return the files of all checkpoints, the oldest first."""
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
            warnings.warn(f"{reason}; an older checkpoint is used", stacklevel=3)
            if set_aside:
                wrong.rename(wrong.with_name(wrong.name + _DAMAGED_SUFFIX))
        with named(path):
            return _checkpoint(path, contents, loss)

    # ---- saving ---------------------------------------------------------------------------------

    def after(self, estimator: Estimator, rows: int, progress: Any = None) -> Path | None:
        """Save a checkpoint if one is due; call this after each block of rows.

        Parameters
        ----------
        estimator : SGTClassifier, SGTRegressor or SGTMultiInstanceClassifier
            The estimator.
        rows : int
            How many rows of the stream it has learned, counted from the first one.
        progress : object, optional
            Anything else that is needed when resuming, such as the errors counted so far: strings,
            numbers, lists, tuples, dictionaries and arrays of them.

        Returns
        -------
        Path or None
            The file; None if no checkpoint was due.
        """
        return self.save(estimator, rows, progress) if self.is_due(rows) else None

    def is_due(self, rows: int) -> bool:
        """Return whether `after` would save a checkpoint after so many rows."""
        by_rows = self.every_rows is not None and rows - self._rows >= self.every_rows
        by_time = (
            self.every_seconds is not None and time.monotonic() - self._time >= self.every_seconds
        )
        return by_rows or by_time

    def save(self, estimator: Estimator, rows: int, progress: Any = None) -> Path:
        """Save a checkpoint, and delete the oldest ones.

        Parameters
        ----------
        estimator, rows, progress
            As in `after`.

        Returns
        -------
        Path
            The file.
        """
        return self.write(self.take(estimator, rows, progress))

    def take(self, estimator: Estimator, rows: int, progress: Any = None) -> "TakenCheckpoint":
        """Return a copy of the estimator's state, for `write`: the estimator may learn meanwhile.

        Parameters
        ----------
        estimator, rows, progress
            As in `after`. What they hold is copied.

        Returns
        -------
        TakenCheckpoint
            What `write` takes, in any thread.
        """
        position: Document = {"rows": int(rows), "progress": to_json(progress, "progress")}
        taken = TakenCheckpoint(int(rows), contents_of(estimator, checkpoint=position))
        self._mark(int(rows))
        return taken

    def write(self, taken: "TakenCheckpoint") -> Path:
        """Write what `take` has returned, and delete the oldest checkpoints.

        Parameters
        ----------
        taken : TakenCheckpoint
            The state.

        Returns
        -------
        Path
            The file.
        """
        path = self.directory / f"checkpoint-{taken.rows:012d}.safetensors"
        self.directory.mkdir(parents=True, exist_ok=True)
        write_file(path, taken.contents)
        _LOGGER.info("checkpoint after %d rows: %s", taken.rows, path)
        for old in self.paths()[: -self.keep]:
            old.unlink(missing_ok=True)
        return path

    def _mark(self, rows: int) -> None:
        """Count rows and time to the next checkpoint from here."""
        self._rows = rows
        self._time = time.monotonic()


def _check_count(name: str, value: Any) -> None:
    if type(value) is not int or value < 1:
        raise ValueError(f"{name} == {value!r}, must be an integer of at least 1.")


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
