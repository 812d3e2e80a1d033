"""A stream that goes on and on: does memory stay, and does a row cost the same?

``python -m tests.soak --minutes 30`` learns as many rows as the time allows, each predicted first,
half of it without a limit of memory and half of it with ``max_memory``. The concept changes every
two million rows, and comes back after four changes. One column has 50 categories in nine rows of
ten, and in the others a category that is new in every block of 20,000 rows. Time is that of the
processor, so that other work on the machine counts little.
"""

from __future__ import annotations

import argparse
import gc
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees import SGTClassifier
from tests.marked_page import PAGE, write_section

BLOCK_ROWS = 20_000
ROWS_OF_CONCEPT = 2_000_000
N_CONCEPTS = 4
CATEGORIES = 50
SHARE_OF_NEW = 0.1
LIMIT = 8_000_000
# A run is told in so many parts of equal time.
PARTS = 6


@dataclass(frozen=True)
class Part:
    """What was measured over a part of a run."""

    rows: int
    nanoseconds_per_row: float
    resident_mb: float
    told_mb: float
    nodes: int
    error: float
    categories: int


def blocks() -> Iterator[tuple[NDArray[np.float64], NDArray[np.int64]]]:
    """Yield blocks of rows without an end."""
    generator = np.random.default_rng(0)
    weights = generator.normal(size=(N_CONCEPTS, 4))
    number = 0
    while True:
        concept = number * BLOCK_ROWS // ROWS_OF_CONCEPT % N_CONCEPTS
        X = np.empty((BLOCK_ROWS, 6))
        X[:, :5] = generator.random((BLOCK_ROWS, 5))
        X[:, 5] = generator.integers(0, CATEGORIES, BLOCK_ROWS)
        X[generator.random(BLOCK_ROWS) < SHARE_OF_NEW, 5] = CATEGORIES + number
        score = (X[:, :4] - 0.5) @ weights[concept] + 0.3 * (X[:, 5] % 3 - 1)
        noise = generator.random(BLOCK_ROWS) < 0.1
        yield X, ((score > 0) ^ noise).astype(np.int64)
        number += 1


def soak(seconds: float, **settings: Any) -> list[Part]:
    """Learn for so many seconds of processor time; return what each part of them was like."""
    model = SGTClassifier(categorical_features=[5], **settings)
    parts: list[Part] = []
    rows = part_rows = errors = 0
    spent = part_spent = 0.0
    for X, y in blocks():
        begin = time.process_time()
        errors += int((model.learn_predict(X, y) != y).sum())
        spent_here = time.process_time() - begin
        rows, part_rows = rows + len(y), part_rows + len(y)
        spent, part_spent = spent + spent_here, part_spent + spent_here
        if part_spent < seconds / PARTS:
            continue
        parts.append(
            Part(
                rows,
                1e9 * part_spent / part_rows,
                _resident_bytes() / 1e6,
                model.memory_bytes_ / 1e6,
                model.n_nodes_,
                errors / part_rows,
                len(model._model.schema.features[5].categories),
            )
        )
        part_rows, errors, part_spent = 0, 0, 0.0
        print(parts[-1], flush=True)  # noqa: T201
        if len(parts) == PARTS:
            return parts
    raise AssertionError


def _resident_bytes() -> int:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


def as_table(name: str, parts: list[Part]) -> Iterator[str]:
    """Yield the lines of a table about a run."""
    first, last = parts[1], parts[-1]  # the tree of the first part is small
    yield (
        f"{name}: {last.rows:,} rows. From the second part to the last a row costs "
        f"{last.nanoseconds_per_row / first.nanoseconds_per_row:.2f} times as much, and resident "
        f"memory grows by {last.resident_mb - first.resident_mb:.1f} MB."
    )
    yield ""
    yield "| after rows | ns of processor time per row | resident MB | `memory_bytes_`, MB | nodes | error | categories so far |"  # noqa: E501
    yield "|---:|---:|---:|---:|---:|---:|---:|"
    for p in parts:
        yield (
            f"| {p.rows:,} | {p.nanoseconds_per_row:.0f} | {p.resident_mb:.1f} "
            f"| {p.told_mb:.1f} | {p.nodes:,} | {p.error:.3f} | {p.categories:,} |"
        )
    yield ""


def main() -> None:
    """Run both, and write the tables into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0, help="of processor time in learning")
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    seconds = 30.0 * given.minutes
    runs = {
        "Without a limit": soak(seconds),
        f"With `max_memory={LIMIT:_}`": soak(seconds, max_memory=LIMIT),
    }
    lines = [line for name, parts in runs.items() for line in as_table(name, parts)]
    write_section(given.page, "soak", "\n".join(lines))


if __name__ == "__main__":
    main()
