"""The learners that are compared: their names, tasks and settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from sgtrees import SGTClassifier, SGTRegressor
from sgtrees.parameters.constructors import paper_settings
from sgtrees_experiments.datasets import Task

Settings = Mapping[str, Any]

_CLASSES = frozenset({Task.CLASSIFICATION})
_NUMBERS = frozenset({Task.REGRESSION})
_STREAMS = _CLASSES | _NUMBERS
_BAGS = frozenset({Task.BAGS})


class Engine(Enum):
    """What runs a learner."""

    SGTREES = "sgtrees"
    SLIPPED_SGTREES = "sgtrees with slipped variance"
    MOA = "moa"
    RIVER = "river"
    LIGHTGBM = "lightgbm"


class Role(Enum):
    """Why a learner is included."""

    PUBLISHED = "in the paper's tables"
    FURTHER = "beside them"
    ABLATION = "to see what a difference from the paper's text does"


@dataclass(frozen=True)
class Learner:
    """A column or row of the tables.

    Attributes
    ----------
    name : str
        Its name on the command line.
    title : str
        Its name in tables and figures.
    engine : Engine
        What runs it.
    tasks : frozenset of Task
        What it can learn.
    settings : mapping
        Its parameters.
    role : Role
        Why it is included.
    note : str
        A short description.
    data : frozenset of str
        The data sets of the paper that it is run on; none given: all.
    most_runs, most_rows : int or None
        Limits for slow learners, and for those whose results do not vary.
    two_classes_only : bool
        Whether it takes two classes only.
    """

    name: str
    title: str
    engine: Engine
    tasks: frozenset[Task]
    settings: Settings = field(default_factory=dict)
    role: Role = Role.FURTHER
    note: str = ""
    data: frozenset[str] = frozenset()
    most_runs: int | None = None
    most_rows: int | None = None
    two_classes_only: bool = False

    def takes(self, task: Task, data: str, classes: int) -> bool:
        """Return whether it is run on a data set."""
        fits = task in self.tasks and (not self.data or data in self.data)
        return fits and not (self.two_classes_only and classes > 2)


_PAPER_CLASSES = paper_settings(SGTClassifier)
# The paper's settings, except that trees start at the best constant over the warm-up rows.
_OURS: Settings = {**_PAPER_CLASSES, "start": "data"}
_OURS_OF_NUMBERS: Settings = {**paper_settings(SGTRegressor), "start": "data"}
_MANY_CLASSES = frozenset({"covtype", "kdd99"})
_RIVER_ROWS = 20_000


def _moa(name: str, title: str, command: str, tasks: frozenset[Task], **more: Any) -> Learner:
    return Learner(name, title, Engine.MOA, tasks, {"command": command}, **more)


def _ours(
    name: str, title: str, tasks: frozenset[Task], settings: Settings, **more: Any
) -> Learner:
    return Learner(name, title, Engine.SGTREES, tasks, settings, **more)


def _ablated(
    name: str, title: str, settings: Settings, note: str, engine: Engine = Engine.SGTREES
) -> Learner:
    """Return a step between the paper's text and ours; it starts at 0, as the paper's trees do."""
    values = {**_PAPER_CLASSES, **settings}
    return Learner(
        name, title, engine, _CLASSES, values, role=Role.ABLATION, data=_MANY_CLASSES, note=note
    )


LEARNERS: dict[str, Learner] = {
    learner.name: learner
    for learner in (
        # ---- streams ----------------------------------------------------------------------------
        _ours("sgt", "SGT", _CLASSES, {}, role=Role.PUBLISHED, note="ours, default settings"),
        _ours(
            "sgt-tuned",
            "SGT, tuned",
            _CLASSES,
            {"grace_growth": 0.0, "kept_rows": 1000},
            data=_MANY_CLASSES,
            note="ours; a leaf searches for changes every 25 rows, and keeps 1,000",
        ),
        _ours(
            "sgt-paper",
            "SGT, the paper's settings",
            _CLASSES,
            _OURS,
            note="ours, with the paper's settings",
        ),
        _ours(
            "sgt-vector",
            "SGT, vector leaves",
            _CLASSES,
            {**_OURS, "multiclass": "vector"},
            data=_MANY_CLASSES,
            note="ours, the paper's settings, one tree with a vector in each leaf",
        ),
        _ours(
            "sgt-mae",
            "SGT, absolute error",
            _NUMBERS,
            {"loss": "absolute_error"},
            note="ours, default settings, with the loss that suits the metric",
        ),
        _ours(
            "sgt-squared",
            "SGT, squared error",
            _NUMBERS,
            {"loss": "squared_error"},
            role=Role.PUBLISHED,
            note="ours, default settings, with the paper's loss",
        ),
        _ours(
            "sgt-paper-squared",
            "SGT, the paper's settings",
            _NUMBERS,
            {**_OURS_OF_NUMBERS, "loss": "squared_error"},
            note="ours, with the paper's loss and settings",
        ),
        _moa(
            "vfdt",
            "VFDT",
            "trees.HoeffdingTree -l MC",
            _CLASSES,
            role=Role.PUBLISHED,
            note="MOA's HoeffdingTree with majority-class leaves",
        ),
        _moa(
            "vfdt-nba",
            "VFDT, adaptive naive Bayes leaves",
            "trees.HoeffdingTree",
            _CLASSES,
            note="MOA's HoeffdingTree with its default settings",
        ),
        _moa("efdt", "EFDT", "trees.EFDT", _CLASSES, role=Role.PUBLISHED, note="MOA's EFDT"),
        _moa(
            "fimtdd", "FIMT-DD", "trees.FIMTDD", _NUMBERS, role=Role.PUBLISHED, note="MOA's FIMTDD"
        ),
        _moa("orto", "ORTO", "trees.ORTO", _NUMBERS, role=Role.PUBLISHED, note="MOA's ORTO"),
        _moa(
            "moa-sgt",
            "MOA's SGT",
            "trees.StochasticGradientTree -R",
            _STREAMS,
            note="the first author's own rewrite, without re-splits, which take long",
        ),
        Learner(
            "river-sgt",
            "river's SGT",
            Engine.RIVER,
            _STREAMS,
            {"delta": 1e-7, "grace_period": 200, "lambda_value": 0.1, "gamma": 1.0},
            note=f"the paper's settings, the first {_RIVER_ROWS:,} rows of one shuffle",
            most_runs=1,
            most_rows=_RIVER_ROWS,
            two_classes_only=True,
        ),
        Learner(
            "lightgbm",
            "LightGBM",
            Engine.LIGHTGBM,
            _STREAMS,
            # With its default of 1e-3 the trees of rare classes run away on KDD'99.
            {
                "n_estimators": 100,
                "num_leaves": 31,
                "learning_rate": 0.1,
                "min_child_weight": 1.0,
            },
            note="batch, 100 trees: learned from 90 % of one shuffle, tested on the other 10 %",
            most_runs=1,
        ),
        # ---- what the differences from the paper's text do --------------------------------------
        _ablated(
            "as-printed",
            "as printed",
            {"lambda_scaling": "sum"},
            "the paper's formulas and values; lambda once a branch, start at 0",
        ),
        _ablated(
            "as-programmed",
            "as programmed",
            {"lambda_scaling": "row"},
            "lambda once a row, and the slip in the pooled variance",
            Engine.SLIPPED_SGTREES,
        ),
        _ablated(
            "without-slip",
            "without the slip",
            {"lambda_scaling": "row"},
            "lambda once a row, the variance pooled right",
        ),
        # ---- bags -------------------------------------------------------------------------------
        _ours("sgt-bags", "SGT", _BAGS, {}, role=Role.PUBLISHED, note="ours, default settings"),
        _ours(
            "qddi",
            "QDDI",
            _BAGS,
            {},
            role=Role.PUBLISHED,
            note="quick diverse density, written here from its paper",
        ),
        _ours(
            "miti",
            "MITI",
            _BAGS,
            {},
            role=Role.PUBLISHED,
            note="the multi-instance tree inducer, written here from its papers",
        ),
    )
}
