"""Runs a module with a core that pools variances as the paper's programs do: too large.

They subtract the mean where its square belongs. The library has no such option; an ablation of the
experiments uses a second build of the core, with the CMake option SGT_SLIPPED_VARIANCE::

    python -m sgtrees_experiments.slipped_variance MODULE ARGUMENT...
"""

import importlib.util
import runpy
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from sgtrees_experiments.absent import AbsentError

_BUILD = Path(__file__).resolve().parents[3] / "build" / "slipped-variance"
_CORE = "sgtrees._core"


def slipped_core() -> Path:
    """Return the file of the second build of the core.

    Raises
    ------
    AbsentError
        If it has not been built.
    """
    for suffix in EXTENSION_SUFFIXES:
        module = _BUILD / f"_core{suffix}"
        if module.exists():
            return module
    raise AbsentError(
        "the core with the slip of the paper's programs is not built; `make reproduce` builds it, "
        "or, in a clone: cmake --preset slipped-variance && cmake --build --preset slipped-variance"
    )


def replace_core() -> None:
    """Put the second build in place of the core; nothing may have imported the core before."""
    if _CORE in sys.modules:
        raise RuntimeError(f"{_CORE} is already imported")
    spec = importlib.util.spec_from_file_location(_CORE, slipped_core())
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[_CORE] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    replace_core()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
