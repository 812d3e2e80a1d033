"""Summaries of the runs of one learner on one data set."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sgtrees_experiments.datasets import Found, Task
from sgtrees_experiments.execution.plan import Plan, Series
from sgtrees_experiments.execution.results import Results
from sgtrees_experiments.learners.catalogue import Learner
from sgtrees_experiments.learners.runs import BagRun, StreamRun

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Curve:
    """A learning curve: the mean loss of the rows between one point and the next.

    Attributes
    ----------
    rows : list of int
        The numbers of rows at the ends of the stretches.
    losses : list of float
        The mean loss of each stretch, over all runs.
    """

    rows: list[int]
    losses: list[float]


@dataclass(frozen=True)
class StreamSummary:
    """Runs over a stream, in the units of the paper: per cent, or those of the target."""

    found: Found
    learner: Learner
    rows: int
    runs: tuple[StreamRun, ...]

    @property
    def unit(self) -> float:
        """The factor of a loss: errors are given in per cent."""
        return 100.0 if self.found.of.task is Task.CLASSIFICATION else 1.0

    @property
    def loss(self) -> float:
        """The mean loss."""
        return float(np.mean(self._losses))

    @property
    def deviation(self) -> float | None:
        """The standard deviation of the loss from run to run; None of a single one."""
        return float(np.std(self._losses, ddof=1)) if len(self.runs) > 1 else None

    @property
    def nodes(self) -> float | None:
        """The mean number of nodes."""
        nodes = [run.nodes for run in self.runs if run.nodes is not None]
        return float(np.mean(nodes)) if nodes else None

    @property
    def seconds(self) -> float:
        """The CPU time of the middle run: a mean would follow the slowest."""
        return float(np.median([run.seconds for run in self.runs]))

    @property
    def _losses(self) -> list[float]:
        return [self.unit * run.loss for run in self.runs]

    @property
    def curve(self) -> Curve | None:
        """The learning curve; None if there is only one point."""
        ends = np.array(self.runs[0].ends)
        if len(ends) < 2:
            return None
        sums = np.mean([run.losses for run in self.runs], axis=0)
        stretches = np.diff(sums, prepend=0.0) / np.diff(ends, prepend=0)
        return Curve(ends.tolist(), (self.unit * stretches).tolist())

    def loss_after(self, rows: int) -> float | None:
        """Return the loss of the first run over its first rows, if it was noted."""
        loss = self.runs[0].loss_after(rows)
        return None if loss is None else self.unit * loss


@dataclass(frozen=True)
class BagSummary:
    """Cross-validations over bags, in per cent."""

    found: Found
    learner: Learner
    runs: tuple[BagRun, ...]

    @property
    def folds(self) -> Floats:
        """The accuracies of all folds of all repetitions."""
        return 100.0 * np.concatenate([run.accuracies for run in self.runs])

    @property
    def accuracy(self) -> float:
        """The mean accuracy."""
        return float(self.folds.mean())

    @property
    def deviation(self) -> float | None:
        """The standard deviation from repetition to repetition; None of a single one."""
        if len(self.runs) < 2:
            return None
        return float(np.std([100.0 * np.mean(run.accuracies) for run in self.runs], ddof=1))

    @property
    def seconds(self) -> float:
        """The CPU time of a cross-validation, the middle one."""
        return float(np.median([run.seconds for run in self.runs]))


@dataclass(frozen=True)
class Summaries:
    """All that has been run of a plan.

    Attributes
    ----------
    plan : Plan
        What was to be run.
    streams, bags : dict
        The summaries by the names of version and learner.
    problems : list of str
        What could not be run, and what to do about it.
    """

    plan: Plan
    streams: dict[tuple[str, str], StreamSummary]
    bags: dict[tuple[str, str], BagSummary]
    problems: list[str]

    def found(self, task: Task) -> list[Found]:
        """Return the data sets of a task that anything was run on, in the paper's order."""
        names = {name for name, _ in (self.streams | self.bags)}
        return [
            there
            for there in self.plan.found
            if there.of.task is task and there.version.name in names
        ]

    def learners(self, task: Task) -> list[Learner]:
        """Return the learners of a task that were run on anything."""
        names = {
            name: summary.learner
            for (_, name), summary in (self.streams | self.bags).items()
            if summary.found.of.task is task
        }
        order = [series.learner.name for series in self.plan.series]
        return [names[name] for name in dict.fromkeys(order) if name in names]


def summarise(plan: Plan, results: Results, problems: Sequence[str] = ()) -> Summaries:
    """Summarise the finished runs of a plan."""
    streams: dict[tuple[str, str], StreamSummary] = {}
    bags: dict[tuple[str, str], BagSummary] = {}
    for series in plan.series:
        place = (series.found.version.name, series.learner.name)
        runs = [results.of[key] for key in series.keys if key in results.of]
        if not runs:
            continue
        if series.task is Task.BAGS:
            bags[place] = _bag_summary(series, [run for run in runs if isinstance(run, BagRun)])
        else:
            passes = tuple(run for run in runs if isinstance(run, StreamRun))
            streams[place] = StreamSummary(series.found, series.learner, series.rows, passes)
    return Summaries(plan, streams, bags, [*plan.problems, *problems])


def _bag_summary(series: Series, runs: list[BagRun]) -> BagSummary:
    return BagSummary(series.found, series.learner, tuple(runs))
