"""The estimators' parameters, checked and turned into the core's options."""

import re
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_scalar

# The paper's values: of what the estimators share, and of what each has beside it.
_PAPER_SETTINGS: dict[str, Any] = {
    "n_bins": 64,
    "binning": "uniform",
    "warm_up": 1000,
    "grace_period": 200,
    "grace_growth": 0.0,
    "delta": 1e-7,
    "kept_rows": 0,
    "reg_lambda": 0.1,
    "gamma": 1.0,
    "start": "neutral",
}
PAPER_SETTINGS_OF_CLASSES: dict[str, Any] = {**_PAPER_SETTINGS, "thinning": False}
PAPER_SETTINGS_OF_NUMBERS: dict[str, Any] = {**_PAPER_SETTINGS, "penalty_units": "loss"}
# name: smallest value, and whether None means "no limit".
_INTEGERS: dict[str, tuple[int, bool]] = {
    "n_bins": (2, False),
    "warm_up": (1, False),
    "grace_period": (2, False),
    "kept_rows": (0, False),
    "max_depth": (0, True),
    "max_leaves": (1, True),
    "n_threads": (1, False),
    "verbose": (0, False),
}
# name: interval, and whether its ends belong to it.
_REALS: dict[str, tuple[float, float | None, str]] = {
    "grace_growth": (0.0, 1.0, "both"),
    "delta": (0.0, 1.0, "neither"),
    "reg_lambda": (0.0, None, "left"),
    "gamma": (0.0, None, "left"),
    "sharpness": (0.0, None, "neither"),
}
_CHOICES: dict[str, tuple[str, ...]] = {
    "binning": ("uniform", "quantile"),
    "lambda_scaling": ("row", "sum"),
    "penalty_units": ("leaf", "loss"),
    "start": ("data", "neutral"),
    "multiclass": ("committee", "vector"),
    "leaf_model": ("constant", "linear"),
    "pooling": ("max", "log_sum_exp"),
}
_UNITS = {
    "": 1,
    "B": 1,
    "KB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KIB": 2**10,
    "MIB": 2**20,
    "GIB": 2**30,
    "TIB": 2**40,
}


def check_parameters(parameters: Mapping[str, Any]) -> None:
    """Refuse parameters of a wrong type or out of range, naming the first.

    Parameters
    ----------
    parameters : mapping
        An estimator's parameters; those that it does not have may be absent.

    Examples
    --------
    >>> check_parameters({"n_bins": 1})
    Traceback (most recent call last):
    ValueError: n_bins == 1, must be >= 2.
    """
    for name, value in parameters.items():
        if name in _INTEGERS:
            _check_integer(name, value, *_INTEGERS[name])
        elif name in _REALS:
            _check_real(name, value, *_REALS[name])
        elif name in _CHOICES and value not in _CHOICES[name]:
            choices = " or ".join(map(repr, _CHOICES[name]))
            raise ValueError(f"{name} == {value!r}, must be {choices}.")
        elif name == "thinning" and not isinstance(value, bool | np.bool_):
            raise TypeError(f"thinning must be True or False, got {value!r}.")
    if parameters.get("feature_ranges") is not None and parameters.get("binning") == "quantile":
        raise ValueError("feature_ranges goes with binning='uniform' only, got 'quantile'.")
    _check_rounds(parameters.get("round_rows", 1))
    if parameters.get("leaf_model") == "linear":
        _check_linear(parameters)
    epochs = parameters.get("epochs", "auto")
    if isinstance(epochs, str):
        if epochs != "auto":
            raise ValueError(f"epochs == {epochs!r}, must be 'auto' or a number of passes.")
    else:
        _check_integer("epochs", epochs, 1, False)


def _check_linear(parameters: Mapping[str, Any]) -> None:
    """Refuse what does not go with linear leaves."""
    if parameters.get("multiclass") == "vector":
        raise ValueError(
            "leaf_model='linear' goes with multiclass='committee' only, in which each class has a "
            "tree of its own; got 'vector'."
        )
    if parameters.get("warm_up") == 1 and parameters.get("feature_ranges") is None:
        raise ValueError(
            "leaf_model='linear' needs the features' spread, which a warm_up of 1 row does not "
            "tell; use warm_up >= 2, better 100, or give feature_ranges."
        )
    if parameters.get("round_rows", 1) != 1:
        raise ValueError(
            "leaf_model='linear' learns row by row: round_rows must be 1, got "
            f"{parameters['round_rows']!r}."
        )


def core_options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``_core.Options`` for checked parameters.

    Plain numbers, so that a pickled model can hold them.
    """
    return {
        "n_bins": int(parameters["n_bins"]),
        "quantile_bins": parameters["binning"] == "quantile",
        "warm_up": int(parameters["warm_up"]),
        "grace_period": int(parameters["grace_period"]),
        "delta": float(parameters["delta"]),
        "reg_lambda": float(parameters["reg_lambda"]),
        "lambda_per_row": parameters["lambda_scaling"] == "row",
        "gamma": float(parameters["gamma"]),
        "max_depth": _optional_int(parameters["max_depth"]),
        "max_leaves": _optional_int(parameters["max_leaves"]),
        "max_memory": read_memory(parameters["max_memory"]),
        "start_from_data": parameters["start"] == "data",
        "n_threads": int(parameters["n_threads"]),
        # Not all estimators have these.
        "grace_growth": float(parameters.get("grace_growth", 0.0)),
        "kept_rows": int(parameters.get("kept_rows", 0)),
        "thinning": bool(parameters.get("thinning", False)),
        "units_of_leaf": parameters.get("penalty_units") == "leaf",
        "round_rows": _read_rounds(parameters.get("round_rows", 1)),
        "linear_leaves": parameters.get("leaf_model") == "linear",
    }


def read_memory(max_memory: Any) -> int | None:
    """Return a number of bytes, given as such or as a string with a unit.

    Examples
    --------
    >>> read_memory("64MB"), read_memory("1.5 GiB"), read_memory(4096), read_memory(None)
    (64000000, 1610612736, 4096, None)
    """
    if max_memory is None:
        return None
    if isinstance(max_memory, str):
        match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([A-Za-z]*)\s*", max_memory)
        if match is None or match[2].upper() not in _UNITS:
            raise ValueError(
                f"max_memory == {max_memory!r}, must be a number of bytes or a string like '64MB'."
            )
        max_memory = int(float(match[1]) * _UNITS[match[2].upper()])
    _check_integer("max_memory", max_memory, 1, False)
    return int(max_memory)


def _check_integer(name: str, value: Any, smallest: int, optional: bool) -> None:
    if value is None and optional:
        return
    if isinstance(value, bool | np.bool_) and name != "verbose":
        raise TypeError(f"{name} must be an integer, not a boolean.")
    if name == "grace_period" and isinstance(value, Integral) and value < smallest:
        raise ValueError(
            f"grace_period == {value}, must be >= 2: a leaf is tested on the rows that it has "
            "gathered, and the spread of a single row is unknown."
        )
    check_scalar(value, name, Integral, min_val=smallest)


def _check_real(name: str, value: Any, low: float, high: float | None, ends: str) -> None:
    if isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be a number, not a boolean.")
    check_scalar(value, name, Real, min_val=low, max_val=high, include_boundaries=ends)
    if not np.isfinite(value):
        raise ValueError(f"{name} == {value}, must be finite.")


def _check_rounds(round_rows: Any) -> None:
    if isinstance(round_rows, str):
        if round_rows != "auto":
            raise ValueError(f"round_rows == {round_rows!r}, must be 'auto' or a number of rows.")
    else:
        _check_integer("round_rows", round_rows, 1, False)


def _read_rounds(round_rows: Any) -> int:
    # The core's 0 is "auto".
    return 0 if round_rows == "auto" else int(round_rows)


def _optional_int(value: Any) -> int | None:
    return None if value is None else int(value)
