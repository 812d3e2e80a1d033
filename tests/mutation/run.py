"""Mutation testing: change the code in one place, and see whether a test notices.

``make mutate`` draws changes of the files below, and makes each in a copy of the project
(`tests.mutation.project`), until 200 have been judged. A change that does not compile is drawn
again. Those of the core that survive its own programs and the quick tests meet the wide ones then.
Outcomes are kept: a run that was stopped goes on, and ``--again`` judges those that no test had
noticed once more. What survives is listed in docs/reliability.md.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path

from tests.marked_page import write_section
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.outcomes import Outcome, Record, summary
from tests.mutation.project import ROOT, Project

_CORE = ("split", "tree", "archive", "learner", "rounds")
_PYTHON = (
    "src/sgtrees/persistence/*.py",
    "src/sgtrees/checkpoint.py",
    "src/sgtrees/targets/labels.py",
    "src/sgtrees/evaluation/**/*.py",
)


def judge(project: Project, mutant: Mutant, *, is_wide: bool) -> Outcome | None:
    """Make a change, run the tests, and take it back; None if it does not compile."""
    file = project.folder / mutant.path
    source, begin = file.read_text(), time.monotonic()
    file.write_text(mutant.apply(source))
    try:
        if not is_core(mutant.path):
            steps = project.steps_of_python(mutant.path)
        elif project.compile():
            steps = project.wide_steps() if is_wide else project.steps_of_core(mutant.path)
        else:
            return None
        killed_by = project.killer(steps)
        return Outcome(str(mutant), mutant.key, killed_by, time.monotonic() - begin)
    finally:
        file.write_text(source)


def note(record: Record, project: Project, mutant: Mutant, *, is_wide: bool) -> None:
    """Judge a change, and record and print what became of it, if it compiles."""
    outcome = judge(project, mutant, is_wide=is_wide)
    if outcome is None:
        return
    record.add(outcome)
    fate = "SURVIVED" if outcome.killed_by is None else f"killed by {outcome.killed_by}"
    print(f"{len(record.by_key)}: {mutant}: {fate} ({outcome.seconds:.0f} s)", flush=True)  # noqa: T201


def is_core(path: Path) -> bool:
    """Return whether a file is of the core."""
    return path.suffix == ".cpp"


def files(which: str) -> Iterator[Path]:
    """Yield the files that are changed, relative to the project."""
    if which != "python":
        for area in _CORE:
            yield from sorted((ROOT / "core/src" / area).glob("*.cpp"))
    if which != "core":
        for pattern in _PYTHON:
            yield from sorted(ROOT.glob(pattern))


def drawn(which: str, only: str, seed: int) -> list[Mutant]:
    """Return all changes of the files, in a random order."""
    paths = [path for path in files(which) if only in path.as_posix()]
    mutants = [
        mutant for path in paths for mutant in mutants_of(path.relative_to(ROOT), path.read_text())
    ]
    random.Random(seed).shuffle(mutants)
    return mutants


def main() -> None:
    """Draw changes, judge them, and write down which survived."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--which", choices=["core", "python", "all"], default="all")
    parser.add_argument("--mutants", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="files whose path has this in it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--minutes", type=float, default=1e9, help="no new change after these")
    parser.add_argument("--again", action="store_true", help="judge the survivors once more")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutation")
    parser.add_argument("--page", type=Path, help="the page that lists the survivors")
    given = parser.parse_args()
    mutants = drawn(given.which, given.only, given.seed)
    project = Project(given.folder, given.jobs)
    project.prepare(with_core=any(is_core(mutant.path) for mutant in mutants))
    record = Record(given.folder / "outcomes.jsonl")
    project.measure_programs()
    end = time.monotonic() + 60 * given.minutes
    judged: list[Mutant] = []
    for mutant in mutants:
        if len(judged) == given.mutants:
            break
        known = record.by_key.get(mutant.key)
        is_to_judge = known is None or (given.again and known.killed_by is None)
        if is_to_judge and time.monotonic() < end:
            note(record, project, mutant, is_wide=False)
        if mutant.key in record.by_key:
            judged.append(mutant)
    survivors = [mutant for mutant in judged if record.by_key[mutant.key].killed_by is None]
    for mutant in filter(lambda mutant: is_core(mutant.path), survivors):
        if time.monotonic() < end:
            note(record, project, mutant, is_wide=True)
    outcomes = [record.by_key[mutant.key] for mutant in judged]
    text = summary(outcomes, len(mutants), given.seed)
    print(text)  # noqa: T201
    if given.page is not None:
        write_section(given.page, "mutants", text)


if __name__ == "__main__":
    main()
