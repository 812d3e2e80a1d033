"""MOA's learners: a compiled Java loop over a stream that is in memory before the clock starts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.datasets import Coded
from benchmarks.figures import Measurement, Outcome, Unavailable
from benchmarks.isolation import AbsentError
from benchmarks.peers import environment
from benchmarks.settings import Settings

DRIVER = environment.HERE / "TestThenTrain.java"
CLASSES = environment.HERE.parent / ".cache" / "classes"
WARM_UP_ROWS = 100_000  # for the JVM's compiler, not the learner's
SGT = "trees.StochasticGradientTree -R"  # -R: no re-splits, which cost it several times the time
HOEFFDING = "trees.HoeffdingTree"
HOEFFDING_MAJORITY = "trees.HoeffdingTree -l MC"
EFDT = "trees.EFDT"
FIMTDD = "trees.FIMTDD"
ORTO = "trees.ORTO"


class Stream:
    """A stream in the driver's file format, for any number of learners."""

    def __init__(self, schema: Path, data: Path) -> None:
        self._schema, self._data = schema, data

    def measure(self, learner: str, repeats: int) -> Outcome:
        """Run a learner, given as MOA's command line spells it, test-then-train."""
        try:
            classpath = os.pathsep.join([str(environment.moa_jar()), str(_compiled())])
        except AbsentError as absent:
            return Unavailable(str(absent))
        arguments = [str(self._schema), str(self._data), str(repeats), str(WARM_UP_ROWS), learner]
        java = ["java", "-Xmx4g", "-XX:+UseSerialGC", "-cp", classpath, DRIVER.stem]
        finished = subprocess.run(java + arguments, capture_output=True, text=True, check=False)
        if finished.returncode:
            said = finished.stderr.strip().splitlines() or ["no message"]
            return Unavailable(f"MOA failed: {said[0]}", broken=True)
        return Measurement(**json.loads(finished.stdout.splitlines()[-1]))


@contextmanager
def stream(data: Coded) -> Iterator[Stream]:
    """Write a stream where the driver can read it, for as long as the context lasts."""
    with tempfile.TemporaryDirectory() as scratch:
        schema, rows = Path(scratch, "schema.txt"), Path(scratch, "rows.f64")
        columns = [*data.cardinalities, data.classes]
        schema.write_text("".join(f"nominal {k}\n" if k else "numeric\n" for k in columns))
        np.column_stack([data.X, data.y]).astype("<f8").tofile(rows)
        yield Stream(schema, rows)


def measure_all(
    load: Callable[[], Coded], learners: Mapping[str, str], settings: Settings
) -> dict[str, Outcome]:
    """Run several learners over one stream; where the stream is absent each outcome says so."""
    try:
        data = load()
    except AbsentError as absent:
        return dict.fromkeys(learners, Unavailable(str(absent)))
    except ModuleNotFoundError as absent:
        return dict.fromkeys(learners, Unavailable(f"{absent.name} is not installed"))
    outcomes = {}
    with stream(data) as written:
        for name, learner in learners.items():
            settings.say(name)
            outcomes[name] = written.measure(learner, settings.repeats)
    return outcomes


def _compiled() -> Path:
    """Compile the driver where it is new or changed; return the directory of its classes."""
    if not (shutil.which("java") and shutil.which("javac")):
        raise AbsentError("no Java here (java and javac): MOA is left out")
    made = CLASSES / f"{DRIVER.stem}.class"
    if not made.exists() or made.stat().st_mtime < DRIVER.stat().st_mtime:
        CLASSES.mkdir(parents=True, exist_ok=True)
        command = ["javac", "-d", str(CLASSES), "-cp", str(environment.moa_jar()), str(DRIVER)]
        finished = subprocess.run(command, capture_output=True, text=True, check=False)
        if finished.returncode:
            raise AbsentError(f"the Java driver does not compile: {finished.stderr.strip()}")
    return CLASSES
