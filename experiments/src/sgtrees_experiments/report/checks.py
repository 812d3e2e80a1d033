"""Claims of the paper and of the library, checked with the measured figures."""

from collections.abc import Iterator
from dataclasses import dataclass

from sgtrees_experiments.datasets import Task
from sgtrees_experiments.learners.catalogue import Engine
from sgtrees_experiments.report.bag_tables import bag_figures, mean_accuracy, published_mean
from sgtrees_experiments.report.published import STREAM_FIGURES
from sgtrees_experiments.report.summaries import StreamSummary, Summaries

# How far the averages of MITI and QDDI may be from the published ones, in points.
_NEAR = 4.0


@dataclass(frozen=True)
class Check:
    """A claim, and whether it holds.

    Attributes
    ----------
    claim : str
        The claim.
    measured : str
        The measured figures.
    holds : bool
        Whether it does.
    """

    claim: str
    measured: str
    holds: bool


def checks(summaries: Summaries) -> list[Check]:
    """Return the claims that the finished runs allow to check."""
    found: list[Check] = []
    for check in (_covertype, _kdd99, _regression, _run_time, _bags):
        found += check(summaries)
    return found


def _get(summaries: Summaries, version: str, learner: str) -> StreamSummary | None:
    return summaries.streams.get((version, learner))


def _below(
    summaries: Summaries, version: str, learner: str, others: tuple[str, ...], what: str
) -> Iterator[Check]:
    """Compare a learner's loss with those of others that were run on the same data."""
    ours = _get(summaries, version, learner)
    for name in others:
        theirs = _get(summaries, version, name)
        if ours is not None and theirs is not None:
            yield Check(
                f"{version}: {what} of {ours.learner.title} below that of {theirs.learner.title}",
                f"{ours.loss:.4g} against {theirs.loss:.4g}",
                ours.loss < theirs.loss,
            )


def _below_number(
    summaries: Summaries, version: str, learner: str, limit: float, words: str
) -> Iterator[Check]:
    ours = _get(summaries, version, learner)
    # Figures of a part of the rows cannot be compared with figures of all rows.
    if ours is not None and ours.rows == ours.found.version.shape.rows:
        claim = f"{version}: error of {ours.learner.title} {words} ({limit:g} %)"
        yield Check(claim, f"{ours.loss:.4g}", ours.loss < limit)


def _covertype(summaries: Summaries) -> Iterator[Check]:
    published = STREAM_FIGURES["covtype", "sgt"].loss
    yield from _below_number(summaries, "covtype", "sgt", published, "below the paper's SGT")
    yield from _below(summaries, "covtype", "sgt", ("moa-sgt", "vfdt", "efdt"), "error")
    efdt = STREAM_FIGURES["covtype", "efdt"].loss
    yield from _below_number(summaries, "covtype", "sgt-tuned", efdt, "below the paper's EFDT")


def _kdd99(summaries: Summaries) -> Iterator[Check]:
    for version in ("kdd99", "kdd99_10pct", "kdd99_both"):
        yield from _below(summaries, version, "sgt", ("moa-sgt",), "error")
    yield from _below_number(summaries, "kdd99_10pct", "sgt-tuned", 0.40, "at most")
    yield from _below(summaries, "kdd99_10pct", "sgt-tuned", ("vfdt-nba", "efdt"), "error")


def _regression(summaries: Summaries) -> Iterator[Check]:
    for found in summaries.found(Task.REGRESSION):
        others = ("fimtdd", "orto", "moa-sgt")
        yield from _below(summaries, found.version.name, "sgt-mae", others, "MAE")


def _run_time(summaries: Summaries) -> Iterator[Check]:
    """Compare CPU times: our published row with the fastest learner of MOA."""
    for task in (Task.CLASSIFICATION, Task.REGRESSION):
        for found in summaries.found(task):
            here = [s for (name, _), s in summaries.streams.items() if name == found.version.name]
            ours = [s for s in here if s.learner.name in ("sgt", "sgt-mae")]
            moas = [s for s in here if s.learner.engine is Engine.MOA]
            if ours and moas:
                fastest = min(moas, key=lambda s: s.seconds)
                yield Check(
                    f"{found.version.name}: run time of {ours[0].learner.title} below that of "
                    "every learner of MOA",
                    f"{ours[0].seconds:.2f} s against {fastest.seconds:.2f} s "
                    f"({fastest.learner.title})",
                    ours[0].seconds < fastest.seconds,
                )


def _bags(summaries: Summaries) -> Iterator[Check]:
    lines = bag_figures(summaries)
    if not lines:
        return
    names = {learner.name for learner in summaries.learners(Task.BAGS)}
    where = f"{len(lines)} multi-instance sets"
    published = published_mean(lines, "sgt-bags")
    if "sgt-bags" in names and published is not None:
        ours = mean_accuracy(lines, "sgt-bags")
        claim = f"{where}: average accuracy of SGT at least the paper's ({published:.2f})"
        yield Check(claim, f"{ours:.2f}", ours >= published)
    for name in ("miti", "qddi"):
        published = published_mean(lines, name)
        if name in names and published is not None:
            mean = mean_accuracy(lines, name)
            claim = (
                f"{where}: {name.upper()} within {_NEAR:g} points of the paper's ({published:.2f})"
            )
            yield Check(claim, f"{mean:.2f}", abs(mean - published) <= _NEAR)
