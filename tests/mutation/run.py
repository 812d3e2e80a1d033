"""Mutation testing: change the code in one place, and see whether a test notices.

``make mutate`` draws changes of the files below, as many of the core as of Python, and makes each
in a copy of the project (`tests.mutation.project`), until 200 have been judged. The core is
compiled once with all of its changes, of which a number in the environment selects one. Those that
survive its own programs meet Python's tests of it then. Outcomes are kept: a run that was stopped
goes on, and ``--again`` judges those that no test had noticed once more. What survives is listed in
docs/reliability.md.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from tests.marked_page import write_section
from tests.mutation.mutants import Mutant, mutants_of
from tests.mutation.outcomes import Outcome, Record, summary
from tests.mutation.project import ROOT, Project, Step

Judge: TypeAlias = Callable[[], str | None]

# Each has its own section of the page, which a run of the other leaves as it is.
_TITLES = {"core": "The core", "python": "Python"}
_CORE = ("split", "tree", "archive", "learner", "rounds")
_PYTHON = (
    "src/sgtrees/persistence/*.py",
    "src/sgtrees/checkpoint.py",
    "src/sgtrees/targets/labels.py",
    "src/sgtrees/evaluation/**/*.py",
)
# What a picture looks like is seen, not tested.
_LEFT_OUT = "plots"


def judge_python(project: Project, mutant: Mutant) -> str | None:
    """Make a change, run the tests, and take it back; return what noticed it."""
    file = project.folder / mutant.path
    source = file.read_text()
    steps = project.steps_of_python(mutant.path)
    project.require_to_pass(steps[:1])  # so that an endless loop is found in its usual time
    file.write_text(mutant.apply(source))
    try:
        killer = project.killer(steps)
    finally:
        file.write_text(source)
    return confirmed(project, killer)


def judge_core(project: Project, steps: Sequence[Step], number: int) -> str | None:
    """Run tests with a change of the core; return what noticed it."""
    return confirmed(project, project.killer(steps, number))


def confirmed(project: Project, killer: tuple[Step, str] | None) -> str | None:
    """Return the name of a step that noticed a change: it passes without it."""
    if killer is None:
        return None
    step, how = killer
    project.require_to_pass([step])
    return f"{step.name}{how}"


def judges(
    project: Project, which: str, mutants: list[Mutant], most: int
) -> Iterator[tuple[Mutant, Judge, Judge | None]]:
    """Yield the first changes that can be made, what judges each, and what judges survivors."""
    if which == "core":
        for number, mutant in project.build_core(mutants, most).items():
            first, wide = project.steps_of_core(mutant.path), project.wide_steps(mutant.path)
            judge = partial(judge_core, project, first, number)
            yield mutant, judge, partial(judge_core, project, wide, number)
    else:
        for mutant in mutants[:most]:
            yield mutant, partial(judge_python, project, mutant), None


def note(record: Record, mutant: Mutant, judge: Judge) -> None:
    """Judge a change, and record and print what became of it."""
    begin = time.monotonic()
    outcome = Outcome(str(mutant), mutant.key, judge(), time.monotonic() - begin)
    record.add(outcome)
    fate = "SURVIVED" if outcome.killed_by is None else f"killed by {outcome.killed_by}"
    print(f"{len(record.by_key)}: {mutant}: {fate} ({outcome.seconds:.0f} s)", flush=True)  # noqa: T201


def files(which: str) -> Iterator[Path]:
    """Yield the files that are changed."""
    if which == "core":
        for area in _CORE:
            yield from sorted((ROOT / "core/src" / area).glob("*.cpp"))
    else:
        for pattern in _PYTHON:
            yield from sorted(path for path in ROOT.glob(pattern) if _LEFT_OUT not in path.parts)


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
    parser.add_argument("--which", choices=_TITLES, nargs="+", default=list(_TITLES))
    parser.add_argument("--mutants", type=int, default=100, help="of the core, and of Python")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="files whose path has this in it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--minutes", type=float, default=1e9, help="no new change after these")
    parser.add_argument("--again", action="store_true", help="judge the survivors once more")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/mutation")
    parser.add_argument("--page", type=Path, help="the page that lists the survivors")
    given = parser.parse_args()
    project = Project(given.folder, given.jobs)
    project.prepare()
    record = Record(given.folder / "outcomes.jsonl")
    end = time.monotonic() + 60 * given.minutes
    for which in given.which:
        mutants = drawn(which, given.only, given.seed)
        wanted = given.mutants
        candidates = mutants
        if given.again:
            candidates = [m for m in mutants if record.has_survived(m.key)]
            wanted = len(candidates)
        elif len(record.outcomes_of(mutants)) >= wanted:
            candidates = []
        made = list(judges(project, which, candidates, wanted)) if candidates else []
        for mutant, judge, _ in made:
            is_to_judge = given.again or mutant.key not in record.by_key
            if is_to_judge and time.monotonic() < end:
                note(record, mutant, judge)
        for mutant, _, judge_again in made:
            if judge_again and record.has_survived(mutant.key) and time.monotonic() < end:
                note(record, mutant, judge_again)
        outcomes = record.outcomes_of(mutants)[: given.mutants]
        text = summary(_TITLES[which], outcomes, len(mutants), given.seed)
        print(text)  # noqa: T201
        if given.page is not None:
            write_section(given.page, f"mutants of {which}", text)


if __name__ == "__main__":
    main()
