"""How far a process's peak resident memory rises while a block of code runs."""

from __future__ import annotations

import gc
import re
import resource
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

STATUS = Path("/proc/self/status")
RESET_PEAK = Path("/proc/self/clear_refs")


class PeakMemory:
    """Context manager; `rise` is the peak inside the block minus what was resident before it.

    Linux can set the peak back to the present (write 5 to clear_refs). Elsewhere the baseline is
    the peak before the block: a rise that stays below an earlier peak reads 0.
    """

    rise = 0

    def __enter__(self) -> Self:
        gc.collect()
        if STATUS.exists():
            RESET_PEAK.write_text("5")
        self._before = _peak()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.rise = _peak() - self._before


def _peak() -> int:
    """Return the peak resident set since the process began, or since the last reset, in bytes."""
    if STATUS.exists():
        found = re.search(r"VmHWM:\s+(\d+) kB", STATUS.read_text())
        assert found is not None
        return int(found[1]) * 1024
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
