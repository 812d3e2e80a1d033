"""Runs of MOA's learners over a stream that is in memory before the clock starts."""

import contextlib
import json
import math
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path

from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.folders import cache_folder
from sgtrees_experiments.moa.jar import moa_jar
from sgtrees_experiments.moa.stream_files import StreamFiles
from sgtrees_experiments.processes import ProcessError, Started, output_lines

_DRIVER = "TestThenTrain"
_WARM_UP_ROWS = 100_000
# A row in memory: its values, and the objects around them.
_BYTES_AROUND_A_ROW = 120
_LEAST_HEAP_MB = 2048


@dataclass(frozen=True)
class MoaRun:
    """The result of one run.

    Attributes
    ----------
    seconds : float
        CPU time of the thread that predicted and learned.
    nodes : int or None
        The tree's nodes in the end.
    losses : list of float
        The sum of the losses up to each of the ends that were reached: misclassified rows, or
        absolute errors.
    second_loss : float
        A second loss summed up to the last of them: log loss, from the votes' shares and with no
        probability below 1e-15, or squared errors.
    confidence : list of [rows, sum of confidences, correct rows]
        For classes: calibration in 15 bins of equal width; empty for numbers.
    """

    seconds: float
    nodes: int | None
    losses: list[float]
    second_loss: float
    confidence: list[list[float]]


def run_moa(
    learner: str,
    stream: StreamFiles,
    ends: Path,
    orders: Sequence[Path | None],
    *,
    warm_up: int = _WARM_UP_ROWS,
    seconds: float = math.inf,
    started: Started | None = None,
) -> Iterator[MoaRun]:
    """Run a learner once for each order of the rows.

    Parameters
    ----------
    learner : str
        The learner in MOA's syntax, for example "trees.HoeffdingTree -l MC".
    stream : StreamFiles
        The rows.
    ends : Path
        A file with the numbers of rows after which losses are recorded; the last one ends a run.
    orders : sequence of Path or None
        Files with the numbers of the rows in the order in which they come; None: as in the file.
    warm_up : int, default=100_000
        Rows that are learned beforehand, for the compiler of the JVM; the learner starts anew.
    seconds : float, default=infinity
        A run that has taken more CPU time at one of the ends stops there.
    started : callable, optional
        Called with the process, so that the caller can end it.

    Yields
    ------
    MoaRun
        The result of each run, as soon as it is finished.

    Raises
    ------
    AbsentError
        If there is no Java or no MOA.
    RuntimeError
        If MOA fails.
    """
    command = [*command_line(stream), str(stream.schema), str(stream.rows), str(ends)]
    limit = "Infinity" if math.isinf(seconds) else str(seconds)
    command += [str(warm_up), limit, learner, *(str(order) if order else "-" for order in orders)]
    lines = output_lines(command, started)
    try:
        with contextlib.closing(lines):
            for line in lines:
                # MOA prints other lines too.
                if line.startswith("{"):
                    yield MoaRun(**json.loads(line))
    except ProcessError as error:
        raise RuntimeError(f"MOA failed: {_message(error.stderr)}") from error


def command_line(stream: StreamFiles) -> list[str]:
    """Return the command that starts the driver with enough memory for a stream."""
    columns = len(stream.schema.read_text().splitlines())
    size = stream.rows.stat().st_size
    rows = size // (8 * columns)
    # Twice the rows, for the tree and for garbage.
    heap = max(_LEAST_HEAP_MB, 2 * (size + rows * _BYTES_AROUND_A_ROW) >> 20)
    java = _program("java")
    classpath = os.pathsep.join([str(moa_jar()), str(_compiled())])
    return [java, f"-Xmx{heap}m", "-XX:+UseSerialGC", "-cp", classpath, _DRIVER]


def _program(name: str) -> str:
    home = os.environ.get("JAVA_HOME")
    found = shutil.which(name, path=f"{home}/bin") if home else None
    found = found or shutil.which(name)
    if found is None:
        raise AbsentError(
            f"no Java here ({name}): MOA is left out; install a JDK, version 17 or newer"
        )
    return found


def _compiled() -> Path:
    """Compile the driver if it is new or changed; return the folder of its classes."""
    source = (files("sgtrees_experiments.moa") / f"{_DRIVER}.java").read_text(encoding="utf-8")
    folder = cache_folder() / "java" / sha256(source.encode()).hexdigest()[:16]
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            _compile(source, Path(scratch, "classes"))
            # Another process may have compiled the same source.
            with contextlib.suppress(OSError):
                Path(scratch, "classes").rename(folder)
    return folder


def _compile(source: str, folder: Path) -> None:
    folder.mkdir()
    written = folder / f"{_DRIVER}.java"
    written.write_text(source, encoding="utf-8")
    command = [_program("javac"), "-d", str(folder), "-cp", str(moa_jar()), str(written)]
    finished = subprocess.run(command, capture_output=True, text=True, check=False)
    if finished.returncode:
        raise AbsentError(
            f"MOA is left out, as its driver does not compile: {_message(finished.stderr)}; "
            "install a JDK, version 17 or newer"
        )


def _message(text: str) -> str:
    lines = [
        line for line in text.splitlines() if re.search("exception|error", line, re.IGNORECASE)
    ]
    return (lines or text.strip().splitlines() or ["no message"])[0].strip()
