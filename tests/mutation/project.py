"""A copy of the project in which files are changed and tested.

Tests run in steps, those nearest to the change first, and each may take a multiple of the processor
time that it takes without a change: an endless loop is noticed soon, on a busy machine too. The
core is built once with all of its changes (`tests.mutation.schemata`), at -O1 without link-time
optimisation.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from sgtrees import _core
from tests.mutation.core_source import write_core
from tests.mutation.launched import Launched
from tests.mutation.mutants import Mutant
from tests.mutation.schemata import VARIABLE

ROOT = Path(__file__).resolve().parents[2]
_COPIED = (
    "conftest.py",
    "pyproject.toml",
    "src",
    "tests",
)
_COPIED_FOR_CORE = (
    "CMakeLists.txt",
    "CMakePresets.json",
    "core/include",
    "core/src",
    "core/tests",
    "bindings",
)
# For changes of the core that have survived its own programs: the quick tests in one process, then
# the wide ones, which compare whole models of every kind.
_QUICK = ("tests/unit/core", "tests/compat")
_WIDE = (
    "tests/oracle/test_core_equals_oracle.py",
    "tests/oracle/test_rounds.py",
    "tests/oracle/test_vector_leaves.py",
    "tests/oracle/test_ensembles.py",
    "tests/oracle/test_following.py",
    "tests/oracle/test_replacement.py",
    "tests/oracle/test_thinning.py",
    "tests/oracle/test_linear_leaves.py",
    "tests/oracle/test_bags.py",
    "tests/oracle/test_boosted_bags.py",
    "tests/oracle/test_adaptive_ranges.py",
    "tests/oracle/test_other_ways_in.py",
    "tests/property/test_ways_in.py",
    "tests/property/test_limits.py",
    "tests/property/test_merging.py",
    "tests/property/test_late_arrivals.py",
    "tests/property/test_saved_models.py",
    "tests/property/test_ensembles.py",
    "tests/property/test_following.py",
    "tests/property/test_numbers_of_threads.py",
    "tests/property/test_vector_leaves.py",
    "tests/property/test_stopping_and_going_on.py",
    "tests/property/test_adaptive_ranges.py",
    "tests/unit/estimators",
    "tests/unit/models",
    "tests/unit/dask",
    "tests/fuzz/test_model_files.py",
    "tests/fuzz/test_partials.py",
)
# Programs that are nearest to an area of the core; further ones by the name of the changed file.
_NEAREST = {
    "split": ("test_change_search", "test_student_t"),
    "tree": ("test_nodes", "test_vector_tree", "test_limits"),
    "archive": ("test_archive", "test_partial", "test_merge"),
    "rounds": ("test_partial", "test_merge"),
    "learner": ("test_loss_learner", "test_committee", "test_ensemble", "test_following"),
}
# Programs of what lies below all of these areas.
_BELOW = (
    "test_binning",
    "test_detectors",
    "test_features",
    "test_loss",
    "test_parallel",
    "test_quadrature",
)
# A step may take so many times as long as without a change, and so many seconds more.
_TIMES, _SECONDS = 6.0, 10.0


@dataclass(frozen=True)
class Step:
    """A command that notices a change by failing, or by taking too long."""

    name: str
    command: tuple[str, ...]


class Project:
    """A copy of the project.

    Parameters
    ----------
    folder : Path
        Where it is.
    jobs : int
        How many files are compiled at a time.
    """

    def __init__(self, folder: Path, jobs: int) -> None:
        self.folder, self.jobs = folder.resolve(), jobs
        self.build = self.folder / "build" / "mutate"
        self._usual_seconds: dict[str, float] = {}
        self._launched: Launched | None = None

    def prepare(self) -> None:
        """Copy the sources, with the module as it is installed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in _COPIED:
            _copy(ROOT / name, self.folder / name)
        self._install(Path(_core.__file__))

    def build_core(self, mutants: Sequence[Mutant], most: int) -> dict[int, Mutant]:
        """Build the core with the first ``most`` of these changes that compile; return these.

        What a stopped run has built serves the next one.
        """
        by_key = {mutant.key: mutant for mutant in mutants}
        note, sources = self.folder / "core.json", _digest([*by_key, str(most)])
        built = json.loads(note.read_text()) if note.exists() else {}
        if built.get("sources") != sources:
            note.unlink(missing_ok=True)
            for name in _COPIED_FOR_CORE:
                _copy(ROOT / name, self.folder / name)
            chosen = write_core(self.folder, mutants, most)
            self._compile()
            self._measure_programs()
            keys = [mutant.key for mutant in chosen.values()]
            built = {"sources": sources, "keys": keys, "seconds": self._usual_seconds}
            note.write_text(json.dumps(built))
        self._install(self._built_module())
        self._usual_seconds = built["seconds"]
        return {number: by_key[key] for number, key in enumerate(built["keys"], 1)}

    def _compile(self) -> None:
        python = f"-DPython_EXECUTABLE={sys.executable}"
        subprocess.run(["cmake", "--preset", "mutate", python], cwd=self.folder, check=True)
        subprocess.run(["ninja", "-C", str(self.build), "-j", str(self.jobs)], check=True)
        self._install(self._built_module())

    def _built_module(self) -> Path:
        (module,) = self.build.glob("_core*.so")  # it finds the shared core beside it
        return module

    def _install(self, module: Path) -> None:
        for stale in (self.folder / "src/sgtrees").glob("_core*.so"):
            stale.unlink()
        shutil.copy2(module, self.folder / "src/sgtrees" / module.name)

    def killer(self, steps: Sequence[Step], number: int = 0) -> tuple[Step, str] | None:
        """Return the first step that fails or takes too long, and which it was; None if all pass.

        ``number`` is that of the change of the core which is made, if any.
        """
        for step in steps:
            limit = _TIMES * self._usual(step) + _SECONDS
            fault, _ = self._run(step, limit, number)
            if fault is not None:
                return step, fault
        return None

    def require_to_pass(self, steps: Sequence[Step]) -> None:
        """Run steps without a change, unless they have been; refuse to go on if one fails."""
        for step in steps:
            if step.name in self._usual_seconds:
                continue
            fault, seconds = self._run(step, math.inf)
            if fault is not None:
                raise SystemExit(f"{step.name} fails without any change")
            self._usual_seconds[step.name] = seconds

    def _usual(self, step: Step) -> float:
        """How long a step takes, or a guess for one that has noticed no change yet."""
        return self._usual_seconds.get(step.name, 50.0)

    def _measure_programs(self) -> None:
        """Run the steps of the core without a change; refuse to begin if one fails."""
        self.require_to_pass([*self.steps_of_core(Path()), self._quick_step()])
        whole = sum(self._usual_seconds.values())
        print(f"{len(self._usual_seconds)} steps pass in {whole:.0f} s", flush=True)  # noqa: T201

    def _run(self, step: Step, limit: float, number: int = 0) -> tuple[str | None, float]:
        if self._launched is None:
            self._launched = Launched(self.folder)
        return self._launched.run(step.command, {VARIABLE: str(number)}, limit)

    def steps_of_core(self, path: Path) -> list[Step]:
        """Return the first steps for a change of the core: its own programs, nearest first."""
        area, stem = path.parent.name, path.stem
        built = [p for p in self.build.glob("test_*") if p.is_file() and os.access(p, os.X_OK)]

        def distance(program: Path) -> tuple[bool, bool, float, str]:
            usual = self._usual_seconds.get(program.name, 0.0)
            is_near = program.name in _NEAREST.get(area, ())
            return stem not in program.name, not is_near, usual, program.name

        programs = sorted((p for p in built if p.name not in _BELOW), key=distance)
        return [Step(program.name, (str(program),)) for program in programs]

    def wide_steps(self, path: Path) -> list[Step]:
        """Return the steps for changes of the core that have survived the first ones."""
        words = [word[:5] for word in path.stem.split("_")]
        nearest = sorted(_WIDE, key=lambda test: not any(word in test for word in words))
        return [self._quick_step(), *(self._pytest(test, [test]) for test in nearest)]

    def _quick_step(self) -> Step:
        return self._pytest("quick tests", _QUICK)

    def steps_of_python(self, path: Path) -> list[Step]:
        """Return the steps for a change of a module: its tests, those beside it, those above."""
        groups = [[test for test in group if self.has(test)] for group in tests_of(path)]
        return [self._pytest(group[0], group) for group in groups if group]

    def has(self, test: str) -> bool:
        """Return whether there is such a test; a module is one if it has examples."""
        path = self.folder / test
        return path.exists() and (not test.startswith("src/") or ">>>" in path.read_text())

    def _pytest(self, name: str, tests: Sequence[str]) -> Step:
        options = ("-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist")
        tests = [test for test in tests if self.has(test)]
        return Step(name, ("pytest", *options, *tests))


def tests_of(path: Path) -> list[list[str]]:
    """Return the tests of a module: its own, those of its folders, and those of who uses it.

    Examples
    --------
    >>> for tests in tests_of(Path("src/sgtrees/evaluation/metrics/base.py"))[:3]:
    ...     print(*tests)
    tests/unit/evaluation/metrics/test_base.py
    tests/unit/evaluation/metrics
    tests/unit/evaluation
    """
    inner = path.relative_to("src/sgtrees")
    name = "test_package.py" if inner.name == "__init__.py" else f"test_{inner.name}"
    groups = [[Path("tests/unit", inner.parent, name).as_posix()]]
    groups += [[Path("tests/unit", folder).as_posix()] for folder in list(inner.parents)[:-1]]
    groups.append([path.as_posix()])  # its examples
    if inner.parts[0] in ("persistence", "checkpoint.py"):
        groups.append(
            ["tests/compat", "tests/unit/cli/test_train.py", "tests/unit/test_checkpoint.py"]
        )
    if inner.parts[0] == "targets":
        groups.append(["tests/unit/estimators", "tests/unit/models"])
    if inner.parts[0] == "evaluation":
        groups.append(["tests/unit/cli/test_evaluate.py", "tests/unit/cli/test_evaluation_run.py"])
    return groups


def _digest(words: Sequence[str]) -> str:
    """Return the checksum of the core's sources, and of what is made of them."""
    digest = hashlib.sha256("\n".join(words).encode())
    for name in _COPIED_FOR_CORE:
        path = ROOT / name
        for file in sorted(path.rglob("*.[ch]pp")) if path.is_dir() else [path]:
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _copy(source: Path, target: Path) -> None:
    """Copy what differs, so that only that is compiled again; remove what is gone."""
    if source.is_file():
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
        return
    names = {child.name for child in source.iterdir()} - {"__pycache__", ".hypothesis"}
    names = {name for name in names if not name.startswith("_core") or name.endswith(".pyi")}
    for name in names:
        _copy(source / name, target / name)
    for child in target.iterdir() if target.exists() else ():
        if child.name not in names and not child.name.startswith("_core"):
            shutil.rmtree(child) if child.is_dir() else child.unlink()
