"""A model that follows the checkpoints of another server."""

import logging
import threading
import time
from pathlib import Path
from typing import Any

from sgtrees.checkpoint import Checkpoint, Checkpoints
from sgtrees.persistence import ModelFileError
from sgtrees.serve.errors import StateError
from sgtrees.serve.live_errors import LiveErrors
from sgtrees.serve.served_model import ServedModel
from sgtrees.serve.source import Gauges

_LOGGER = logging.getLogger(__name__)


class Follower:
    """The model of the last checkpoint in the state folder of a server that learns.

    Checkpoints are written completely or not at all, so they can be read at any time. A new one
    takes the place of the model at once; requests under way end with the one that they began with.
    Nothing is written to the folder.

    Parameters
    ----------
    folder : Path
        The state folder.
    seconds : float, default=1.0
        How often to look for a new checkpoint.

    Raises
    ------
    StateError
        If the folder has no checkpoint that can be read.
    """

    queued_rows = 0
    failure: str | None = None

    def __init__(self, folder: Path, seconds: float = 1.0) -> None:
        self.folder = folder
        self._checkpoints = Checkpoints(folder / "checkpoints")
        self._seconds = seconds
        self._unread: str | None = None
        self._is_ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="follower", daemon=True)
        try:
            found = self._checkpoints.latest()
        except (OSError, ModelFileError) as error:
            raise StateError(f"no checkpoint of {folder} can be read: {error}") from error
        if found is None:
            raise StateError(
                f"{folder} has no checkpoints: it is not the state folder of a server, or that "
                "has not started yet"
            )
        self._take(found)
        loss = getattr(self.model.estimator, "loss", None)
        self.errors = LiveErrors(self.model.task, loss)

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def stop(self) -> None:
        """End."""
        self._is_ending.set()
        self._thread.join()

    @property
    def age(self) -> float:
        """The seconds since the checkpoint was written; the model may have learned since then."""
        return max(0.0, time.time() - self._written)

    def look(self) -> bool:
        """Take the newest checkpoint, if it is another one; return whether it is."""
        paths = self._checkpoints.paths()
        if not paths or paths[-1] == self._path:
            return False
        try:
            found = self._checkpoints.latest()
        except (OSError, ModelFileError) as error:
            # It may have been deleted meanwhile, as there is a newer one.
            self._unread = str(error)
            _LOGGER.warning("no new checkpoint: %s", error)
            return False
        if found is None or found.path == self._path:
            return False
        self._take(found)
        return True

    def _take(self, found: Checkpoint) -> None:
        target, weight = found.progress["target"], found.progress["weight"]
        self._path = found.path
        try:
            self._written = found.path.stat().st_mtime
        except OSError:
            self._written = time.time()  # it has just been replaced by a newer one
        self._unread = None
        self.model = ServedModel(found.estimator, target, weight)

    def _run(self) -> None:
        while not self._is_ending.wait(self._seconds):
            try:
                self.look()
            except Exception as error:
                _LOGGER.exception("following failed")
                self._unread = repr(error)

    # ---- what can be seen -----------------------------------------------------------------------

    def why_not_learning(self) -> str | None:
        """Return why nothing can be learned: it never can."""
        return f"this server follows {self.folder}"

    def notes(self) -> dict[str, Any]:
        """Return the checkpoint and its age."""
        return {
            "follows": str(self.folder),
            "checkpoint": self._path.name,
            "checkpoint_age_seconds": round(self.age, 3),
            "checkpoint_unread": self._unread,
        }

    def gauges(self) -> Gauges:
        """Return the age of the checkpoint."""
        return {
            "checkpoint_age_seconds": ("Time since the checkpoint was written", self.age),
            "last_checkpoint_time_seconds": ("The last checkpoint", self._written),
            "checkpoint_unread": ("1 if a newer one cannot be read", self._unread is not None),
        }
