"""Table 4 of the paper: accuracy on bags, ranks, and significant differences from SGT."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata

from sgtrees.evaluation.significance import average_ranks, corrected_t_test
from sgtrees_experiments.datasets import Task
from sgtrees_experiments.learners.bags import FOLDS
from sgtrees_experiments.report.published import BAG_FIGURES
from sgtrees_experiments.report.summaries import BagSummary, Summaries
from sgtrees_experiments.report.tables import Cell, Table, number, with_deviation

_REFERENCE = "sgt-bags"
_MARKS = {1: " ∘", 0: "", -1: " •"}
_NOTE = (
    "∘ and •: significantly better and worse than SGT (corrected resampled t-test over all folds, "
    f"5 %). The paper's figures come from a single {FOLDS}-fold cross-validation."
)


@dataclass(frozen=True)
class BagFigures:
    """A data set's line: each learner's summary, its rank, and how it differs from ours."""

    of: dict[str, BagSummary]
    rank: dict[str, float]
    mark: dict[str, int]


def bag_figures(summaries: Summaries) -> dict[str, BagFigures]:
    """Return the figures of each data set on which all learners were run."""
    learners = [learner.name for learner in summaries.learners(Task.BAGS)]
    lines = {}
    for found in summaries.found(Task.BAGS):
        name = found.version.name
        of = {one: summaries.bags[name, one] for one in learners if (name, one) in summaries.bags}
        if len(of) == len(learners):
            ranks = rankdata([-summary.accuracy for summary in of.values()])
            rank = dict(zip(of, ranks.tolist(), strict=True))
            lines[name] = BagFigures(of, rank, _marks(of))
    return lines


def _marks(of: dict[str, BagSummary]) -> dict[str, int]:
    ours = of.get(_REFERENCE)
    if ours is None:
        return dict.fromkeys(of, 0)
    return {
        name: corrected_t_test(summary.folds, ours.folds, 1.0 / (FOLDS - 1)).verdict()
        for name, summary in of.items()
        if len(summary.folds) == len(ours.folds)
    }


def bag_table(summaries: Summaries) -> Table | None:
    """Return the table, or None if nothing was run on bags."""
    lines = bag_figures(summaries)
    if not lines:
        return None
    learners = summaries.learners(Task.BAGS)
    heading = [""]
    for learner in learners:
        heading += [learner.title, "published"]
    rows = []
    for name, line in lines.items():
        row = [Cell(name)]
        for learner in learners:
            row.append(_ours(line, learner.name))
            row.append(_published(name, learner.name))
        rows.append(row)
    names = [learner.name for learner in learners]
    rows += [_average(lines, names), *_average_rank(lines, names)]
    runs = {len(summary.runs) for line in lines.values() for summary in line.of.values()}
    often = "-".join(str(count) for count in sorted(runs))
    return Table(
        "bags",
        f"Accuracy in per cent, {FOLDS}-fold cross-validation, mean of {often} repetitions "
        "± their standard deviation; ranks in parentheses",
        heading,
        rows,
        [_NOTE],
    )


def _ours(line: BagFigures, learner: str) -> Cell:
    summary = line.of[learner]
    mean = with_deviation(summary.accuracy, summary.deviation)
    text = f"{mean} ({line.rank[learner]:g}){_MARKS[line.mark.get(learner, 0)]}"
    return Cell(text, best=line.rank[learner] == min(line.rank.values()))


def _published(name: str, learner: str) -> Cell:
    figures = BAG_FIGURES.get((name, learner))
    if figures is None:
        return Cell(aside=True)
    return Cell(f"{number(figures.accuracy)} ({figures.rank}){_MARKS[figures.mark]}", aside=True)


def _average(lines: dict[str, BagFigures], learners: Sequence[str]) -> list[Cell]:
    row = [Cell("average")]
    for learner in learners:
        row.append(Cell(number(mean_accuracy(lines, learner))))
        published = published_mean(lines, learner)
        row.append(Cell(number(published) if published else "", aside=True))
    return row


def mean_accuracy(lines: dict[str, BagFigures], learner: str) -> float:
    """Return a learner's accuracy, averaged over data sets."""
    return float(np.mean([line.of[learner].accuracy for line in lines.values()]))


def published_mean(lines: dict[str, BagFigures], learner: str) -> float | None:
    """Return the accuracy that the paper gives, averaged over the same data sets."""
    known = [(name, learner) for name in lines if (name, learner) in BAG_FIGURES]
    if len(known) < len(lines):
        return None
    return float(np.mean([BAG_FIGURES[key].accuracy for key in known]))


def _average_rank(lines: dict[str, BagFigures], learners: Sequence[str]) -> list[list[Cell]]:
    if len(lines) < 2 or len(learners) < 2:
        return []
    accuracies = {one: [line.of[one].accuracy for line in lines.values()] for one in learners}
    ranks = average_ranks(accuracies, greater_is_better=True).ranks
    row = [Cell("average rank")]
    for learner in learners:
        ranked = [
            BAG_FIGURES[key].rank
            for key in ((name, learner) for name in lines)
            if key in BAG_FIGURES
        ]
        row.append(Cell(number(ranks[learner])))
        row.append(Cell(number(float(np.mean(ranked))) if ranked else "", aside=True))
    return [row]
