"""Where and with what a run was made: the processor, the versions, the day."""

from __future__ import annotations

import datetime as dt
import importlib.metadata
import platform
import re
import shutil
import subprocess
from pathlib import Path

from benchmarks.peers import environment

OURS = ("sgtrees", "numpy", "scikit-learn", "pandas", "pyarrow")


def describe() -> dict[str, str]:
    facts = {
        "Date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "Processor": _processor(),
        "System": f"{platform.system()} {platform.machine()}",
        "Python": platform.python_version(),
        "Java": _java(),
    }
    facts |= {name: _version(name) for name in OURS}
    return facts | {f"{name} (peer)": version for name, version in environment.versions().items()}


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        found = re.search(r"model name\s*:\s*(.+)", information.read_text())
        if found:
            return found[1].strip()
    return platform.processor() or "unknown"


def _java() -> str:
    if not shutil.which("java"):
        return "none"
    finished = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False)
    found = re.search(r'version "([^"]+)"', finished.stderr)
    return found[1] if found else "unknown"


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "not installed"
