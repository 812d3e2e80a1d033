"""Mutation testing: change the code in one place, and see whether a test notices.

``make mutate`` draws changes of the files below, and makes each in a copy of the project. The core
is built again at -O1, which compiles one file; then the tests that can notice it run, the cheap
ones first, until one fails. A change that does not compile is drawn again. Changes that no test
notices are listed in docs/reliability.md.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.mutants import Mutant, mutants_of

_ROOT = Path(__file__).resolve().parents[2]
_COPIED = (
    "CMakeLists.txt",
    "CMakePresets.json",
    "pyproject.toml",
    "core",
    "bindings",
    "src",
    "tests",
)
_CORE = ("split", "tree", "archive", "learner", "rounds")
_PYTHON = (
    "src/sgtrees/persistence/*.py",
    "src/sgtrees/checkpoint.py",
    "src/sgtrees/targets/labels.py",
    "src/sgtrees/evaluation/**/*.py",
)
# For the core, after its own tests: what compares whole models.
_PYTEST_OF_CORE = (
    "tests/unit/core",
    "tests/compat",
    "tests/property/test_ways_in.py",
    "tests/property/test_limits.py",
    "tests/property/test_merging.py",
    "tests/oracle/test_core_equals_oracle.py",
    "tests/oracle/test_rounds.py",
)
_SECONDS = 600
_PACKAGES = [path for path in sys.path if path.endswith("site-packages")]
_BEGIN, _END = "<!-- mutants -->", "<!-- end of mutants -->"


@dataclass(frozen=True)
class Outcome:
    """What became of a change: killed (by what), survived, or not compiled."""

    mutant: Mutant
    killed_by: str | None
    seconds: float


class Project:
    """A copy of the project, in which one file at a time is changed."""

    def __init__(self, folder: Path, jobs: int, seconds: int) -> None:
        self.folder, self.jobs, self.seconds = folder, jobs, seconds
        self.build = folder / "build" / "mutate"

    def prepare(self, *, with_core: bool) -> None:
        """Copy the sources, and build them once."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in _COPIED:
            source, target = _ROOT / name, self.folder / name
            if source.is_dir():
                ignored = shutil.ignore_patterns("__pycache__", ".hypothesis")
                shutil.copytree(source, target, ignore=ignored, dirs_exist_ok=True)
            elif not target.exists() or target.read_bytes() != source.read_bytes():
                shutil.copy2(source, target)
        if not with_core:
            return
        for stale in (self.folder / "src/sgtrees").glob("_core*.so"):
            stale.unlink()
        python = f"-DPython_EXECUTABLE={sys.executable}"
        subprocess.run(["cmake", "--preset", "mutate", python], cwd=self.folder, check=True)
        if not self.compile():
            raise SystemExit("the sources do not compile as they are")
        self.check_unchanged()

    def compile(self) -> bool:
        """Build what has changed; whether that was possible."""
        command = ["ninja", "-C", str(self.build), "-j", str(self.jobs)]
        if subprocess.run(command, capture_output=True, check=False).returncode != 0:
            return False
        (module,) = self.build.glob("_core*.so")
        shutil.copy2(module, self.folder / "src/sgtrees" / module.name)
        return True

    def check_unchanged(self) -> None:
        """Refuse to begin if a test fails without any change."""
        killer = self.killer(_PYTEST_OF_CORE[:1], with_programs=True)
        if killer is not None:
            raise SystemExit(f"{killer} fails without any change")

    def killer(self, tests: Sequence[str], *, with_programs: bool) -> str | None:
        """Return the first of these that fails, or takes too long; None if all pass."""
        ctest = ["ctest", "--test-dir", str(self.build), "--stop-on-failure", "-Q"]
        steps = [("ctest", ctest)] if with_programs else []
        # -S keeps the installed package out.
        pytest = [sys.executable, "-S", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
        steps += [(test, [*pytest, test]) for test in tests if (self.folder / test).exists()]
        paths = [self.folder / "src", self.folder, *_PACKAGES]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, paths))}
        for name, command in steps:
            try:
                done = subprocess.run(
                    command,
                    cwd=self.folder,
                    env=environment,
                    capture_output=True,
                    timeout=self.seconds,
                    check=False,
                )
            except subprocess.TimeoutExpired:
                return f"{name} (time)"
            if done.returncode != 0:
                return name
        return None


def judge(project: Project, mutant: Mutant) -> Outcome | None:
    """Make a change, run the tests, and take it back; None if it does not compile."""
    file = project.folder / mutant.path
    source, begin = file.read_text(), time.monotonic()
    file.write_text(mutant.apply(source))
    try:
        is_core = file.suffix == ".cpp"
        if is_core and not project.compile():
            return None
        if is_core:
            killed_by = project.killer(_PYTEST_OF_CORE, with_programs=True)
        else:
            killed_by = project.killer(tests_of(mutant.path), with_programs=False)
        return Outcome(mutant, killed_by, time.monotonic() - begin)
    finally:
        file.write_text(source)


def tests_of(path: Path) -> list[str]:
    """Return the tests of a module: its own, those of its folder, and those of whole models.

    Examples
    --------
    >>> tests_of(Path("src/sgtrees/persistence/tensors.py"))[:2]
    ['tests/unit/persistence/test_tensors.py', 'tests/unit/persistence']
    """
    inner = path.relative_to("src/sgtrees")
    own = Path("tests/unit", inner.parent, f"test_{inner.name}")
    tests = [own.as_posix()]
    if inner.parent != Path():
        tests.append(Path("tests/unit", inner.parts[0]).as_posix())
    if inner.parts[0] in ("persistence", "checkpoint.py"):
        tests += ["tests/compat", "tests/unit/cli/test_train.py", "tests/unit/test_checkpoint.py"]
    if inner.parts[0] == "targets":
        tests.append("tests/unit/estimators/test_classifier.py")
    return tests


def files(which: str) -> Iterator[Path]:
    """Yield the files that are changed, relative to the project."""
    if which != "python":
        for area in _CORE:
            yield from sorted((_ROOT / "core/src" / area).glob("*.cpp"))
    if which != "core":
        for pattern in _PYTHON:
            yield from sorted(_ROOT.glob(pattern))


def main() -> None:
    """Draw changes, judge them, and write down which survived."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--which", choices=["core", "python", "all"], default="all")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="files whose path has this in it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--minutes", type=float, default=1e9, help="no new change after these")
    parser.add_argument("--seconds", type=int, default=_SECONDS, help="for the tests of a change")
    parser.add_argument("--folder", type=Path, default=_ROOT / "build/mutation")
    parser.add_argument("--page", type=Path, help="the page that lists the survivors")
    given = parser.parse_args()
    chosen = [path for path in files(given.which) if given.only in path.as_posix()]
    sites = [
        mutant
        for path in chosen
        for mutant in mutants_of(path.relative_to(_ROOT), path.read_text())
    ]
    random.Random(given.seed).shuffle(sites)
    project = Project(given.folder, given.jobs, given.seconds)
    project.prepare(with_core=any(path.suffix == ".cpp" for path in chosen))
    outcomes: list[Outcome] = []
    end = time.monotonic() + 60 * given.minutes
    for mutant in sites:
        if len(outcomes) == given.mutants or time.monotonic() > end:
            break
        outcome = judge(project, mutant)
        if outcome is None:
            continue
        outcomes.append(outcome)
        fate = "SURVIVED" if outcome.killed_by is None else f"killed by {outcome.killed_by}"
        print(f"{len(outcomes)}: {mutant}: {fate} ({outcome.seconds:.0f} s)", flush=True)  # noqa: T201
    report(outcomes, given.folder, given.page)


def report(outcomes: Sequence[Outcome], folder: Path, page: Path | None) -> None:
    """Print the counts, and write the survivors into the page between its marks."""
    survivors = [str(outcome.mutant) for outcome in outcomes if outcome.killed_by is None]
    killed = len(outcomes) - len(survivors)
    print(f"{killed} of {len(outcomes)} changes were noticed")  # noqa: T201
    (folder / "survivors.json").write_text(json.dumps(survivors, indent=1))
    if page is None:
        return
    lines = [f"{killed} of {len(outcomes)} changes were noticed. Those that were not:", ""]
    lines += [f"- {survivor}" for survivor in survivors] or ["- none"]
    before, _, rest = page.read_text().partition(_BEGIN)
    _, _, after = rest.partition(_END)
    page.write_text(before + "\n".join([_BEGIN, *lines, _END]) + after)


if __name__ == "__main__":
    main()
