"""Ctrl-C that never falls between learning rows and counting them."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Self


class Interrupts:
    """Holds interrupts back while rows are learned, and lets them through else.

    Examples
    --------
    >>> with Interrupts() as interrupts:
    ...     try:
    ...         with interrupts.hold():
    ...             signal.raise_signal(signal.SIGINT)
    ...             print("learned and counted")
    ...     except KeyboardInterrupt:
    ...         print("stopped")
    learned and counted
    stopped
    """

    def __init__(self) -> None:
        self._is_held = False
        self._came = False
        self._before: object = None

    def __enter__(self) -> Self:
        # Only the main thread gets signals, and may say what becomes of them.
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)  # type: ignore[arg-type]

    def _note(self, _: int, __: FrameType | None) -> None:
        if not self._is_held or self._came:
            raise KeyboardInterrupt
        self._came = True

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """Hold an interrupt back until the end; a second one goes through."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._came:
            self._came = False
            raise KeyboardInterrupt
