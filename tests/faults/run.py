"""Faults at random moments: ``python -m tests.faults.run`` makes 300 runs.

Each is disturbed, resumed, and compared with one that was not (`tests.faults.scenarios`;
`tests.faults.clusters` has those of Dask and ``reproduce``). Every other one runs as a user without
rights, if this one is root; those that need root are left out if not. The counts go into
docs/reliability.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.faults.clusters import nobody_can_run, run_apart
from tests.faults.scenarios import SCENARIOS, Place, full_disk, no_permission, read_only_disk
from tests.marked_page import PAGE, write_section

_RECORD = PAGE.parents[1] / "build" / "faults.json"
_ALL = 300
_OF_ROOT = (full_disk, read_only_disk)
_CLUSTERS = (
    ("Dask, a worker stopped by SIGKILL or SIGTERM", "dask", 10),
    ("reproduce, stopped by SIGKILL, SIGTERM or SIGINT", "reproduce", 10),
)


def counts(runs: int, seed: int, folder: Path, only: str = "") -> Iterator[tuple[str, int, int]]:
    """Make the runs; yield for each kind how many there were, and how many as a normal user."""
    chance, is_root = random.Random(seed), os.geteuid() == 0
    place = Place(folder)
    for name, (scenario, of_all) in SCENARIOS.items():
        if only not in name or (scenario in _OF_ROOT and not is_root):
            continue
        n = max(1, of_all * runs // _ALL)
        n_as_nobody = 0
        for number in range(n):
            # (Root may write anywhere.)
            as_nobody = is_root and (number % 2 == 1 or scenario is no_permission)
            n_as_nobody += as_nobody or not is_root
            scenario(place, chance, as_nobody)
        print(f"{name}: {n}", flush=True)  # noqa: T201
        yield name, n, n_as_nobody
    for name, kind, of_all in _CLUSTERS:
        if only not in name:
            continue
        n = max(1, of_all * runs // _ALL)
        n_as_nobody = n // 2 if nobody_can_run(folder) else 0
        for as_nobody, part in ((False, n - n_as_nobody), (True, n_as_nobody)):
            if part > 0:
                place_of_kind = folder / f"{kind}-{as_nobody}"
                run_apart(kind, place_of_kind, chance.getrandbits(32), part, as_nobody=as_nobody)
        print(f"{name}: {n}", flush=True)  # noqa: T201
        yield name, n, n_as_nobody if is_root else n


def main() -> None:
    """Make the runs, and write their counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=_ALL)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="kinds whose name has this in it")
    parser.add_argument("--record", type=Path, default=_RECORD, help="the counts of earlier runs")
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    record = json.loads(given.record.read_text()) if given.record.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        place = Path(folder, "faults")
        for name, n, n_as_nobody in counts(given.runs, given.seed, place, given.only):
            record[name] = [n, n_as_nobody]
            given.record.parent.mkdir(parents=True, exist_ok=True)
            given.record.write_text(json.dumps(record, indent=1))
    found = [(name, *numbers) for name, numbers in record.items()]
    total, as_nobody = sum(n for _, n, _ in found), sum(n for _, _, n in found)
    whole = f"{total} runs, {as_nobody} of them as a user without rights: all ended as if nothing"
    lines = [
        f"{whole} had happened.",
        "",
        "| fault | runs | as a normal user |",
        "|---|---:|---:|",
        *(f"| {name} | {n} | {of_nobody} |" for name, n, of_nobody in found),
    ]
    write_section(given.page, "faults", "\n".join(lines))


if __name__ == "__main__":
    main()
