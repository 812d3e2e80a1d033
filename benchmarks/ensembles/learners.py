"""Which learners are compared, and over which streams."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sgtrees import (
    SGTBoostingClassifier,
    SGTBoostingRegressor,
    SGTClassifier,
    SGTForestClassifier,
    SGTForestRegressor,
    SGTRegressor,
)


@dataclass(frozen=True)
class Ours:
    """One of our learners: a class for labels, one for numbers, and settings of both."""

    classifier: type[SGTClassifier]
    regressor: type[SGTRegressor]
    settings: dict[str, Any]


def _boosting(n: int) -> Ours:
    return Ours(SGTBoostingClassifier, SGTBoostingRegressor, {"n_estimators": n, "random_state": 0})


def _forest(n: int) -> Ours:
    return Ours(SGTForestClassifier, SGTForestRegressor, {"n_estimators": n, "random_state": 0})


TREE = "tree"
OURS: dict[str, Ours] = {
    TREE: Ours(SGTClassifier, SGTRegressor, {}),
    "forest-10": _forest(10),
    "forest-30": _forest(30),
    "boosting-10": _boosting(10),
    "boosting-30": _boosting(30),
}
# As MOA's command line spells them.
PEERS_OF_CLASSES = {
    "LevBag-10": "meta.LeveragingBag -s 10",
    "ARF-10": "meta.AdaptiveRandomForest -s 10",
    "ARF-30": "meta.AdaptiveRandomForest -s 30",
    "SRP-30": "meta.StreamingRandomPatches -s 30",
    "SGBT-100": "meta.StreamingGradientBoostedTrees -s 100",
}
PEERS_OF_NUMBERS = {
    "ARF-Reg-30": "meta.AdaptiveRandomForestRegressor -s 30",
    "SOKNL-30": "meta.SelfOptimisingKNearestLeaves -s 30",
    "SGBR-10": "meta.StreamingGradientBoostedRegression -s 10",
}


@dataclass(frozen=True)
class Case:
    """The first rows of a stream in its own order (0: all), and what our better class reaches."""

    stream: str
    rows: int
    bars: dict[str, float]  # by measure; errors in per cent


CASES = [
    Case("elec2", 0, {"error": 9.0}),
    Case("covtype", 50_000, {}),
    Case("kdd99_10pct", 50_000, {}),
    Case("adult", 0, {"error": 14.4}),
    Case("letter", 0, {"error": 12.0}),
    Case("fars", 20_000, {}),
    Case("gmsc", 50_000, {}),
    Case("bike_sharing", 0, {"mae": 30.0, "rmse": 46.0}),
    Case("airline_nyc", 50_000, {"rmse": 36.0}),
    Case("aws", 50_000, {}),
]
# Too long for the peers.
LONG_CASES = [
    Case("covtype", 0, {"error": 4.8}),
    Case("kdd99_10pct", 0, {"error": 0.12}),
]
