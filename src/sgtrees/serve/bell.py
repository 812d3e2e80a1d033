"""A bell that wakes one thread."""

import contextlib
import threading


class Bell:
    """Wakes the thread that waits for it, or lets its next wait end at once.

    A condition would do too; but its waiter takes a lock again when it wakes, and each time asks
    for the interpreter, which the thread that rings has at that moment.

    Examples
    --------
    >>> bell = Bell()
    >>> bell.ring()
    >>> bell.ring()
    >>> bell.wait(30.0), bell.wait(0.0)
    (True, False)
    """

    def __init__(self) -> None:
        self._silence = threading.Lock()
        self._silence.acquire()

    def ring(self) -> None:
        """Wake it; several times are as good as one."""
        with contextlib.suppress(RuntimeError):  # it has been rung already
            self._silence.release()

    def wait(self, seconds: float) -> bool:
        """Wait until it is rung, so many seconds at most; return whether it was rung."""
        return self._silence.acquire(timeout=seconds)
