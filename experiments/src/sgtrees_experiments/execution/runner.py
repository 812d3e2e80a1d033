"""Runs a plan on several cores, and continues where an earlier run stopped."""

import queue
import subprocess
import threading
from collections.abc import Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets import Found
from sgtrees_experiments.execution.jobs import Job, pieces
from sgtrees_experiments.execution.plan import Plan, Series
from sgtrees_experiments.execution.prepared import Prepared, prepare
from sgtrees_experiments.execution.results import Key, Results
from sgtrees_experiments.learners.catalogue import Engine
from sgtrees_experiments.learners.runs import Run

# Runs of one process: with more, the last process ends late; with fewer, data is read too often.
_RUNS_AT_A_TIME = 5
# About how long a row takes; the longest series is started first.
_COST = {
    Engine.SGTREES: 1.0,
    Engine.SLIPPED_SGTREES: 1.0,
    Engine.MOA: 10.0,
    Engine.RIVER: 500.0,
    Engine.LIGHTGBM: 10.0,
}


@dataclass(frozen=True)
class Reading:
    """A data set is being read."""

    name: str


@dataclass(frozen=True)
class Finished:
    """A run is finished."""

    key: Key
    run: Run


@dataclass(frozen=True)
class Failed:
    """Some runs failed; ``reason`` has the cause and what to do."""

    what: str
    runs: int
    reason: str
    absent: bool


Event = Reading | Finished | Failed


def missing_runs(plan: Plan, results: Results) -> int:
    """Return the number of runs that are missing."""
    return sum(key not in results.of for series in plan.series for key in series.keys)


def run_plan(
    plan: Plan, results: Results, n_jobs: int, scratch: Path
) -> Generator[Event, None, None]:
    """Run what is missing; results are kept as soon as they are there.

    Parameters
    ----------
    plan : Plan
        What is to be run.
    results : Results
        The finished runs; new ones are added.
    n_jobs : int
        Processes at a time.
    scratch : Path
        A folder for temporary files.

    Yields
    ------
    Event
        What happens.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    todo = [series for series in plan.series if any(key not in results.of for key in series.keys)]
    with TemporaryDirectory(dir=scratch) as folder, _Workers(n_jobs) as workers:
        prepared: dict[str, Prepared | None] = {}
        for series in sorted(todo, key=_cost, reverse=True):
            name = series.found.version.name
            missing = [key for key in series.keys if key not in results.of]
            if name not in prepared:
                yield Reading(name)
                prepared[name], failure = _prepared(series.found, Path(folder, name))
                if failure:
                    lost = sum(len(s.seeds) for s in todo if s.found.version.name == name)
                    yield Failed(name, lost, failure, absent=True)
            data = prepared[name]
            if data is not None:
                workers.give(series, missing, data)
            # Report what has finished before the next data set is read.
            yield from workers.happened(results)
        yield from workers.rest(results)


def _prepared(found: Found, folder: Path) -> tuple[Prepared | None, str]:
    try:
        return prepare(found, folder), ""
    except AbsentError as absent:
        return None, str(absent)


def _cost(series: Series) -> float:
    rows = series.rows or series.found.version.shape.rows
    return rows * _COST[series.learner.engine]


class _Workers:
    """Threads that each follow one process at a time, and report events through a queue."""

    def __init__(self, n_jobs: int) -> None:
        self._pool = ThreadPoolExecutor(n_jobs)
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._given = 0
        self._ended = 0
        self._processes: set[subprocess.Popen[str]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Stop all processes that still run."""
        with self._lock:
            self._stopped = True
            for process in self._processes:
                process.kill()
        self._pool.shutdown(cancel_futures=True)

    def give(self, series: Series, missing: list[Key], data: Prepared) -> None:
        """Start the missing runs of a series."""
        key_of = {key.seed: key for key in missing}
        for seeds in pieces([key.seed for key in missing], _RUNS_AT_A_TIME):
            self._given += 1
            job = Job(series.learner, series.task, series.rows, seeds)
            self._pool.submit(self._work, job, data, key_of)

    def _work(self, job: Job, data: Prepared, key_of: dict[int, Key]) -> None:
        done = 0
        try:
            for seed, run in job.run(data, self._started):
                done += 1
                self._events.put(Finished(key_of[seed], run))
        except (AbsentError, RuntimeError, OSError, ValueError) as error:
            if not self._stopped:
                what = f"{job.learner.title} on {data.version.name}"
                absent = isinstance(error, AbsentError)
                self._events.put(Failed(what, len(job.seeds) - done, str(error), absent))
        finally:
            self._events.put(None)

    def _started(self, process: "subprocess.Popen[str]") -> None:
        with self._lock:
            self._processes = {p for p in self._processes if p.poll() is None} | {process}
            if self._stopped:
                process.kill()

    def happened(self, results: Results) -> Iterator[Event]:
        """Yield the events since the last call."""
        while not self._events.empty():
            yield from self._next(results)

    def rest(self, results: Results) -> Iterator[Event]:
        """Yield the events until all jobs are done."""
        while self._ended < self._given:
            yield from self._next(results)

    def _next(self, results: Results) -> Iterator[Event]:
        event = self._events.get()
        if event is None:
            self._ended += 1
            return
        if isinstance(event, Finished):
            results.add(event.key, event.run)
        yield event
