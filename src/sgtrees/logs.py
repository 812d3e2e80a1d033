"""Reports of long work in the log, which are shown without a set-up if the caller asks for them."""

import logging
import sys
from typing import TextIO


def report(
    logger: logging.Logger, text: str, *, verbose: int | bool, stream: TextIO | None = None
) -> None:
    """Log what has been done: as information if the caller asked for it, else for debugging.

    A program that has set up `logging` for information gets the record as any other. Where nothing
    would show it, it goes to standard output: ``verbose=1`` alone is enough to see it.

    Parameters
    ----------
    logger : Logger
        The logger of the module that reports.
    text : str
        The report.
    verbose : int or bool
        Whether the caller asked for reports.
    stream : file object, optional
        Where they go if no log shows them; standard output by default.

    Examples
    --------
    >>> report(logging.getLogger("sgtrees.example"), "[example] half done", verbose=1)
    [example] half done
    """
    level = logging.INFO if verbose else logging.DEBUG
    if verbose and not (logger.isEnabledFor(level) and logger.hasHandlers()):
        (stream or sys.stdout).write(f"{text}\n")
    else:
        logger.log(level, "%s", text)
