"""The peers' own virtual environment, with the versions that the report names."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.moa.jar import CAPYMOA

HERE = Path(__file__).resolve().parent
REQUIREMENTS = HERE / "requirements.txt"
ENVIRONMENT = HERE.parent / ".peers-venv"
STAMP = ENVIRONMENT / "installed.txt"
PYTHON = ENVIRONMENT / ("Scripts" if sys.platform == "win32" else "bin") / "python"


def python() -> Path:
    """Return the environment's interpreter; make the environment where it is missing or stale."""
    wanted = REQUIREMENTS.read_text()
    if STAMP.exists() and STAMP.read_text() == wanted:
        return PYTHON
    print(f"making the peers' environment in {ENVIRONMENT.name} ...", file=sys.stderr, flush=True)
    _run(sys.executable, "-m", "venv", str(ENVIRONMENT))
    _run(str(PYTHON), "-m", "pip", "install", "--quiet", "-r", str(REQUIREMENTS))
    STAMP.write_text(wanted)
    return PYTHON


def versions() -> dict[str, str]:
    """Return the versions of the peers, for the report; MOA's is that of the CapyMOA it is from."""
    lines = REQUIREMENTS.read_text().split()
    return {"capymoa": CAPYMOA} | dict(line.split("==") for line in lines)


def _run(*command: str) -> None:
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        lines = finished.stderr.strip().splitlines() or ["no message"]
        raise AbsentError(f"the peers could not be installed: {lines[-1]}")
