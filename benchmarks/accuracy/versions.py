"""Which state of the library our runs are of: those of another state are not used again."""

from __future__ import annotations

import hashlib
from pathlib import Path

import sgtrees
from sgtrees import _core

# The folders that decide what a tree learns; the others only read, write, draw and evaluate.
_DECIDING = ("parameters", "estimators", "models", "losses", "targets", "data")


def state_of_library() -> str:
    """Return a name for the compiled core and the Python code around it."""
    root = Path(sgtrees.__file__).parent
    found = hashlib.sha256(Path(_core.__file__).read_bytes())
    for folder in _DECIDING:
        for path in sorted((root / folder).rglob("*.py")):
            found.update(path.read_bytes())
    return found.hexdigest()[:12]
