"""A thread that does one thing at a time for another thread, which goes on meanwhile."""

import logging
import threading
from collections.abc import Callable

from sgtrees.serve.bell import Bell

_LOGGER = logging.getLogger(__name__)


class HelperThread:
    """Does what it is given, one thing after the other.

    One other thread gives it work. An error is logged, and is the end of that work only.

    Parameters
    ----------
    name : str
        The thread's name.

    Examples
    --------
    >>> done = []
    >>> helper = HelperThread("helper")
    >>> helper.start()
    >>> helper.begin(lambda: done.append(1))
    >>> helper.begin(lambda: done.append(2))
    >>> helper.finish()
    >>> done
    [1, 2]
    >>> helper.stop()
    """

    def __init__(self, name: str) -> None:
        self._work: Callable[[], object] | None = None
        self._given, self._done = Bell(), Bell()
        self._is_busy = self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def begin(self, work: Callable[[], object]) -> None:
        """Let it do something as soon as it has done what it was given before."""
        self.finish()
        self._is_busy = True
        self._work = work
        self._given.ring()

    def finish(self) -> None:
        """Wait until it has done what it was given."""
        while self._is_busy:
            self._done.wait(1.0)

    def stop(self) -> None:
        """End the thread when it has done what it was given."""
        self.finish()
        self._is_stopping = True
        self._given.ring()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._given.wait(60.0)
            if self._work is not None:
                self._do_work()
            elif self._is_stopping:
                return

    def _do_work(self) -> None:
        work, self._work = self._work, None
        assert work is not None
        try:
            work()
        except Exception:
            _LOGGER.exception("%s failed", self._thread.name)
        finally:
            self._is_busy = False
            self._done.ring()
