"""What the library logs, on the console of a command."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console

_ROOT = "sgtrees"
# What is said about the data is for everyone; of the rest only warnings are.
_SHOWN = ("sgtrees.data", "sgtrees.streams")


@contextmanager
def show_log(console: Console) -> Iterator[None]:
    """Show the notes of the library's log, each once, as long as the context lasts."""
    handler = _ConsoleHandler(console)
    logger = logging.getLogger(_ROOT)
    level, propagates = logger.level, logger.propagate
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    logger.propagate = False
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        logger.propagate = propagates


class _ConsoleHandler(logging.Handler):
    def __init__(self, console: Console) -> None:
        super().__init__()
        self._console = console
        self._shown: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        text = record.getMessage()
        is_shown = record.levelno >= logging.WARNING or record.name.startswith(_SHOWN)
        if is_shown and text not in self._shown:
            self._shown.add(text)
            self._console.print(f"Note: {text}.", soft_wrap=True)
