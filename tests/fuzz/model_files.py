"""Damaged model files: each is refused with a clear error, or is a model that can be used.

    python -m tests.fuzz.model_files --cases 1000000

Nothing may crash, hang, or take more memory than twice the file's size and 16 MB. A case is known
by its number: ``--first N --cases 1`` tries it again, and ``--keep FILE`` writes it to a file.
`make fuzz-sanitized` does the same with a core that watches its memory.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import mmap
import multiprocessing
import os
import struct
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from sgtrees.loading import restore
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.model_file import from_buffer, to_bytes
from sgtrees.persistence.savable import contents_of
from tests.fuzz.mutations import Mutations
from tests.fuzz.seeds import model_files

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

SPARE_MEMORY = 32 << 20
# A case that takes longer hangs.
LONGEST_CASE = 30.0


def try_out(file: bytes) -> bool:
    """Load a file; return whether it is a model, which then must predict, learn and be saved."""
    try:
        model = restore(from_buffer(file))
    except ModelFileError as error:
        if not str(error):
            raise AssertionError("a refusal must say why") from error
        return False
    if model._model is not None:
        use(model)
    return True


def use(model: Any) -> None:
    """Predict and learn; what does not suit this model's state must be refused as bad input."""
    random = np.random.default_rng(0)
    X = random.normal(size=(40, model.n_features_in_))
    nominal = model._model.schema.nominal
    X[:, nominal] = random.integers(0, 6, (40, sum(nominal)))
    X[random.random(X.shape) < 0.1] = np.nan
    core = model._model.core
    y = _targets(core, random)
    for step in (_predict, _learn, _predict):
        # A model in which a number is NaN may well not be able to learn.
        with contextlib.suppress(ValueError, RuntimeError):
            step(core, X, y)
    to_bytes(contents_of(model))


def _targets(core: Any, random: np.random.Generator) -> Any:
    if hasattr(core, "n_classes"):
        return random.integers(0, 2, 40).astype(np.int32)
    if hasattr(core, "score"):
        return random.integers(0, 2, 20).astype(np.float64)
    # Zeros, ones and more: targets that many losses take.
    return random.poisson(1.0, (40, core.n_outputs)).astype(np.float64)


def _predict(core: Any, X: Any, y: Any) -> None:
    for method in ("predict_proba", "predict", "score"):
        if hasattr(core, method):
            getattr(core, method)(X)
            return


def _learn(core: Any, X: Any, y: Any) -> None:
    if hasattr(core, "score"):
        core.learn(X, np.full(20, 2), y)
    else:
        core.learn(X, y)
    core.end_warm_up()


# --------------------------------------------------------------------------------------------------
# Many cases
# --------------------------------------------------------------------------------------------------


class Progress:
    """What the processes have done, where all can see it, and where it outlives a crash."""

    def __init__(self, jobs: int) -> None:
        self._memory = mmap.mmap(-1, 24 * jobs)

    def note(self, job: int, number: int, done: int, models: int) -> None:
        struct.pack_into("<qqq", self._memory, 24 * job, number, done, models)

    def of(self, job: int) -> tuple[int, int, int]:
        number, done, models = struct.unpack_from("<qqq", self._memory, 24 * job)
        return number, done, models


def limit_memory(largest_file: int) -> None:
    """Let this process have twice a file's size and 16 MB more than it has now."""
    if sys.platform != "linux":
        return
    status = Path("/proc/self/status").read_text()
    has_now = next(int(line.split()[1]) for line in status.splitlines() if "VmData" in line) * 1024
    limit = has_now + 2 * largest_file + SPARE_MEMORY
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def run(numbers: range, seed: int, job: int, progress: Progress, limited: bool) -> None:
    """Try some cases; the first that goes wrong is raised as it is."""
    files = model_files()
    mutations = Mutations(files)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    for file in files.values():
        assert try_out(file)
    if limited:
        limit_memory(max(map(len, files.values())))
    models = 0
    for done, number in enumerate(numbers):
        progress.note(job, number, done, models)
        faulthandler.dump_traceback_later(LONGEST_CASE, exit=True)
        models += try_out(mutations.case(seed, number))
    faulthandler.cancel_dump_traceback_later()
    progress.note(job, -1, len(numbers), models)


def run_all(first: int, cases: int, seed: int, jobs: int, limited: bool = True) -> tuple[int, int]:
    """Try all cases in some processes; return how many were models, and how many were refused."""
    progress = Progress(jobs)
    parts = [range(first + job, first + cases, jobs) for job in range(jobs)]
    context = multiprocessing.get_context("fork")
    processes = [
        context.Process(target=run, args=(part, seed, job, progress, limited))
        for job, part in enumerate(parts)
    ]
    for process in processes:
        process.start()
    began = time.monotonic()
    while any(process.is_alive() for process in processes):
        time.sleep(0.1)
        _show(progress, jobs, cases, time.monotonic() - began)
    for job, process in enumerate(processes):
        if process.exitcode != 0:
            raise SystemExit(
                f"\ncase {progress.of(job)[0]} of seed {seed} went wrong "
                f"(exit code {process.exitcode})"
            )
    models = sum(progress.of(job)[2] for job in range(jobs))
    return models, cases - models


def _show(progress: Progress, jobs: int, cases: int, seconds: float) -> None:
    if not sys.stderr.isatty():
        return
    done = sum(progress.of(job)[1] for job in range(jobs))
    sys.stderr.write(f"\r{done:,} of {cases:,} cases, {done / max(seconds, 0.01):,.0f} a second ")


def main() -> None:
    parser = argparse.ArgumentParser(description="Load damaged model files.")
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--keep", type=Path, help="write the first case to this file")
    parser.add_argument("--any-memory", action="store_true", help="do not limit the memory")
    arguments = parser.parse_args()
    if arguments.keep is not None:
        mutations = Mutations(model_files())
        arguments.keep.write_bytes(mutations.case(arguments.seed, arguments.first))
    began = time.monotonic()
    models, refused = run_all(
        arguments.first,
        arguments.cases,
        arguments.seed,
        min(arguments.jobs, arguments.cases),
        limited=not arguments.any_memory,
    )
    sys.stdout.write(
        f"\n{arguments.cases:,} damaged files in {time.monotonic() - began:.0f} s: "
        f"{refused:,} refused, {models:,} models that can be used\n"
    )


if __name__ == "__main__":
    main()
