"""Requests a second, the time of replies, and rows a second, beside an empty handler and river."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks import datasets
from benchmarks import streams as synthetic
from benchmarks.service import load
from benchmarks.service.processes import Server, peers
from benchmarks.service.rows import TARGET, as_arrow, as_json, table

CONNECTIONS = 64
CONNECTIONS_OF_BLOCKS = 16
BLOCK = 1000
ROWS_OF_STREAMS = 200_000


def measure(seconds: float, turns: int) -> dict[str, Any]:
    """All figures of one run: each is the best of several turns, in which all are measured."""
    made = table(ROWS_OF_STREAMS)
    single = as_json(made.slice(0, 50_000))
    streams = {"made": made, "collider": _collider()}
    streams |= {name: _real(name) for name in ("adult", "covtype")}
    return {
        **_best(turns, lambda ours, theirs: _requests(ours, theirs, single, seconds)),
        "streams": {
            name: _best(turns, partial(_blocks, blocks=as_arrow(rows, BLOCK), seconds=seconds))
            for name, rows in streams.items()
        },
    }


def _collider() -> pa.Table:
    """The stream on which the speed of trees is measured."""
    X, y = synthetic.collider(ROWS_OF_STREAMS)
    columns = {f"x{place}": X[:, place].astype(np.float64) for place in range(X.shape[1])}
    return pa.table({**columns, TARGET: y})


def _real(name: str) -> pa.Table:
    """The first rows of a real stream, in the order of its file."""
    rows = pa.Table.from_pandas(datasets.frame(name, ROWS_OF_STREAMS), preserve_index=False)
    return rows.rename_columns([TARGET if old == "target" else old for old in rows.column_names])


def _best(turns: int, turn: Callable[[int, int], dict[str, float]]) -> dict[str, float]:
    """Measure a new server and its peers, by their ports, several times in turns."""
    with tempfile.TemporaryDirectory() as folder, peers() as theirs:
        # Checkpoints every two seconds: some are written in every turn.
        server = Server(Path(folder), "--checkpoint-seconds=2")
        server.ready()
        try:
            found = [turn(server.port, theirs) for _ in range(turns)]
        finally:
            server.kill()
    least = ("p50_ms", "p99_ms")
    return {
        name: (min if name in least else max)(turn[name] for turn in found) for name in found[0]
    }


def _requests(ours: int, theirs: int, single: list[bytes], seconds: float) -> dict[str, float]:
    learn = load.requests("/learn_predict", load.JSON, single)
    empty = load.requests("/empty", load.JSON, single)
    river = load.requests("/river", load.JSON, single)
    rate = _checked(load.closed(ours, learn, CONNECTIONS, seconds))
    nothing = _checked(load.closed(theirs, empty, CONNECTIONS, seconds))
    of_river = _checked(load.closed(theirs, river, CONNECTIONS, seconds))
    steady = _checked(load.at_rate(ours, learn, 500.0, seconds))
    return {
        "requests": rate.per_second,
        "empty": nothing.per_second,
        "river_requests": of_river.per_second,
        "p50_ms": steady.percentile(50),
        "p99_ms": steady.percentile(99),
    }


def _blocks(ours: int, theirs: int, *, blocks: list[bytes], seconds: float) -> dict[str, float]:
    learn = load.requests("/learn_predict", load.ARROW, blocks)
    river = load.requests("/river", load.ARROW, blocks)
    return {
        name: BLOCK * _checked(load.closed(port, sent, CONNECTIONS_OF_BLOCKS, seconds)).per_second
        for name, port, sent in (("rows", ours, learn), ("river_rows", theirs, river))
    }


def _checked(seen: load.Seen) -> load.Seen:
    if seen.refused:
        raise RuntimeError(f"{len(seen.refused)} requests were refused: {seen.refused[0]!r}")
    return seen
