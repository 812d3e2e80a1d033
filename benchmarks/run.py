"""Run the benchmarks: `python benchmarks/run.py` (see its --help, and README.md here)."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # A script's path begins with its own directory; the package is imported from the one above.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    from benchmarks.command import main

    sys.exit(main())
