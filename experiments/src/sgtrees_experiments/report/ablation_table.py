"""What each difference from the paper's text does: as printed, as its programs have it, ours."""

from sgtrees_experiments.datasets import Task
from sgtrees_experiments.learners.learners import LEARNERS, Role
from sgtrees_experiments.report.published import STREAM_FIGURES
from sgtrees_experiments.report.summaries import Summaries
from sgtrees_experiments.report.tables import Cell, Table, number, with_deviation

_OURS = ("sgt-paper", "sgt")


def ablation_table(summaries: Summaries) -> Table | None:
    """Return the table, or None where it was not run."""
    steps = [learner for learner in LEARNERS.values() if learner.role is Role.ABLATION]
    steps += [LEARNERS[name] for name in _OURS]
    names = {learner.name for learner in steps if learner.role is Role.ABLATION}
    found = [
        there
        for there in summaries.found(Task.CLASSIFICATION)
        if any((there.version.name, name) in summaries.streams for name in names)
    ]
    if not found:
        return None
    heading = [""]
    for there in found:
        heading += [f"{there.version.name}, error %", "nodes"]
    rows = []
    for learner in steps:
        row = [Cell(f"{learner.title}: {learner.note}")]
        for there in found:
            summary = summaries.streams.get((there.version.name, learner.name))
            if summary is None:
                row += [Cell("-"), Cell("-")]
                continue
            row.append(Cell(with_deviation(summary.loss, summary.deviation)))
            row.append(Cell(number(summary.nodes, 1)))
        rows.append(row)
    row = [Cell("the paper's SGT", aside=True)]
    for there in found:
        published = STREAM_FIGURES[there.of.name, "sgt"]
        row += [
            Cell(number(published.loss), aside=True),
            Cell(number(published.nodes, 1), aside=True),
        ]
    rows.append(row)
    return Table("ablation", "What the differences from the paper's text do", heading, rows, [])
