"""Tables 2 and 3 of the paper: error or MAE, nodes and run time; and the ablation."""

from collections.abc import Callable, Sequence

from sgtrees_experiments.datasets import Found, Status, Task
from sgtrees_experiments.learners.catalogue import LEARNERS, Engine, Learner, Role
from sgtrees_experiments.report.published import STREAM_FIGURES, PublishedStream
from sgtrees_experiments.report.summaries import StreamSummary, Summaries
from sgtrees_experiments.report.tables import Cell, Table, number, with_deviation

_LOSS = {
    Task.CLASSIFICATION: "Classification error in per cent",
    Task.REGRESSION: "Mean absolute error",
}
# How a figure of a summary, or of the paper, is written.
Shown = Callable[[StreamSummary], str]
ShownOfPaper = Callable[[PublishedStream], str]


def stream_tables(summaries: Summaries, task: Task) -> list[Table]:
    """Return the tables of a task: loss, nodes and run time, each beside what was published."""
    digits = 2
    learners = [one for one in summaries.learners(task) if _belongs(one)]
    whole = [one for one in learners if one.most_rows is None]
    name = task.value
    return [
        _table(
            summaries,
            task,
            learners=whole,
            name=f"{name}-loss",
            caption=f"{_LOSS[task]}, test then train",
            shown=lambda s: with_deviation(s.loss, s.deviation, _digits(s.loss)),
            in_paper=lambda p: number(p.loss, digits),
            value=lambda s: s.loss,
        ),
        _table(
            summaries,
            task,
            learners=whole,
            name=f"{name}-nodes",
            caption="Model size: nodes, of all trees of a committee together",
            shown=lambda s: number(s.nodes, 1),
            in_paper=lambda p: number(p.nodes, 1),
        ),
        _table(
            summaries,
            task,
            learners=whole,
            name=f"{name}-seconds",
            caption="Run time: CPU seconds, the median of the runs",
            shown=lambda s: number(s.seconds, 2),
            in_paper=lambda p: number(p.seconds, 2),
            value=lambda s: s.seconds,
        ),
    ]


def _belongs(learner: Learner) -> bool:
    return learner.role is not Role.ABLATION


def _digits(loss: float) -> int:
    """Return as many digits as the paper has, and more for small figures."""
    return 2 if loss >= 1.0 else 3


def _table(
    summaries: Summaries,
    task: Task,
    *,
    learners: Sequence[Learner],
    name: str,
    caption: str,
    shown: Shown,
    in_paper: ShownOfPaper,
    value: Callable[[StreamSummary], float] | None = None,
) -> Table:
    found = summaries.found(task)
    heading = [""]
    for there in found:
        heading += [_title(there), "published"]
    best = {
        there.version.name: _best(summaries, there, learners, value) if value else None
        for there in found
    }
    rows = []
    for learner in learners:
        row = [Cell(learner.title)]
        for there in found:
            summary = summaries.streams.get((there.version.name, learner.name))
            is_best = learner.name == best[there.version.name]
            row.append(Cell(shown(summary), best=is_best) if summary else Cell("-"))
            published = STREAM_FIGURES.get((there.of.name, learner.name))
            row.append(Cell(in_paper(published) if published else "", aside=True))
        rows.append(row)
    return Table(name, caption, heading, rows, [])


def _title(there: Found) -> str:
    version = there.version
    return (
        version.name
        if version.status is Status.WHOLE
        else f"{version.name} ({version.status.value})"
    )


def _best(
    summaries: Summaries,
    there: Found,
    learners: Sequence[Learner],
    value: Callable[[StreamSummary], float],
) -> str | None:
    """Return the name of the best learner that learns row by row."""
    figures = {
        learner.name: value(summary)
        for learner in learners
        if learner.engine is not Engine.LIGHTGBM
        and (summary := summaries.streams.get((there.version.name, learner.name)))
    }
    return min(figures, key=lambda name: figures[name]) if figures else None


def short_table(summaries: Summaries) -> Table | None:
    """Compare learners that end early with ours, on the same first rows of the same shuffle."""
    rows = []
    for summary in summaries.streams.values():
        if summary.learner.most_rows is None:
            continue
        version = summary.found.version.name
        ours = [
            other
            for (name, _), other in summaries.streams.items()
            if name == version
            and other.learner.engine is Engine.SGTREES
            and _belongs(other.learner)
        ]
        cells = [Cell(version), Cell(f"{summary.rows:,}"), Cell(number(summary.loss, 3))]
        cells.append(Cell(number(summary.rows / summary.seconds, 0)))
        compared = [
            f"{other.learner.title}: {number(loss, 3)}"
            for other in ours
            if (loss := other.loss_after(summary.rows)) is not None
        ]
        speeds = [other.rows / other.seconds for other in ours if other.seconds > 0.0]
        cells.append(Cell("; ".join(compared) or "-"))
        cells.append(Cell(number(min(speeds), 0) if speeds else "-"))
        rows.append(cells)
    if not rows:
        return None
    heading = ["", "rows", "river's SGT", "rows/s", "ours, the same rows", "rows/s, all rows"]
    return Table(
        "river",
        "river's SGT on the first rows of one shuffle: error in per cent, or MAE",
        heading,
        rows,
        ["river's tree takes two classes at most, and learns a few hundred rows per second."],
    )


_OURS = ("sgt-paper", "sgt")


def ablation_table(summaries: Summaries) -> Table | None:
    """Return the table, or None if it was not run."""
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
