"""Jobs: a learner over a data set, in several orders, in its own process."""

import contextlib
import importlib.metadata
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import sgtrees
from sgtrees_experiments import slipped_variance
from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets import Task
from sgtrees_experiments.execution.prepared import Prepared
from sgtrees_experiments.learners.bags import ESTIMATORS
from sgtrees_experiments.learners.catalogue import Engine, Learner
from sgtrees_experiments.learners.runs import Run, StreamRun, curve_ends, run_from, shuffled
from sgtrees_experiments.learners.streams import stream_estimator
from sgtrees_experiments.moa import StreamFiles, run_moa
from sgtrees_experiments.moa.jar import CAPYMOA
from sgtrees_experiments.moa.stream_files import write_numbers
from sgtrees_experiments.processes import ProcessError, Started, output_lines

# The exit code of a process that raised AbsentError.
ABSENT = 3
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# Parameters that change no result, or that the data decide.
_IRRELEVANT = {"bag_column", "categorical_features", "n_threads", "random_state", "verbose"}

_CHILD = "sgtrees_experiments.execution.child"
_OURS = (Engine.SGTREES, Engine.SLIPPED_SGTREES)


@dataclass(frozen=True)
class Job:
    """A learner over a data set, once for each seed.

    Attributes
    ----------
    learner : Learner
        The learner.
    task : Task
        What is learned.
    rows : int
        How many rows of each shuffle; for bags nothing.
    seeds : tuple of int
        The orders, or folds.
    """

    learner: Learner
    task: Task
    rows: int
    seeds: tuple[int, ...]

    def run(self, data: Prepared, started: Started) -> Iterator[tuple[int, Run]]:
        """Run it; yields each seed with its result, as soon as it is finished.

        Parameters
        ----------
        data : Prepared
            The data set.
        started : callable
            Called with the process, so that the caller can end it.

        Raises
        ------
        AbsentError
            If something is missing that the learner needs.
        RuntimeError
            If the learner fails.
        """
        work = self._in_java if self.learner.engine is Engine.MOA else self._in_python
        yield from zip(self.seeds, work(data, started), strict=True)

    def _in_java(self, data: Prepared, started: Started) -> Iterator[Run]:
        ends = curve_ends(self.rows)
        with TemporaryDirectory(dir=data.folder) as scratch:
            ends_file = write_numbers(ends, Path(scratch, "ends.i32"))
            stream, orders = self._orders(data, Path(scratch))
            command = self.learner.settings["command"]
            for run in run_moa(command, stream, ends_file, orders, started=started):
                yield StreamRun(run.seconds, run.nodes, ends, run.losses)

    def _orders(self, data: Prepared, scratch: Path) -> tuple[StreamFiles, list[Path]]:
        """Write the shuffles; if they need few rows, also a stream of only these."""
        n_rows = data.version.shape.rows
        orders = [shuffled(n_rows, seed, self.rows) for seed in self.seeds]
        stream = data.stream
        if len(orders) * self.rows < n_rows:
            stream = StreamFiles.write(stream.read().take(np.concatenate(orders)), scratch)
            orders = [np.arange(self.rows) + place * self.rows for place in range(len(orders))]
        written = [
            write_numbers(order, scratch / f"{place}.i32") for place, order in enumerate(orders)
        ]
        return stream, written

    def _in_python(self, data: Prepared, started: Started) -> Iterator[Run]:
        work = {
            "engine": self.learner.engine.value,
            "learner": self.learner.name,
            "settings": dict(self.learner.settings),
            "task": self.task.value,
            "folder": str(data.folder),
            "rows": self.rows,
            "seeds": self.seeds,
        }
        command = [sys.executable, "-m", _CHILD, json.dumps(work)]
        if self.learner.engine is Engine.SLIPPED_SGTREES:
            slipped_variance.slipped_core()  # raises if it is not built
            command[2:2] = [slipped_variance.__name__]
        lines = output_lines(command, started, os.environ | _ONE_THREAD)
        try:
            with contextlib.closing(lines):
                for line in lines:
                    yield run_from(json.loads(line))
        except ProcessError as error:
            if error.code == ABSENT:
                raise AbsentError(str(error)) from error
            raise


def all_settings(learner: Learner, task: Task) -> str:
    """Return everything that a learner's results depend on, as the key of its results.

    Examples
    --------
    >>> from sgtrees_experiments.learners.catalogue import LEARNERS
    >>> all_settings(LEARNERS["vfdt"], Task.CLASSIFICATION)
    '{"capymoa": "0.15.1", "command": "trees.HoeffdingTree -l MC"}'
    """
    settings = dict(learner.settings) | _version(learner.engine)
    if learner.engine in _OURS:
        settings |= _parameters(learner, task)
    return json.dumps(settings, sort_keys=True)


def _parameters(learner: Learner, task: Task) -> dict[str, Any]:
    if task is Task.BAGS:
        estimator: Any = ESTIMATORS[learner.name](**learner.settings)
    else:
        estimator = stream_estimator(task, learner.settings)
    parameters = estimator.get_params()
    return {name: value for name, value in parameters.items() if name not in _IRRELEVANT}


def _version(engine: Engine) -> dict[str, str]:
    if engine in _OURS:
        return {engine.value: sgtrees.__version__}
    if engine is Engine.MOA:
        return {"capymoa": CAPYMOA}
    try:
        return {engine.value: importlib.metadata.version(engine.value)}
    except importlib.metadata.PackageNotFoundError:
        return {engine.value: "absent"}


def pieces(seeds: Sequence[int], most: int) -> list[tuple[int, ...]]:
    """Cut seeds into pieces for as many processes, so that none runs much longer than the others.

    Examples
    --------
    >>> pieces(range(5), 2)
    [(0, 1), (2, 3), (4,)]
    """
    return [tuple(seeds[start : start + most]) for start in range(0, len(seeds), most)]
