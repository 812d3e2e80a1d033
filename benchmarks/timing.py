"""CPU time of this process, the best of several runs, each on a subject of its own."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import TypeVar

Subject = TypeVar("Subject")
Result = TypeVar("Result")


def best_of(
    repeats: int, prepare: Callable[[], Subject], action: Callable[[Subject], Result]
) -> tuple[float, Subject, Result]:
    """Return the least CPU seconds that `action` took, and the last subject and result."""
    seconds, subject, result = _once(prepare, action)
    for _ in range(repeats - 1):
        again, subject, result = _once(prepare, action)
        seconds = min(seconds, again)
    return seconds, subject, result


def _once(
    prepare: Callable[[], Subject], action: Callable[[Subject], Result]
) -> tuple[float, Subject, Result]:
    subject = prepare()
    gc.collect()
    begin = time.process_time()
    result = action(subject)
    return time.process_time() - begin, subject, result
