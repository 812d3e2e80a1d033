"""What is to be run: which learners over which data sets, how often, on how many rows."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from sgtrees_experiments.absent import AbsentError
from sgtrees_experiments.datasets import BAGS, STREAMS, Found, PaperSet, Task, locate
from sgtrees_experiments.execution.jobs import all_settings
from sgtrees_experiments.execution.results import Key
from sgtrees_experiments.folders import data_folders
from sgtrees_experiments.learners.catalogue import LEARNERS, Learner

SETS: dict[str, PaperSet] = STREAMS | BAGS


@dataclass(frozen=True)
class Choice:
    """What the user selects.

    Attributes
    ----------
    datasets : tuple of str
        Data sets of the paper, or versions of them; empty: all.
    learners : tuple of str
        Learners; empty: all.
    runs : int
        Shuffles of each stream, and repetitions of each cross-validation.
    rows : int or None
        Maximum number of rows of each shuffle.
    data : Path or None
        Where the data is.
    """

    datasets: tuple[str, ...] = ()
    learners: tuple[str, ...] = ()
    runs: int = 10
    rows: int | None = None
    data: Path | None = None


@dataclass(frozen=True)
class Series:
    """One learner over one data set, several times."""

    found: Found
    learner: Learner
    rows: int
    seeds: tuple[int, ...]

    @property
    def task(self) -> Task:
        """What is learned."""
        return self.found.of.task

    @property
    def keys(self) -> list[Key]:
        """The keys of its runs."""
        settings = all_settings(self.learner, self.task)
        name = self.found.version.name
        return [Key(name, self.learner.name, settings, self.rows, seed) for seed in self.seeds]


@dataclass(frozen=True)
class Plan:
    """Everything that is to be run, and what cannot be.

    Attributes
    ----------
    choice : Choice
        The selection.
    found : list of Found
        The data sets that are here.
    absent : list of PaperSet
        Those of which nothing is.
    series : list of Series
        What is to be run.
    problems : list of str
        What cannot be run, and what to do about it.
    """

    choice: Choice
    found: list[Found]
    absent: list[PaperSet]
    series: list[Series]
    problems: list[str]


def make_plan(choice: Choice) -> Plan:
    """Return what can be run of a selection."""
    folders = data_folders(choice.data)
    problems: list[str] = []
    found: list[Found] = []
    absent: list[PaperSet] = []
    for known, versions in _wanted_sets(choice.datasets, problems):
        here = locate(known, folders, versions)
        found += here
        if not here:
            absent.append(known)
    learners = list(_wanted_learners(choice.learners, problems))
    series = [
        _series(there, learner, choice)
        for there in found
        for learner in learners
        if learner.takes(there.of.task, there.of.name, there.version.shape.classes)
    ]
    return Plan(choice, found, absent, series, problems)


def _wanted_sets(
    names: Sequence[str], problems: list[str]
) -> Iterable[tuple[PaperSet, tuple[str, ...]]]:
    """Give each set of the paper that is wanted, with the versions that were named of it."""
    set_of = {version.name: known for known in SETS.values() for version in known.versions}
    wanted: dict[str, list[str]] = {} if names else {name: [] for name in SETS}
    for name in names:
        if name in SETS:
            wanted.setdefault(name, [])
        elif name in set_of:
            wanted.setdefault(set_of[name].name, []).append(name)
        else:
            problems.append(unknown("data set", name, [*SETS, *set_of]))
    return [(SETS[name], tuple(versions)) for name, versions in wanted.items()]


def _wanted_learners(names: Sequence[str], problems: list[str]) -> Iterable[Learner]:
    for name in names or LEARNERS:
        if name in LEARNERS:
            yield LEARNERS[name]
        else:
            problems.append(unknown("learner", name, list(LEARNERS)))


def unknown(what: str, name: str, names: Sequence[str]) -> str:
    """Return the message for an unknown name, with a suggestion or all names.

    Examples
    --------
    >>> unknown("learner", "vdft", ["vfdt", "efdt"])
    "there is no learner 'vdft'; did you mean 'vfdt'?"
    """
    near = difflib.get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(dict.fromkeys(names))}"
    return f"there is no {what} {name!r}; {hint}"


def _series(there: Found, learner: Learner, choice: Choice) -> Series:
    seeds = range(min(choice.runs, learner.most_runs or choice.runs))
    if there.of.task is Task.BAGS:
        return Series(there, learner, 0, tuple(seeds))
    bounds = (there.version.shape.rows, choice.rows, learner.most_rows)
    rows = min(bound for bound in bounds if bound is not None)
    return Series(there, learner, rows, tuple(seeds))


def check(plan: Plan) -> None:
    """Refuse a plan of which nothing can be run."""
    if not plan.series:
        reasons = plan.problems + [f"{known.name}: {known.obtain}" for known in plan.absent]
        raise AbsentError("; ".join(reasons) or "no learner that was named takes these data sets")
