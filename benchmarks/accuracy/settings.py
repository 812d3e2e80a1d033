"""The settings that are compared: the defaults, one change at a time, and the peers.

A change is a dictionary of parameters. One that names a parameter which the estimators do not have
is left out, so that changes may be listed here before their parameters exist.
"""

from __future__ import annotations

import ast
from typing import Any

from sgtrees.parameters.constructors import paper_settings, parameters_of
from sgtrees.parameters.table.targets import ClassifierParameters, RegressorParameters

Settings = dict[str, Any]

_PAPER_OF_CLASSES = paper_settings(ClassifierParameters)
_PAPER_OF_NUMBERS = paper_settings(RegressorParameters)

_CHANGES: list[Settings] = [
    *({"kept_rows": n} for n in (0, 100, 250, 1000)),
    *({"grace_period": n} for n in (15, 50, 100)),
    *({"grace_growth": share} for share in (0.0, 0.2, 1.0)),
    {"grace_period": 50, "grace_growth": 0.0},
    *({"delta": p} for p in (0.2, 0.02, 0.001, 1e-7)),
    *({"gamma": g} for g in (0.0, 0.5, 2.0)),
    *({"reg_lambda": value} for value in (0.01, 0.03, 0.3)),
    *({"n_bins": n} for n in (16, 64, 128)),
    {"binning": "quantile"},
    *({"warm_up": n} for n in (50, 200, 500)),
    {"start": "neutral"},
    {"following_rates": ()},
    *(
        {"following_rates": rates}
        for rates in ((0.1,), (0.02, 0.1), (0.02, 0.1, 0.5), (0.02, 0.1, 0.3, 1.0))
    ),
    {"on_drift": "ignore"},
    {"following_rates": (), "on_drift": "ignore"},
    *({"drift_detector": name} for name in ("adwin", "page_hinkley")),
    {"adaptive_ranges": False},
    {"warm_up": 50, "grace_growth": 0.2},
]
# The changes that a quick look has.
_QUICK: list[Settings] = [
    {"warm_up": 200},
    {"grace_growth": 0.2},
    {"thinning": False},
    {"binning": "quantile"},
    {"following_rates": ()},
    {"on_drift": "ignore"},
    {"following_rates": (), "on_drift": "ignore"},
]
OF_CLASSES: list[Settings] = [
    {},
    *_CHANGES,
    {"multiclass": "vector"},
    {"multiclass": "vector", "gamma": 3.0},
    {"thinning": False},
    _PAPER_OF_CLASSES,
]
OF_NUMBERS: list[Settings] = [
    {},
    *_CHANGES,
    {"penalty_units": "loss"},
    {"loss": "absolute_error"},
    {"loss": "huber"},
    _PAPER_OF_NUMBERS,
]
# For the comparison with the peers, over all rows.
COMPARED_OF_CLASSES: list[Settings] = [{}]
COMPARED_OF_NUMBERS: list[Settings] = [{}, {"loss": "absolute_error"}]
# In the order of the file, beside the defaults, where there are numeric features.
LINEAR_LEAVES: Settings = {"leaf_model": "linear"}
PEERS_OF_CLASSES = {
    "trees.HoeffdingTree": "VFDT",
    "trees.EFDT": "EFDT",
    "trees.HoeffdingAdaptiveTree": "HAT",
}
# With -e the leaves are means, not linear models.
PEERS_OF_NUMBERS = {"trees.FIMTDD": "FIMT-DD", "trees.FIMTDD -e": "FIMT-DD -e"}


def compared(
    *, classification: bool, quick: bool = False, added: list[Settings] | None = None
) -> list[Settings]:
    """Return the settings to compare, the defaults first."""
    every = OF_CLASSES if classification else OF_NUMBERS
    chosen = [{}, *_QUICK, every[-1]] if quick else every
    found: list[Settings] = []
    for settings in [*chosen, *(added or [])]:
        known = parameters_of(ClassifierParameters if classification else RegressorParameters)
        if set(settings) <= set(known) and settings not in found:
            found.append(settings)
    return found


def read_settings(text: str) -> Settings:
    """Read settings from text like "warm_up=100 on_drift=ignore"."""
    settings = {}
    for part in text.split():
        name, equals, value = part.partition("=")
        if not equals:
            raise ValueError(f"{part!r} must be NAME=VALUE")
        try:
            settings[name] = ast.literal_eval(value)
        except (SyntaxError, ValueError):
            settings[name] = value  # a word
    return settings


def titled(settings: Settings) -> str:
    """Say in a few words what a setting changes."""
    if not settings:
        return "default"
    if settings in (_PAPER_OF_CLASSES, _PAPER_OF_NUMBERS):
        return "`paper()`"
    return "`" + ", ".join(f"{name}={value!r}" for name, value in settings.items()) + "`"
