"""Runs what is missing, one after the other, and reports progress."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import NamedTuple

from benchmarks.accuracy.held_out import HELD_OUT
from benchmarks.accuracy.records import Records, spelled
from benchmarks.accuracy.runs import run_ours, run_peer
from benchmarks.accuracy.settings import (
    COMPARED_OF_CLASSES,
    COMPARED_OF_NUMBERS,
    LINEAR_LEAVES,
    OF_CLASSES,
    OF_NUMBERS,
    PEERS_OF_CLASSES,
    PEERS_OF_NUMBERS,
    Settings,
)
from benchmarks.accuracy.streams import FILE_ORDER, STREAMS, StudyStream


class Extent(NamedTuple):
    """How much is run: shuffles, and the most rows of a stream in the comparison of settings."""

    seeds: int = 3
    rows: int = 20_000


def run_study(records: Records, data: Path, extent: Extent) -> None:
    """Run the peers and our trees."""
    for stream in STREAMS.values():
        _compare_with_peers(stream, stream.orders(extent.seeds), records, data)
        _compare_settings(stream, records, data, extent)
    for stream in HELD_OUT.values():
        _compare_with_peers(stream, [FILE_ORDER], records, data)


def _compare_with_peers(
    stream: StudyStream, orders: list[str], records: Records, data: Path
) -> None:
    for learner in PEERS_OF_CLASSES if stream.classification else PEERS_OF_NUMBERS:
        todo = [order for order in orders if (stream.name, order, learner, 0) not in records.of]
        if todo:
            _say(f"{stream.name}: {learner}")
            for run in run_peer(stream, stream.files(data), todo, learner):
                records.add(run)
    for settings in COMPARED_OF_CLASSES if stream.classification else COMPARED_OF_NUMBERS:
        _run_missing(stream, settings, orders, 0, records, data)
    whole = stream.files(data).read()
    if stream.has_order and len(whole.nominal) < whole.X.shape[1]:
        _run_missing(stream, LINEAR_LEAVES, [FILE_ORDER], 0, records, data)


def _compare_settings(stream: StudyStream, records: Records, data: Path, extent: Extent) -> None:
    orders = stream.orders(extent.seeds)
    for settings in OF_CLASSES if stream.classification else OF_NUMBERS:
        _run_missing(stream, settings, orders, extent.rows, records, data)


def _run_missing(
    stream: StudyStream,
    settings: Settings,
    orders: list[str],
    rows: int,
    records: Records,
    data: Path,
) -> None:
    for order in orders:
        if (stream.name, order, spelled(settings), rows) not in records.of:
            _say(f"{stream.name}, order {order}: {spelled(settings)}")
            records.add(run_ours(stream, stream.files(data), order, settings, rows))


def _say(message: str) -> None:
    print(f"  {message} ...", file=sys.stderr, flush=True)
