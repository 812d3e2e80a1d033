"""The memory of a server under load: ``python -m benchmarks.service.memory --minutes 5``.

Blocks of 1,000 rows come as fast as they are learned, predicted rows wait for labels and get them,
and the resident memory of the server is printed now and then, beside that of the trees and the
number of what is remembered. At the end it is flat if the last quarter of the run took no more than
a few MB.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from pathlib import Path

from benchmarks.service import load
from benchmarks.service.processes import Server
from benchmarks.service.rows import TARGET, as_arrow, table
from sgtrees.client import Client

_SECONDS = 5.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=20.0)
    given = parser.parse_args()
    rows = table(200_000)
    blocks = load.requests("/learn_predict", load.ARROW, as_arrow(rows, 1000))
    some = rows.slice(0, 100).to_pylist()
    labels = [row.pop(TARGET) for row in some]
    measured: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), "--checkpoint-seconds=20", "--waiting-rows=20000")
        server.ready()
        client = Client(f"http://127.0.0.1:{server.port}")
        end = time.monotonic() + 60 * given.minutes
        number = 0
        try:
            while time.monotonic() < end:
                load.closed(server.port, blocks, 8, _SECONDS)
                # Half of the rows get their labels, the others are forgotten in time.
                ids = [f"{number}-{place}" for place in range(len(some))]
                client.predict(some, ids=ids)
                for name, label in list(zip(ids, labels, strict=True))[::2]:
                    client.label(name, label)
                number += 1
                measured.append({"MB": round(server.memory(), 1)} | _gauges(server))
                print(json.dumps(measured[-1]), flush=True)
        finally:
            server.kill()
    late = [one["MB"] for one in measured[3 * len(measured) // 4 :]]
    print(json.dumps({"growth of the last quarter, MB": round(late[-1] - late[0], 1)}))


def _gauges(server: Server) -> dict[str, float]:
    """Return what the server says about its size."""
    values = dict(
        line.removeprefix("sgtrees_").split() for line in server.ask("/metrics").splitlines()
        if line.startswith("sgtrees_") and "{" not in line
    )  # fmt: skip
    return {
        "rows": float(values["model_rows"]),
        "MB of the trees": round(float(values["model_memory_bytes"]) / 1e6, 1),
        "leaves": float(values["model_leaves"]),
        "ids": float(values["remembered_ids"]),
        "waiting": float(values["waiting_rows"]),
    }


if __name__ == "__main__":
    main()
