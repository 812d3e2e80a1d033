"""The rows that runs send: six numbers, two nominal columns, and a class."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa

TARGET = "label"


def table(n_rows: int, seed: int = 0) -> pa.Table:
    random = np.random.default_rng(seed)
    numbers = {f"x{place}": random.normal(size=n_rows).round(4) for place in range(6)}
    carrier = random.choice(["AA", "B6", "DL", "UA"], n_rows)
    airport = random.choice([f"A{place:02d}" for place in range(30)], n_rows)
    score = numbers["x0"] + (carrier == "UA") * numbers["x1"] - 0.5 * (numbers["x2"] > 0.3)
    label = np.where(score + random.normal(scale=0.3, size=n_rows) > 0, "late", "in time")
    return pa.table({**numbers, "carrier": carrier, "airport": airport, TARGET: label})


def as_json(rows: pa.Table) -> list[bytes]:
    """One JSON object for each row."""
    return [json.dumps(row, separators=(",", ":")).encode() for row in rows.to_pylist()]


def as_arrow(rows: pa.Table, n_rows: int) -> list[bytes]:
    """One Arrow stream for each block of rows."""
    bodies = []
    for start in range(0, len(rows), n_rows):
        block = rows.slice(start, n_rows).combine_chunks()
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, block.schema) as writer:
            writer.write_table(block)
        bodies.append(sink.getvalue().to_pybytes())
    return bodies
