"""The page's section about boosting of bags, which is measured and written for itself."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from benchmarks.bags.paper import PAPER, PUBLISHED, average, published
from benchmarks.bags.parameters import FIRST_FRESH_SEED, Parameters
from benchmarks.bags.results import Results, Task, is_there, task
from benchmarks.bags.table import markdown_table

TITLE = "## Boosting"
SEEDS = range(FIRST_FRESH_SEED, FIRST_FRESH_SEED + 2)
SINGLE = "one tree"
BOOSTED: dict[str, Parameters] = {
    SINGLE: {},
    "10 boosted trees": {"n_estimators": 10},
    "30 boosted trees": {"n_estimators": 30},
}


def sets_there() -> list[str]:
    return [dataset for dataset in PAPER if is_there(dataset)]


def tasks_of_boosting(sets: Sequence[str]) -> list[Task]:
    return [task(p, d, seed) for seed in SEEDS for p in BOOSTED.values() for d in sets]


def boosting(results: Results, sets: Sequence[str]) -> str:
    """Return the section over these sets; those that are not there are named."""
    absent = ", ".join(dataset for dataset in PAPER if dataset not in sets)
    if not sets:
        return f"{TITLE}\n\nNot measured, as the files of the sets were not there."
    parts = [
        TITLE,
        "`SGTBoostingMultiInstanceClassifier` beside the single tree, both with their defaults but"
        " for the number of trees, on the same folds: mean over two repetitions (seeds"
        f" {SEEDS[0]} and {SEEDS[-1]}; few, as 30 trees take 11 to 22 times as long as one)."
        " Nothing was chosen on these folds."
        + (f" Not measured, as their files were not there: {absent}." if absent else ""),
        _table(results, sets),
        _verdict(results, sets),
    ]
    return "\n\n".join(parts)


def _table(results: Results, sets: Sequence[str]) -> str:
    lines = [["", *(f"paper: {learner}" for learner in PUBLISHED), *BOOSTED]]
    columns = [published(learner) for learner in PUBLISHED]
    columns += [results.means(changed, SEEDS, sets) for changed in BOOSTED.values()]
    lines += [[d, *(f"{means[d]:.2f}" for means in columns)] for d in sets]
    averages = (average({d: means[d] for d in sets}) for means in columns)
    lines.append(["**average**", *(f"**{value:.2f}**" for value in averages)])
    return markdown_table(lines)


def _verdict(results: Results, sets: Sequence[str]) -> str:
    single = results.means(BOOSTED[SINGLE], SEEDS, sets)
    told = []
    for name, changed in BOOSTED.items():
        if name == SINGLE:
            continue
        gains = {d: mean - single[d] for d, mean in results.means(changed, SEEDS, sets).items()}
        better = sum(gain > 0 for gain in gains.values())
        worse = sum(gain < 0 for gain in gains.values())
        told.append(
            f"{name}: {np.mean(list(gains.values())):+.2f} points on average, more accurate on"
            f" {better} of {len(sets)} sets and less on {worse}"
            f" (from {min(gains.values()):+.2f} to {max(gains.values()):+.2f})"
        )
    return f"Beside one tree: {'; '.join(told)}."


def with_section(page: str, section: str) -> str:
    """Return a page with this section in the place of the one with its title.

    Examples
    --------
    >>> with_section("# Page\\n\\n## Boosting\\n\\nold\\n\\n## Next\\n", "## Boosting\\n\\nnew")
    '# Page\\n\\n## Boosting\\n\\nnew\\n\\n## Next\\n'
    """
    pattern = re.compile(rf"^{TITLE}\n.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
    found, n = pattern.subn(lambda _: section.strip() + "\n\n", page)
    if n != 1:
        raise ValueError(f"the page must have one section {TITLE!r}, it has {n}")
    return found.rstrip() + "\n"
