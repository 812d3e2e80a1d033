"""Accuracy on bags: `python benchmarks/multi_instance.py` writes docs/multi_instance.md."""

from __future__ import annotations

import sys
from pathlib import Path

if __name__ == "__main__":
    # A script's path begins with its own directory; the package is imported from the one above.
    sys.path[0] = str(Path(__file__).resolve().parent.parent)
    from benchmarks.bags.command import main

    main()
