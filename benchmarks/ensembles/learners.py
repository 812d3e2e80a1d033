"""Which learners are compared, and over which streams."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchmarks.accuracy.generated import drifting, stationary
from benchmarks.accuracy.streams import FILE_ORDER, STREAMS, StudyStream
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


def boosting(**settings: Any) -> Ours:
    """Return boosted trees."""
    return Ours(SGTBoostingClassifier, SGTBoostingRegressor, {"random_state": 0} | settings)


def forest(**settings: Any) -> Ours:
    """Return a forest."""
    return Ours(SGTForestClassifier, SGTForestRegressor, {"random_state": 0} | settings)


TREE = "tree"
OURS: dict[str, Ours] = {
    TREE: Ours(SGTClassifier, SGTRegressor, {}),
    "forest-10": forest(n_estimators=10),
    "forest-30": forest(n_estimators=30),
    "boosting-10": boosting(n_estimators=10),
    "boosting-30": boosting(n_estimators=30),
}
# As MOA's command line spells them.
_OF_CLASSES = {
    "LevBag": "meta.LeveragingBag",
    "ARF": "meta.AdaptiveRandomForest",
    "SRP": "meta.StreamingRandomPatches",
    "SGBT": "meta.StreamingGradientBoostedTrees",
}
_OF_NUMBERS = {
    "ARF-Reg": "meta.AdaptiveRandomForestRegressor",
    "SOKNL": "meta.SelfOptimisingKNearestLeaves",
    "SGBR": "meta.StreamingGradientBoostedRegression",
}


def _peers(of_moa: dict[str, str], *names: str) -> dict[str, str]:
    """Return command lines by names such as "ARF-30"."""
    found = {}
    for name in names:
        kind, _, members = name.rpartition("-")
        found[name] = f"{of_moa[kind]} -s {members}"
    return found


# The bars are measured against the first of them, on all streams in both orders.
MAIN_PEERS_OF_CLASSES = _peers(_OF_CLASSES, "ARF-30", "SRP-30", "LevBag-10", "SGBT-100")
MAIN_PEERS_OF_NUMBERS = _peers(_OF_NUMBERS, "SGBR-10", "ARF-Reg-30", "SOKNL-30")
_SMALL_OF_CLASSES = _peers(_OF_CLASSES, "ARF-10", "SRP-10")
_SMALL_OF_NUMBERS = _peers(_OF_NUMBERS, "ARF-Reg-10", "SOKNL-10")
_LARGE_OF_CLASSES = _peers(_OF_CLASSES, "ARF-100", "SRP-100")
_LARGE_OF_NUMBERS = _peers(_OF_NUMBERS, "ARF-Reg-100", "SOKNL-100", "SGBR-30", "SGBR-100")
PEERS_OF_CLASSES = MAIN_PEERS_OF_CLASSES | _SMALL_OF_CLASSES | _LARGE_OF_CLASSES
PEERS_OF_NUMBERS = MAIN_PEERS_OF_NUMBERS | _SMALL_OF_NUMBERS | _LARGE_OF_NUMBERS

SHUFFLED = "0"  # a shuffle is named by its seed
# CPU seconds after which a run of a peer ends where it is, and rows for Java's compiler before it.
LIMITS = {"seconds": 60.0, "warm_up": 1000}


@dataclass(frozen=True)
class Case:
    """The first rows of a stream (0: all), and what our better class reaches in its own order."""

    stream: StudyStream
    rows: int
    bars: dict[str, float] = field(default_factory=dict)  # by measure; errors in per cent
    is_shuffled_too: bool = True

    @property
    def title(self) -> str:
        return self.stream.name + (f", first {self.rows:,}" if self.rows else "")

    @property
    def orders(self) -> list[str]:
        """The order of the file, and a shuffle."""
        return [FILE_ORDER, *([SHUFFLED] if self.is_shuffled_too else [])]


_GENERATED_ROWS = 50_000

CASES = [
    Case(STREAMS["elec2"], 0, {"error": 9.0}),
    Case(STREAMS["covtype"], 50_000),
    Case(STREAMS["kdd99_10pct"], 50_000),
    Case(STREAMS["adult"], 0, {"error": 14.4}),
    Case(STREAMS["letter"], 0, {"error": 12.0}),
    Case(STREAMS["fars"], 20_000),
    Case(STREAMS["gmsc"], 50_000),
    Case(STREAMS["higgs_16k"], 0),
    Case(STREAMS["bike_sharing"], 0, {"mae": 30.0, "rmse": 46.0}),
    Case(STREAMS["airline_nyc"], 50_000, {"rmse": 36.0}),
    Case(STREAMS["aws"], 50_000),
]
DRIFTING_CASES, STATIONARY_CASES = (
    [Case(stream, 0, is_shuffled_too=False) for stream in streams(_GENERATED_ROWS).values()]
    for streams in (drifting, stationary)
)
# Too long for the peers.
LONG_CASES = [
    Case(STREAMS["covtype"], 0, {"error": 4.8}, is_shuffled_too=False),
    Case(STREAMS["kdd99_10pct"], 0, {"error": 0.12}, is_shuffled_too=False),
]


class PeerJob(NamedTuple):
    """Runs of a learner of MOA over one stream."""

    case: Case
    order: str
    learner: str


def peer_jobs() -> Iterator[PeerJob]:
    """Yield all runs of MOA's learners, the most important first."""
    few = [case for case in CASES if case.stream.name in ("elec2", "adult", "bike_sharing")]
    yield from _jobs([*CASES, *DRIFTING_CASES], FILE_ORDER, _MAIN)
    yield from _jobs(CASES, SHUFFLED, _MAIN)
    yield from _jobs(CASES, FILE_ORDER, _SMALL)
    yield from _jobs(few, FILE_ORDER, _LARGE)
    yield from _jobs(CASES, SHUFFLED, _SMALL)
    yield from _jobs(few, SHUFFLED, _LARGE)


_MAIN = MAIN_PEERS_OF_CLASSES, MAIN_PEERS_OF_NUMBERS
_SMALL = _SMALL_OF_CLASSES, _SMALL_OF_NUMBERS
_LARGE = _LARGE_OF_CLASSES, _LARGE_OF_NUMBERS


# SGBT takes many minutes for a thousand rows of many classes, or of many categories.
_TOO_SLOW_FOR_SGBT = {"adult", "fars", "kdd99_10pct", "letter"}


def _jobs(
    cases: list[Case], order: str, learners: tuple[dict[str, str], dict[str, str]]
) -> Iterator[PeerJob]:
    of_classes, of_numbers = learners
    # One learner after the other: the slowest come last.
    for place in range(max(len(of_classes), len(of_numbers))):
        for case in cases:
            of_stream = of_classes if case.stream.classification else of_numbers
            if place >= len(of_stream):
                continue
            learner = list(of_stream.values())[place]
            if case.stream.name in _TOO_SLOW_FOR_SGBT and _OF_CLASSES["SGBT"] in learner:
                continue
            yield PeerJob(case, order, learner)
