"""The report of a reproduction, as sections, which are then written in several formats."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from matplotlib.figure import Figure

from sgtrees_experiments.datasets import Task
from sgtrees_experiments.report.bag_tables import bag_table
from sgtrees_experiments.report.checks import Check, checks
from sgtrees_experiments.report.data_table import data_table
from sgtrees_experiments.report.explanations import explanations
from sgtrees_experiments.report.figures import figure_of
from sgtrees_experiments.report.stream_tables import ablation_table, short_table, stream_tables
from sgtrees_experiments.report.summaries import Summaries
from sgtrees_experiments.report.tables import Cell, Table, cells

TITLE = "The paper's experiments, reproduced"
_PAPER = (
    "H. Gouk, B. Pfahringer, E. Frank: Stochastic Gradient Trees, ACML 2019, section 5. "
    "Measured figures are beside the published ones."
)
_STREAMS = (
    "Each row is predicted, then learned, in random order; means over all shuffles, "
    "± the standard deviation from shuffle to shuffle. In bold: the best of those that learn row "
    "by row. In italics: published. Nodes are those of all trees of a learner. MOA's learners keep "
    "their default settings."
)


@dataclass(frozen=True)
class Section:
    """A part of the report: words, then tables, points and figures.

    Attributes
    ----------
    title : str
        Its heading.
    words : str
        A paragraph; "" for none.
    tables : list of Table
        Its tables.
    points : list of str
        A list of remarks, in which ** and * mark words.
    figures : dict from str to Figure
        Its figures, by a name for their files.
    """

    title: str
    words: str = ""
    tables: list[Table] = field(default_factory=list)
    points: list[str] = field(default_factory=list)
    figures: dict[str, Figure] = field(default_factory=dict)


def sections(summaries: Summaries, facts: dict[str, str]) -> list[Section]:
    """Return the parts of the report; those of which nothing was run are left out."""
    made = [
        Section("What holds", tables=[_checks(checks(summaries))]),
        *_problems(summaries),
        Section("Data sets", tables=[data_table(summaries.plan)]),
        *_streams(summaries),
        *_bags(summaries),
        *_ablation(summaries),
        Section("Why figures differ", points=explanations(summaries)),
        Section("Learners", tables=[_learners(summaries)]),
        Section("The run", tables=[_facts(facts)]),
    ]
    return [part for part in made if _filled(part)]


def all_tables(parts: list[Section]) -> list[Table]:
    """Return the tables of all sections."""
    return [table for part in parts for table in part.tables]


def _filled(part: Section) -> bool:
    return bool(part.points or part.figures or any(table.rows for table in part.tables))


def _checks(found: list[Check]) -> Table:
    rows = [[Cell(c.claim), Cell(c.measured), Cell("yes" if c.holds else "NO")] for c in found]
    return Table("checks", "", ["claim", "measured", "holds"], rows, [], words=3)


def _problems(summaries: Summaries) -> Iterator[Section]:
    if summaries.problems:
        yield Section(
            "What could not be run",
            "Each with what to do about it.",
            points=list(summaries.problems),
        )


def _streams(summaries: Summaries) -> Iterator[Section]:
    for task, title in (
        (Task.CLASSIFICATION, "Classification (table 2, figure 1)"),
        (Task.REGRESSION, "Regression (table 3, figure 2)"),
    ):
        found = summaries.found(task)
        if found:
            figures = {there.version.name: figure_of(summaries, there) for there in found}
            drawn = {name: figure for name, figure in figures.items() if figure is not None}
            yield Section(title, _STREAMS, stream_tables(summaries, task), figures=drawn)
    short = short_table(summaries)
    if short is not None:
        yield Section("river's SGT", tables=[short])


def _bags(summaries: Summaries) -> Iterator[Section]:
    table = bag_table(summaries)
    if table is not None:
        yield Section("Multi-instance learning (table 4)", tables=[table])


def _ablation(summaries: Summaries) -> Iterator[Section]:
    table = ablation_table(summaries)
    if table is not None:
        words = (
            "From the paper's text, step by step, to what is done here. One step has the slip of "
            "the authors' programs."
        )
        yield Section("As printed, as programmed, ours", words, [table])


def _learners(summaries: Summaries) -> Table:
    shown = {
        learner.name: learner for task in Task for learner in summaries.learners(task)
    }.values()
    rows = [cells([one.title, one.name, one.note]) for one in shown]
    return Table("learners", "", ["learner", "--learners", "what it is"], rows, [], words=3)


def _facts(facts: dict[str, str]) -> Table:
    rows = [cells([name, value]) for name, value in facts.items()]
    return Table("run", "", ["what", "which"], rows, [], words=2)


def introduction() -> str:
    """Return the report's first paragraph."""
    return _PAPER
