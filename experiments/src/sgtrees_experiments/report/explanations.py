"""Reasons why figures differ from the published ones."""

from collections.abc import Iterator

from sgtrees_experiments.datasets import Status, Task
from sgtrees_experiments.report.published import STREAM_FIGURES
from sgtrees_experiments.report.summaries import Summaries

_GENERAL = """
**Other data.** Only data sets with the status *whole* are the paper's own. Beside a part or a
stand-in the published figure is printed for orientation, and cannot be compared.

**Our settings.** The rows SGT have the library's defaults, which look for changes more often, have
a weaker test, and let the children of a split learn its latest rows again. The paper's settings
have their own rows.

**Lambda.** The paper prints v = -G / (H + lambda). Its programs divide the sums by the number of
rows first, so that lambda counts once for each row, and its results are those of the programs. Ours
do the same.

**The variance.** The programs subtract the mean where its square belongs when they pool the
variances of branches. That makes the variance too large, the test too strict and the trees small.
Ours pool them right, and grow larger trees with lower errors.

**The first rows.** The programs set the ranges with the first 1,000 rows, then throw them away, and
do not count them. Ours learn them, and all rows count in our figures: up to the 1,000th the
prediction is a constant.

**The start.** The programs start all trees at 0, ours at the best constant over the first rows.

**Run time.** The paper's seconds are those of another machine. CPU times can be compared within one
table: MOA's learners run in a Java loop over rows in memory after a warm-up of the Java machine,
whose compiler and garbage collector are not counted; ours start from the array in memory, and
everything from there on counts. The median of the runs is given, since the speed of the machine
varies and a mean follows the slowest run. A committee has a tree for every class but one: on
KDD'99 each row is learned by 22 or 39 trees, while VFDT and the tree with vector leaves have one;
at the default settings they learn one in eight of the rows whose class is almost certain, at the
paper's settings every row.
"""


def explanations(summaries: Summaries) -> list[str]:
    """Return what explains the differences in the tables."""
    general = [" ".join(part.split()) for part in _GENERAL.split("\n\n")]
    return [*general, *_of_learners(summaries), *_of_data(summaries)]


def _of_learners(summaries: Summaries) -> Iterator[str]:
    efdt = summaries.streams.get(("covtype", "efdt"))
    if efdt is not None:
        published = STREAM_FIGURES["covtype", "efdt"]
        yield (
            f"**EFDT on Covertype.** Published are {published.loss:.2f} % with "
            f"{published.nodes:,.0f} nodes; today's MOA gives {efdt.loss:.2f} % with "
            f"{efdt.nodes or 0:,.0f} nodes at its default settings. The paper used the program of "
            "EFDT's authors of 2018, which splits far more often."
        )
    vfdt = summaries.streams.get(("covtype", "vfdt"))
    if vfdt is not None:
        published = STREAM_FIGURES["covtype", "vfdt"]
        yield (
            f"**VFDT's leaves.** With majority-class leaves MOA's HoeffdingTree gives "
            f"{vfdt.loss:.2f} % on Covertype, as the paper has it ({published.loss:.2f} %); with "
            "adaptive naive Bayes leaves, MOA's default, it is much better. Both have a row."
        )
    if any(name == "moa-sgt" for _, name in summaries.streams):
        yield (
            "**MOA's SGT** is the first author's own later program. It keeps the slip in the "
            "variance, ignores its first 1,000 rows, and is run without re-splits."
        )


def _of_data(summaries: Summaries) -> Iterator[str]:
    for task in (Task.CLASSIFICATION, Task.REGRESSION):
        for found in summaries.found(task):
            version = found.version
            if version.status is not Status.WHOLE:
                yield (
                    f"**{version.name}** is {_article(version.status)} {version.status.value}: "
                    f"{version.about} ({version.shape}; the paper: {found.of.published})."
                )


def _article(status: Status) -> str:
    return "only a" if status is Status.PART else "a"
