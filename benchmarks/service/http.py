"""Requests a second, the time of replies, and rows a second, beside an empty handler and river."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from benchmarks.service import load
from benchmarks.service.processes import Server, peers
from benchmarks.service.rows import as_arrow, as_json, table

CONNECTIONS = 64
CONNECTIONS_OF_BLOCKS = 16
BLOCK = 1000


def measure(seconds: float, turns: int) -> dict[str, Any]:
    """All figures of one run: each is the best of several turns, in which all are measured."""
    rows = table(200_000)
    single, blocks = as_json(rows.slice(0, 50_000)), as_arrow(rows, BLOCK)
    found: list[dict[str, float]] = []
    with tempfile.TemporaryDirectory() as folder, peers() as port:
        # Checkpoints every two seconds: some are written in every turn.
        server = Server(Path(folder), "--checkpoint-seconds=2")
        server.ready()
        try:
            found += [_turn(server.port, port, single, blocks, seconds) for _ in range(turns)]
        finally:
            server.kill()
    least = ("p50_ms", "p99_ms")
    return {
        name: (min if name in least else max)(turn[name] for turn in found) for name in found[0]
    }


def _turn(
    ours: int, theirs: int, single: list[bytes], blocks: list[bytes], seconds: float
) -> dict[str, float]:
    learn = load.requests("/learn_predict", load.JSON, single)
    empty = load.requests("/empty", load.JSON, single[:1000])
    river = load.requests("/river", load.JSON, single)
    many = load.requests("/learn_predict", load.ARROW, blocks)
    many_of_river = load.requests("/river", load.ARROW, blocks)
    rate = _checked(load.closed(ours, learn, CONNECTIONS, seconds))
    nothing = _checked(load.closed(theirs, empty, CONNECTIONS, seconds))
    of_river = _checked(load.closed(theirs, river, CONNECTIONS, seconds))
    steady = _checked(load.at_rate(ours, learn, 500.0, seconds))
    arrow = _checked(load.closed(ours, many, CONNECTIONS_OF_BLOCKS, seconds))
    arrow_of_river = _checked(load.closed(theirs, many_of_river, CONNECTIONS_OF_BLOCKS, seconds))
    return {
        "requests": rate.per_second,
        "empty": nothing.per_second,
        "river_requests": of_river.per_second,
        "p50_ms": steady.percentile(50),
        "p99_ms": steady.percentile(99),
        "rows": BLOCK * arrow.per_second,
        "river_rows": BLOCK * arrow_of_river.per_second,
    }


def _checked(seen: load.Seen) -> load.Seen:
    if seen.refused:
        raise RuntimeError(f"{len(seen.refused)} requests were refused: {seen.refused[0]!r}")
    return seen
