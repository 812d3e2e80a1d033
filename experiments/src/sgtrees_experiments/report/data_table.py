"""The table of the data sets: the paper's, and what is used in its place."""

from sgtrees_experiments.datasets import Status
from sgtrees_experiments.execution.plan import SETS, Plan
from sgtrees_experiments.report.tables import Table, cells

_HEADING = ["data set", "the paper's", "here", "status", "its size", "what it is"]


_SIZES = (
    "Rows x features. Table 1 of the paper counts some class columns as features: Covertype has "
    "54, Higgs and HEPMASS have 28. What is read is checked against the size given here."
)
_STAND_INS = (
    "A stand-in is data of the same kind that is not the paper's: its figures cannot be compared "
    "with the published ones, only with each other."
)


def data_table(plan: Plan) -> Table:
    """Return a line for each version that is here, and for each data set that is not."""
    here: dict[str, list[list[str]]] = {}
    for found in plan.found:
        version = found.version
        line = [version.name, version.status.value, str(version.shape), version.about]
        here.setdefault(found.of.name, []).append(line)
    for known in plan.absent:
        here[known.name] = [["-", Status.ABSENT.value, "", f"to get it: {known.obtain}"]]
    rows = [
        cells([known.title, str(known.published), *line])
        for known in SETS.values()
        for line in here.get(known.name, [])
    ]
    return Table(
        "data",
        "The paper's data sets, and what is used in their place",
        _HEADING,
        rows,
        [_SIZES, _STAND_INS],
        words=len(_HEADING),
    )
