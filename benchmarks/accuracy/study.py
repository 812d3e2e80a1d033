"""Runs what is missing, one after the other, and reports progress."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from benchmarks.accuracy.generated import all_generated
from benchmarks.accuracy.held_out import HELD_OUT
from benchmarks.accuracy.records import Records, spelled
from benchmarks.accuracy.runs import run_ours, run_peer
from benchmarks.accuracy.settings import (
    COMPARED_OF_CLASSES,
    COMPARED_OF_NUMBERS,
    LINEAR_LEAVES,
    PEERS_OF_CLASSES,
    PEERS_OF_NUMBERS,
    Settings,
    compared,
)
from benchmarks.accuracy.streams import FILE_ORDER, STREAMS, StudyStream
from sgtrees_experiments.absent import AbsentError


@dataclass(frozen=True)
class Extent:
    """How much is run.

    `seeds` are the shuffles. `rows` of each order, and generated streams of `generated_rows`, are
    used to compare settings; `rows_beside_peers` (0: all) and `generated_beside_peers` to compare
    our defaults with the peers.
    """

    seeds: int = 3
    rows: int = 20_000
    rows_beside_peers: int = 0
    generated_rows: int = 50_000
    generated_beside_peers: int = 200_000
    quick: bool = False
    added: list[Settings] = field(default_factory=list)

    @classmethod
    def quick_look(cls, added: list[Settings]) -> Extent:
        """Return what takes minutes."""
        return cls(1, 10_000, 20_000, 40_000, 40_000, quick=True, added=added)

    def settings(self, *, classification: bool) -> list[Settings]:
        """Return the settings that are compared, the defaults first."""
        return compared(classification=classification, quick=self.quick, added=self.added)


class Job(NamedTuple):
    """Runs of one learner, ours with some settings or a peer, over one stream in some orders."""

    stream: StudyStream
    orders: list[str]
    rows: int
    settings: Settings | None = None
    peer: str = ""

    @property
    def learner(self) -> str:
        """The learner as records name it."""
        return self.peer or spelled(self.settings or {})

    def without(self, records: Records) -> Job:
        """Return what of it is not there yet."""
        missing = [
            order
            for order in self.orders
            if (self.stream.name, order, self.learner, self.rows) not in records.of
        ]
        return self._replace(orders=missing)


def run_study(ours: Records, peers: Records, data: Path, extent: Extent) -> list[str]:
    """Run what is not there yet, and return what cannot be run here, and why."""
    missing = [job.without(peers if job.peer else ours) for job in _jobs(extent)]
    missing = [job for job in missing if job.orders]
    absent: dict[str, str] = {}
    began = time.monotonic()
    for number, job in enumerate(missing, start=1):
        if job.stream.name in absent or job.peer in absent:
            continue
        _say(f"[{number}/{len(missing)}, {time.monotonic() - began:.0f} s] {_described(job)}")
        try:
            job.stream.files(data)
        except AbsentError as error:
            absent[job.stream.name] = str(error)
            continue
        try:
            _run(job, peers if job.peer else ours, data)
        except AbsentError as error:
            absent[job.peer] = str(error)
    return list(absent.values())


def _run(job: Job, records: Records, data: Path) -> None:
    files = job.stream.files(data)
    if job.peer:
        for run in run_peer(job.stream, files, job.orders, job.peer, job.rows):
            records.add(run)
        return
    for order in job.orders:
        records.add(run_ours(job.stream, files, order, job.settings or {}, job.rows))


def _jobs(extent: Extent) -> Iterator[Job]:
    """Yield all runs of the study."""
    for stream in STREAMS.values():
        orders = stream.orders(extent.seeds)
        yield from _beside_peers(stream, orders, extent.rows_beside_peers)
        for settings in extent.settings(classification=stream.classification):
            yield Job(stream, orders, extent.rows, settings)
    rows = extent.generated_beside_peers
    for stream in all_generated(rows).values():
        yield from _beside_peers(stream, [FILE_ORDER], rows)
    rows = extent.generated_rows
    for stream in all_generated(rows).values():
        for settings in extent.settings(classification=stream.classification):
            yield Job(stream, [FILE_ORDER], rows, settings)
    for stream in () if extent.quick else HELD_OUT.values():
        yield from _beside_peers(stream, [FILE_ORDER], 0)


def _beside_peers(stream: StudyStream, orders: list[str], rows: int) -> Iterator[Job]:
    for peer in PEERS_OF_CLASSES if stream.classification else PEERS_OF_NUMBERS:
        yield Job(stream, orders, rows, peer=peer)
    for settings in COMPARED_OF_CLASSES if stream.classification else COMPARED_OF_NUMBERS:
        yield Job(stream, orders, rows, settings)
    if stream.has_order:
        yield Job(stream, [FILE_ORDER], rows, LINEAR_LEAVES)


def _described(job: Job) -> str:
    rows = f", {job.rows:,} rows" if job.rows else ""
    return f"{job.stream.name}, {', '.join(job.orders)}{rows}: {job.learner}"


def _say(message: str) -> None:
    print(message, file=sys.stderr, flush=True)
