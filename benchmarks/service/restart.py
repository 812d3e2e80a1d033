"""The time of a start after a kill, against the rows of the log that it learns again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from benchmarks.service import load
from benchmarks.service.processes import Server
from benchmarks.service.rows import as_arrow, as_json, table


def measure(sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    """For each number of rows: in blocks of 1,000, and the least also one by one."""
    blocks = load.requests("/learn", load.ARROW, as_arrow(table(200_000), 1000))
    single = load.requests("/learn", load.JSON, as_json(table(20_000)))
    found = [_restart("none", [], 0)]
    found.append(_restart("requests of one row", single, 20_000))
    found += [_restart("requests of 1,000 rows", blocks, n_rows) for n_rows in sizes]
    return found


def _restart(what: str, sent: list[bytes], n_rows: int) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # No checkpoint on the way, so that all rows are in the log.
        server = Server(folder, "--checkpoint-seconds=100000")
        server.ready()
        rows = 0
        while rows < n_rows:
            load.closed(server.port, sent, 16, 0.5)
            rows = int(server.ask("/model")["rows"])
        server.kill()
        again = Server(folder)
        seconds = again.ready()
        learned = int(again.ask("/model")["rows"])
        gauges = str(again.ask("/metrics")).splitlines()
        recovery = next(line for line in gauges if line.startswith("sgtrees_recovery_seconds"))
        again.kill()
        if learned < rows:
            raise RuntimeError(f"{rows - learned} rows are lost")
        return {
            "what": what,
            "rows": rows,
            "seconds": seconds,
            "recovery": float(recovery.split()[1]),
        }
