"""Checkpoints of a served model: when one is due, and a thread that writes it."""

import logging
import threading
import time

from sgtrees.persistence import ModelFileError
from sgtrees.serve.state_folder import StateFolder
from sgtrees.serve.waiting_rows import StoreError

_LOGGER = logging.getLogger(__name__)

# One is due after so many records or rows: they are what a start has to learn again.
_RECORDS_BETWEEN = 50_000
_ROWS_BETWEEN = 2_000_000


class CheckpointWriter:
    """Writes the state to its folder from time to time.

    Parameters
    ----------
    state : StateFolder
        The model and its log.
    seconds : float
        The time between checkpoints.
    """

    def __init__(self, state: StateFolder, seconds: float) -> None:
        self.last = time.time()
        self.failure: str | None = None
        self.is_wanted = False
        self._state = state
        self._seconds = seconds
        self._writing: threading.Thread | None = None
        self._latest = (state.position, state.model.rows, time.monotonic())

    @property
    def is_writing(self) -> bool:
        """Whether one is being written."""
        return self._writing is not None and self._writing.is_alive()

    def is_due(self) -> bool:
        """Return whether one should be made now."""
        if self.is_writing:
            return False
        records, rows, at = self._latest
        if self._state.log.next == records:
            self.is_wanted = False
            return False
        return (
            self.is_wanted
            or time.monotonic() - at >= self._seconds
            or self._state.log.next - records >= _RECORDS_BETWEEN
            or self._state.model.rows - rows >= _ROWS_BETWEEN
        )

    def begin(self) -> None:
        """Copy the state, and let another thread write it."""
        self.is_wanted = False
        self._latest = (self._state.log.next, self._state.model.rows, time.monotonic())
        try:
            write = self._state.take()
        except (ModelFileError, MemoryError) as error:
            self._note_lost(error)
            return

        def run() -> None:
            try:
                write()
                self.last = time.time()
                self.failure = None
            except (OSError, ModelFileError, StoreError, MemoryError) as error:
                self._note_lost(error)

        self._writing = threading.Thread(target=run, name="checkpoint", daemon=True)
        self._writing.start()

    def _note_lost(self, error: Exception) -> None:
        # The log has everything; a start takes longer.
        self.failure = str(error)
        _LOGGER.error("no checkpoint: %s", error)

    def finish(self) -> None:
        """Wait for one that is being written."""
        if self._writing is not None:
            self._writing.join()
