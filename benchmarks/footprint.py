"""What the package itself weighs: its import time and its wheel."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.isolation import ROOT
from sgtrees_experiments.absent import AbsentError


def scikit_learn_modules() -> list[str]:
    """List the modules of scikit-learn that `import sgtrees` loads."""
    importlib.import_module("sgtrees")
    return sorted(name for name in sys.modules if name.split(".")[0] == "sklearn")


def import_seconds(beforehand: list[str]) -> dict[str, Any]:
    """Time `import sgtrees` after the modules in `beforehand` are already loaded."""
    for name in beforehand:
        importlib.import_module(name)
    begin = time.process_time()
    importlib.import_module("sgtrees")
    return {"seconds": time.process_time() - begin}


def wheel() -> dict[str, Any]:
    """Weigh the newest wheel in dist/; build one where there is none."""
    built = sorted((ROOT / "dist").glob("sgtrees-*.whl"), key=lambda path: path.stat().st_mtime)
    if built:
        return {"bytes": built[-1].stat().st_size, "name": built[-1].name}
    if not (ROOT / "CMakeLists.txt").exists() or not (ROOT / "pyproject.toml").exists():
        raise AbsentError("no wheel in dist/ and nothing to build one from")
    with tempfile.TemporaryDirectory() as scratch:
        subprocess.run(
            [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", scratch, str(ROOT)],
            capture_output=True,
            check=False,
        )
        made = next(Path(scratch).glob("*.whl"), None)
        if made is None:
            raise AbsentError("no wheel in dist/, and `pip wheel .` fails")
        return {"bytes": made.stat().st_size, "name": made.name}
