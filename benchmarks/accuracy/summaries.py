"""From runs to the figures of the page."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log

import numpy as np

from benchmarks.accuracy.records import Records
from benchmarks.accuracy.streams import FILE_ORDER, StudyStream


@dataclass(frozen=True)
class Scores:
    """A measure of some learners on some streams: the mean over the orders."""

    learners: list[str]
    streams: list[str]
    values: np.ndarray  # by learner and stream

    def relative(self, base: str) -> np.ndarray:
        """Return the logarithms of the values by those of a learner."""
        return np.asarray(np.log(self.values / self.values[self.learners.index(base)]))

    def geometric_means(self, base: str) -> dict[str, float]:
        """Return each learner's geometric mean over the streams, relative to one of them."""
        means = self.relative(base).mean(axis=1)
        return {name: exp(mean) for name, mean in zip(self.learners, means, strict=True)}

    def and_(self, *others: Scores) -> Scores:
        """Return these scores beside others of the same learners, each stream by itself."""
        parts = [self, *others]
        names = [name for part in parts for name in part.streams]
        return Scores(self.learners, names, np.hstack([part.values for part in parts]))

    def without(self, left_out: str) -> Scores:
        """Return the scores of the other streams."""
        others = [i for i, stream in enumerate(self.streams) if stream != left_out]
        return Scores(self.learners, [self.streams[i] for i in others], self.values[:, others])

    def ranks(self) -> dict[str, float]:
        """Return the mean rank of each learner, 1 being the best."""
        order = self.values.argsort(axis=0, kind="stable").argsort(axis=0) + 1.0
        return dict(zip(self.learners, order.mean(axis=1).tolist(), strict=True))


def scores(
    records: Records,
    streams: list[StudyStream],
    learners: list[str],
    measure: str,
    rows: int,
    *,
    shuffled: bool = True,
) -> Scores:
    """Gather a measure: over the shuffles, or in file order; of streams that all were run on."""
    values = np.full((len(learners), len(streams)), np.nan)
    for i, learner in enumerate(learners):
        for j, stream in enumerate(streams):
            runs = [
                run
                for run in records.of.values()
                if (run.stream, run.learner, run.rows) == (stream.name, learner, rows)
                and (run.order != FILE_ORDER) == shuffled
            ]
            if runs:
                values[i, j] = np.mean([run.measures[measure] for run in runs])
    known = ~np.isnan(values).any(axis=0)
    names = [stream.name for stream, is_known in zip(streams, known, strict=True) if is_known]
    return Scores(learners, names, values[:, known])


def gain(ours: float, best_of_others: float) -> float:
    """Return by how much ours is lower, relative."""
    return 1.0 - ours / best_of_others


def together(groups: list[Scores], base: str) -> dict[str, float]:
    """Return each learner's geometric mean of its means over groups of streams.

    A group counts as much as another, however many streams it has.
    """
    means = [group.geometric_means(base) for group in groups if group.streams]
    return {
        name: geometric_mean([mean[name] for mean in means]) for name in (means[0] if means else ())
    }


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean."""
    return exp(sum(map(log, values)) / len(values))
