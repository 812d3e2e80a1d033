"""The settings: what is reported, and what it was chosen from, as changes of the defaults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.bags.paper import PAPER

Parameters = Mapping[str, Any]

# What is reported, on folds that had no part in any choice.
FIRST_FRESH_SEED = 200
REPORTED: dict[str, Parameters] = {
    "defaults": {},
    "best": {"binning": "quantile", "n_bins": 64, "grace_period": 100, "delta": 1e-4},
}

# What was reported before, and the folds it was reported on.
EARLIER: dict[str, Parameters] = {
    "defaults": {"n_bins": 64},
    "best": {"binning": "quantile", "n_bins": 64, "grace_period": 200},
}
EARLIER_SEEDS = range(100, 110)

# What was tried on all sets.
FIRST_SWEEP_SEED = 0
_FINE: Parameters = {"n_bins": 64}
_SHORT: Parameters = {"n_bins": 64, "grace_period": 200}
SWEEP: list[Parameters] = [
    {},
    {"n_bins": 32},
    _FINE,
    _FINE | {"binning": "quantile"},
    {"n_bins": 8, "grace_period": 200},
    {"n_bins": 16, "grace_period": 200},
    _SHORT,
    *(
        _SHORT | changed
        for changed in (
            {"sharpness": 1.0},
            {"sharpness": 3.0},
            {"pooling": "max"},
            {"reg_lambda": 0.1},
            {"reg_lambda": 0.03},
            {"reg_lambda": 0.03, "delta": 1e-4},
            {"delta": 1e-2},
            {"delta": 1e-4},
            {"delta": 1e-5},
            {"delta": 1e-4, "sharpness": 1.0},
            {"delta": 1e-4, "grace_period": 100},
            {"gamma": 0.3},
            {"start": "neutral"},
            {"binning": "quantile"},
            {"binning": "quantile", "delta": 1e-4, "grace_period": 100},
        )
    ),
]

# What was tried after the report, for a next choice; without the set that takes longest.
LATER_SETS = tuple(dataset for dataset in PAPER if dataset != "musk2")
LATER_SEEDS = range(4)
_QUANTILE: Parameters = {"binning": "quantile", "n_bins": 64}
_FINEST: Parameters = {"binning": "quantile", "n_bins": 256}
LATER: list[Parameters] = [
    _QUANTILE,
    _QUANTILE | {"gamma": 10.0},
    _QUANTILE | {"sharpness": 0.5},
    _FINEST,
    _FINEST | {"sharpness": 0.5},
    _FINEST | {"sharpness": 0.25},
    _FINEST | {"sharpness": 0.1},
]
# The most promising of them, on all sets.
PROMISING: Parameters = _FINEST | {"sharpness": 0.25}

# What was tried on the set that is hardest to please, on more folds.
HARDEST = "musk1"
_FEW, _MANY = tuple(range(12)), (*range(12), *EARLIER_SEEDS)
HARDEST_SWEEP: list[tuple[Parameters, Sequence[int]]] = [
    ({}, _MANY),
    ({"n_bins": 32}, _MANY),
    *(
        (_FINE | changed, _MANY)
        for changed in (
            {},
            {"sharpness": 1.0},
            {"gamma": 3.0},
            {"gamma": 10.0},
            {"delta": 1e-5},
            {"grace_period": 800},
            {"grace_period": 1600},
            {"pooling": "max"},
            {"binning": "quantile"},
            {"binning": "quantile", "grace_period": 800},
        )
    ),
    *(
        (_SHORT | changed, _FEW)
        for changed in (
            {},
            *({"sharpness": value} for value in (0.5, 1.0, 5.0, 10.0)),
            *({"gamma": value} for value in (0.1, 0.3, 2.0, 3.0, 5.0)),
            *({"delta": value} for value in (1e-2, 1e-4, 1e-5, 1e-7)),
            *({"max_depth": value} for value in (2, 3, 4, 6)),
            *({"reg_lambda": value, "lambda_scaling": "sum"} for value in (0.1, 1.0, 10.0)),
            *({"reg_lambda": value} for value in (0.001, 0.03, 0.1)),
            *({"n_bins": value} for value in (8, 16, 32, 128)),
            *({"n_bins": value, "binning": "quantile"} for value in (8, 16, 64)),
            *({"epochs": value} for value in (20, 50, 200, 400)),
        )
    ),
]
