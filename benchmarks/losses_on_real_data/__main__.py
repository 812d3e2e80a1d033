"""Losses on real data: `python -m benchmarks.losses_on_real_data` writes a page of docs/.

Test-then-train over all rows: every row is predicted before it is learned, the first ones by the
best constant so far. Each stream runs in the order of its file and shuffled with several seeds.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.isolation import ROOT
from benchmarks.losses_on_real_data.page import page
from sgtrees_experiments.absent import AbsentError

PAGE = ROOT / "docs" / "losses_on_real_data.md"
SHUFFLES = 5


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, help="at most so many rows of each stream")
    parser.add_argument("--shuffles", type=int, default=SHUFFLES, help="seeds (default: 5)")
    parser.add_argument("--without-peers", action="store_true", help="leave LightGBM out")
    parser.add_argument("--markdown", type=Path, default=PAGE, help="where the page goes")
    options = parser.parse_args()
    try:
        peers = not options.without_peers
        parts = list(page(options.rows, range(options.shuffles), with_peers=peers))
    except AbsentError as absent:
        print(absent, file=sys.stderr)
        return 1
    text = "\n\n".join(part.strip() for part in parts) + "\n"
    options.markdown.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
