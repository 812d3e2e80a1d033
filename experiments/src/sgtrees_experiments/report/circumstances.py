"""The circumstances of a run: the processor, the versions, the day."""

import datetime as dt
import importlib.metadata
import os
import platform
import re
from pathlib import Path

from sgtrees_experiments.execution.plan import Choice
from sgtrees_experiments.moa.jar import CAPYMOA

_PACKAGES = ("sgtrees", "numpy", "scipy", "scikit-learn", "river", "lightgbm")


def circumstances(choice: Choice) -> dict[str, str]:
    """Return the machine, the versions and the size of a run."""
    facts = {
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}, Python {platform.python_version()}",
        "MOA": f"of CapyMOA {CAPYMOA}",
        "shuffles, repetitions": str(choice.runs),
    }
    if choice.rows is not None:
        facts["rows"] = f"at most {choice.rows:,} of each stream, too few for a result"
    return facts | {name: _version(name) for name in _PACKAGES}


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        found = re.search(r"model name\s*:\s*(.+)", information.read_text())
        if found:
            return found[1].strip()
    return platform.processor() or "unknown"


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
