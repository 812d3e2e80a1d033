"""A cluster against one process: `python -m benchmarks.cluster.speed` prints a table.

Parquet files are learned by one process and by clusters of this machine whose workers have one
thread each, in turns, and the best run of each counts; all models are the same, bit for bit, and
that is checked. Beside the time that passed stands the processor time, because other programs may
run: that of the leader (with the scheduler, which lives in its process) and that of the busiest
worker follow one another at worst, so that their sum bounds the time on a machine with nothing else
to do.
"""

from __future__ import annotations

import argparse
import importlib.util
import itertools
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dask
import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pa_parquet
from distributed import Client, LocalCluster
from scipy import special

from benchmarks import datasets, streams
from benchmarks.report import markdown_table
from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.dask import RoundReport
from sgtrees.dask.leader import Leader
from sgtrees.dask.partitions import partitions_of
from sgtrees.dask.progress import Callback
from sgtrees.dask.template import Template
from sgtrees.dask.workers import BUSY_WORKERS
from sgtrees.losses import Loss
from sgtrees.streams import open_stream
from sgtrees_experiments.absent import AbsentError

ROWS_OF_GROUP = 125_000
DRAWN_AT_ONCE = 1_000_000


class LogCosh(Loss):
    """Written in Python, as users write theirs: a few operations of NumPy."""

    def gradient_hessian(self, y: Any, raw: Any) -> tuple[Any, Any]:
        z = np.tanh(raw - y)
        return z, np.maximum(1.0 - z * z, 0.05)


class BetaLikelihood(Loss):
    """Shares between 0 and 1 under a beta distribution: work for a processor.

    The targets of `mc54`, 0 to 6, are taken as shares in sevenths.
    """

    precision = 10.0

    def gradient_hessian(self, y: Any, raw: Any) -> tuple[Any, Any]:
        share = (y + 0.5) / 7.0
        mean = special.expit(raw)
        slope = self.precision * mean * (1.0 - mean)
        a, b = self.precision * mean, self.precision * (1.0 - mean)
        expected = special.digamma(a) - special.digamma(b)
        curvature = special.polygamma(1, a) + special.polygamma(1, b)
        return slope * (expected - special.logit(share)), slope * slope * curvature


class OverdispersedCounts(Loss):
    """Counts out of six, with an effect of each row that is not observed: more work.

    The effect is normal on the scale of the logits, and integrated out by quadrature.
    """

    out_of = 6.0
    deviation = 1.0
    n_nodes = 32

    def __init__(self) -> None:
        nodes, weights = special.roots_hermitenorm(self.n_nodes)
        self._effects = self.deviation * nodes
        self._log_weights = np.log(weights)

    def gradient_hessian(self, y: Any, raw: Any) -> tuple[Any, Any]:
        logits = raw[:, None] + self._effects
        share = special.expit(logits)
        log_likelihood = y[:, None] * logits + self.out_of * special.log_expit(-logits)
        posterior = special.softmax(log_likelihood + self._log_weights, axis=1)
        score = (posterior * (y[:, None] - self.out_of * share)).sum(axis=1)
        return -score, self.out_of * (posterior * share * (1.0 - share)).sum(axis=1)


def mc54(rows: int) -> tuple[Any, Any]:
    """Seven classes, 54 features; the rows drawn at once come again, in another order."""
    path = datasets.directory().parent / "streams.py"
    if not path.exists():
        raise AbsentError(f"no {path.name} beside the data")
    spec = importlib.util.spec_from_file_location("shared_streams", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    X, y = module.mc54(DRAWN_AT_ONCE)
    return lambda part: _again(X, y, part), rows


def bin28(rows: int) -> tuple[Any, Any]:
    """Two classes, 28 features."""
    X, y = streams.collider(DRAWN_AT_ONCE)
    return lambda part: _again(X, y, part), rows


def _again(X: Any, y: Any, part: int) -> tuple[Any, Any]:
    order = np.random.default_rng(part).permutation(len(y))
    return X[order], y[order]


def written(draw: Callable[[int], tuple[Any, Any]], rows: int, folder: Path) -> str:
    for part in range(-(-rows // DRAWN_AT_ONCE)):
        X, y = draw(part)
        n = min(DRAWN_AT_ONCE, rows - part * DRAWN_AT_ONCE)
        columns = {f"x{place:02}": X[:n, place] for place in range(X.shape[1])}
        table = pa.table(columns | {"y": y[:n]})
        path = folder / f"part-{part}.parquet"
        pa_parquet.write_table(table, path, row_group_size=ROWS_OF_GROUP)
    return str(folder / "*.parquet")


@dataclass(frozen=True)
class Case:
    """What is learned: the stream, the estimator, its settings."""

    draw: Callable[[int], tuple[Any, Any]]
    estimator: Any
    settings: dict[str, Any]


# A cluster has rows enough for many of them at each leaf, and none need be handed down.
OF_CLUSTERS = {"grace_period": 10_000, "kept_rows": 0}
CASES = {
    "mc54, committee": Case(mc54, SGTClassifier, OF_CLUSTERS),
    "mc54, a loss in Python (quadrature)": Case(
        mc54, SGTRegressor, OF_CLUSTERS | {"loss": OverdispersedCounts()}
    ),
    "mc54, a loss in Python (digamma)": Case(
        mc54, SGTRegressor, OF_CLUSTERS | {"loss": BetaLikelihood()}
    ),
    "mc54, a loss in Python (tanh)": Case(mc54, SGTRegressor, OF_CLUSTERS | {"loss": LogCosh()}),
    "mc54, committee, grace_period=2000, kept_rows=500": Case(
        mc54, SGTClassifier, {"grace_period": 2000}
    ),
    "bin28": Case(bin28, SGTClassifier, OF_CLUSTERS),
}


def processor_seconds(process: int) -> float:
    times = psutil.Process(process).cpu_times()
    return float(times.user + times.system)


def _look_at(files: str | list[str]) -> int:
    """Read the first block, with all that must be imported for it."""
    return len(next(iter(open_stream(files, "y"))))


def on_this_process(case: Case, files: str | list[str]) -> tuple[Any, float, float]:
    _look_at(files)
    began, used = time.perf_counter(), time.process_time()
    model = case.estimator(round_rows="auto", **case.settings)
    for block in open_stream(files, "y"):
        model.partial_fit(block.X, block.y)
    model.model_.core.end_round()
    return model, time.perf_counter() - began, time.process_time() - used


def _half(name: str, files: list[str], ready: Any, seconds: Any) -> None:
    _look_at(files[0])
    ready.wait()
    seconds.put(on_this_process(CASES[name], files)[1])


def side_by_side(name: str, files: str) -> float:
    """Learn half of the files in each of two processes that know nothing of each other.

    No way of sharing the work between two cores of this machine can take less time: how much
    slower a core is where the other one works, too, is in it.
    """
    paths = [str(path) for path in sorted(Path(files).parent.glob("*.parquet"))]
    spawning = multiprocessing.get_context("spawn")
    ready, seconds = spawning.Barrier(2), spawning.Queue()
    halves = [paths[: len(paths) // 2], paths[len(paths) // 2 :]]
    processes = [
        spawning.Process(target=_half, args=(name, half, ready, seconds)) for half in halves
    ]
    for process in processes:
        process.start()
    longest = max(float(seconds.get()) for _ in processes)
    for process in processes:
        process.join()
    return longest


def learn_unmeasured(model: Any, files: str, client: Client, callback: Callback) -> None:
    """Learn as an estimator of a cluster does, but without the error that it measures."""
    partitions = partitions_of(files, "y", None, client, None)
    first = partitions.first
    model.model_ = model.prepare(first.X, first.y, first.weights).model
    leader = Leader(client, model.model_, Template.of(model), callback)
    leader.learn(partitions.all, n_partitions=len(partitions), ends=True)


def on_cluster(case: Case, files: str, n_workers: int) -> tuple[Any, dict[str, float]]:
    with (
        dask.config.set(BUSY_WORKERS),
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, direct_to_workers=True) as client,
    ):
        # Imports are made once in the life of a process.
        client.run(importlib.import_module, "sgtrees.dask.statistics")
        client.run(_look_at, files)
        workers = list(client.run(os.getpid).values())
        before = [processor_seconds(worker) for worker in workers]
        rounds: list[RoundReport] = []
        model = case.estimator(round_rows="auto", **case.settings)
        began, used = time.perf_counter(), time.process_time()
        learn_unmeasured(model, files, client, rounds.append)
        seconds, leader = time.perf_counter() - began, time.process_time() - used
        after = [processor_seconds(worker) for worker in workers]
    busy = [later - earlier for later, earlier in zip(after, before, strict=True)]
    shared = [report for report in rounds if report.workers > 0]
    rows = sum(
        later.rows - earlier.rows
        for earlier, later in itertools.pairwise(rounds)
        if later.workers > 0
    )
    return model, {
        "seconds": seconds,
        "leader": leader,
        "busiest": max(busy),
        "rounds": len(shared),
        "received": sum(report.received for report in shared) / max(rows, 1),
        "sent": sum(report.sent for report in shared) / max(len(shared), 1),
        "rows": rows / max(len(shared), 1),
    }


def _nothing(*_: Any) -> None:
    """What a task of an empty round does."""


def seconds_of_empty_round(n_workers: int, rounds: int = 30) -> float:
    """Return the median time of the messages of a round in which there is nothing to do."""
    with (
        dask.config.set(BUSY_WORKERS),
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=":0") as cluster,
        Client(cluster, direct_to_workers=True) as client,
    ):
        client.run(os.getpid)
        times = []
        for _ in range(rounds):
            began = time.perf_counter()
            frozen = client.submit(_nothing, pure=False)
            parts = [client.submit(_nothing, frozen, pure=False) for _ in range(2 * n_workers)]
            while len(parts) > 1:
                parts = [
                    client.submit(_nothing, frozen, *parts[i : i + 2], pure=False)
                    for i in range(0, len(parts), 2)
                ]
            parts[0].result()
            times.append(time.perf_counter() - began)
    return float(np.median(times))


def assert_same(here: Any, there: Any) -> None:
    first, second = here.model_.core.state(), there.model_.core.state()
    assert all(np.array_equal(first[key], second[key], equal_nan=True) for key in first)


def measured(name: str, rows: int, workers: list[int], repeats: int) -> list[list[str]]:
    case = CASES[name]
    with tempfile.TemporaryDirectory() as folder:
        draw, rows = case.draw(rows)  # type: ignore[arg-type]
        files = written(draw, rows, Path(folder))
        here: list[tuple[float, float]] = []
        there: dict[int, list[dict[str, float]]] = {n: [] for n in workers}
        halves: list[float] = []
        # In turns, since the pace of machines changes.
        for _ in range(repeats):
            model, seconds, used = on_this_process(case, files)
            here.append((seconds, used))
            sys.stderr.write(f"{name}: {rows:,} rows here {seconds:.1f} s, {used:.1f} s used\n")
            for n_workers in workers:
                other, found = on_cluster(case, files, n_workers)
                assert_same(model, other)
                there[n_workers].append(found)
                sys.stderr.write(f"{name}: {n_workers} workers {found}\n")
            halves.append(side_by_side(name, files))
    seconds, used = min(here)
    lines = [
        [name, "here", f"{seconds:.1f}", f"{used:.1f}", *[""] * 6],
        [
            name,
            "half in each of two",
            f"{min(halves):.1f}",
            "",
            f"{seconds / min(halves):.2f}",
            *[""] * 5,
        ],
    ]
    for n_workers in workers:
        found = min(there[n_workers], key=lambda run: run["seconds"])
        path = found["leader"] + found["busiest"]
        lines.append(
            [
                name,
                f"{n_workers} worker" + ("s" if n_workers > 1 else ""),
                f"{found['seconds']:.1f}",
                f"{found['leader']:.1f} + {found['busiest']:.1f}",
                f"{seconds / found['seconds']:.2f}",
                f"{used / path:.2f}",
                f"{found['rounds']:.0f}",
                f"{found['rows']:,.0f}",
                f"{found['received']:,.0f}",
                f"{found['sent'] / 1000:,.0f}",
            ]
        )
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--workers", type=int, nargs="*", default=[2])
    parser.add_argument("--repeats", type=int, default=3, help="the best of each counts")
    parser.add_argument("--cases", nargs="*", default=list(CASES))
    arguments = parser.parse_args()
    lines = []
    for name in arguments.cases:
        lines += measured(name, arguments.rows, arguments.workers, arguments.repeats)
    head = [
        "work",
        "who",
        "s",
        "processor s (leader + busiest worker)",
        "x by time",
        "x by processor time",
        "rounds",
        "rows a round",
        "bytes received a row",
        "kB sent a round",
    ]
    sys.stdout.write(markdown_table(head, lines) + "\n")
    for n_workers in arguments.workers:
        empty = 1000 * seconds_of_empty_round(n_workers)
        sys.stdout.write(f"An empty round of {n_workers} workers: {empty:.0f} ms\n")


if __name__ == "__main__":
    main()
