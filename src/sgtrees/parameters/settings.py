"""An estimator's parameters: checked, and turned into the core's options."""

import re
from collections.abc import Iterable, Mapping
from math import isfinite
from numbers import Integral, Real
from types import NoneType
from typing import Any, Literal, get_origin

import numpy as np

from sgtrees.parameters.parameter import NOTHING, CoreOption, Interval, Parameter
from sgtrees.parameters.table.rows import PARAMETERS

CORE_OPTIONS: tuple[CoreOption, ...] = (
    *(row.option for row in PARAMETERS.values() if row.option is not None),
    # How the scores of an ensemble's members become one, which the estimator's class says, and the
    # number that `random_state` stands for.
    CoreOption("combination", str, absent="one"),
    CoreOption("seed", int, absent=0),
)

_CHECKED = (int, float, bool, str, NoneType)
_BYTES = {
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


def checked_options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Check the parameters of an estimator, and return the arguments of ``_core.Options``."""
    check_parameters(parameters)
    return core_options(parameters)


# --------------------------------------------------------------------------------------------------
# Checks
# --------------------------------------------------------------------------------------------------


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
    ValueError: n_bins == 1, must be >= 2 and <= 65000.
    """
    for name, value in parameters.items():
        row = PARAMETERS.get(name)
        if row is not None:
            _check(row, value)
    if parameters.get("feature_ranges") is not None and parameters.get("binning") == "quantile":
        raise ValueError("feature_ranges goes with binning='uniform' only, got 'quantile'.")
    if parameters.get("leaf_model") in ("linear", "auto"):
        _check_linear(parameters)
    if "n_estimators" in parameters:
        _check_ensemble(parameters)


def _check(row: Parameter, value: Any) -> None:
    """Refuse a value that is not of the parameter's type or out of its range."""
    if row.is_sequence:
        _check_numbers(row, value)
        return
    # Other types are checked where they are read.
    members = row.members
    if any(member not in _CHECKED and get_origin(member) is not Literal for member in members):
        return
    if value is None and NoneType in members:
        return
    if row.option is not None and row.option.is_memory:
        read_memory(value)
    elif row.words and (isinstance(value, str) or row.number is None):
        _check_word(row, value)
    elif bool in members and isinstance(value, bool | np.bool_):
        return
    elif row.number is not None:
        _check_number(row, value)
    else:
        raise TypeError(f"{row.name} must be True or False, got {value!r}.")


def _check_word(row: Parameter, value: Any) -> None:
    if value not in row.words:
        choices = [*map(repr, row.words), *(["a number"] if row.number else [])]
        raise ValueError(f"{row.name} == {value!r}, must be {' or '.join(choices)}.")


def _check_numbers(row: Parameter, values: Any) -> None:
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise TypeError(f"{row.name} must be a sequence of numbers, got {values!r}.")
    for value in values:
        _check_number(row, value)


def _check_number(row: Parameter, value: Any) -> None:
    noun, abstract = ("an integer", Integral) if row.number is int else ("a number", Real)
    if isinstance(value, bool | np.bool_) or not isinstance(value, abstract):
        raise TypeError(f"{row.name} must be {noun}, got {value!r}.")
    if not isfinite(value):
        raise ValueError(f"{row.name} == {value}, must be finite.")
    interval = row.interval
    if interval is not None and not _is_in(value, interval):
        reason = f": {interval.reason}" if interval.reason else ""
        raise ValueError(f"{row.name} == {value}, must be {interval}{reason}.")


def _is_in(value: Any, interval: Interval) -> bool:
    if value < interval.low or (value == interval.low and not interval.has_low):
        return False
    if interval.high is None:
        return True
    return bool(value < interval.high or (value == interval.high and interval.has_high))


def _check_linear(parameters: Mapping[str, Any]) -> None:
    """Refuse what cannot be combined with linear leaves."""
    given = f"leaf_model={parameters['leaf_model']!r}"
    if parameters.get("multiclass") == "vector":
        raise ValueError(
            f"{given} goes with multiclass='committee' only, in which each class has "
            "its own tree; got 'vector'."
        )
    if parameters.get("warm_up") == 1 and parameters.get("feature_ranges") is None:
        raise ValueError(
            f"{given} needs the features' spread, which a warm_up of 1 row does not "
            "have; use warm_up >= 2, better 100, or give feature_ranges."
        )
    if parameters.get("round_rows", 1) != 1:
        raise ValueError(
            f"{given} learns row by row: round_rows must be 1, got {parameters['round_rows']!r}."
        )


def _check_ensemble(parameters: Mapping[str, Any]) -> None:
    """Refuse what the members of an ensemble cannot be."""
    if parameters.get("leaf_model") == "auto":
        raise ValueError(
            "leaf_model='auto' chooses between two models, each of a single member; the members "
            "of an ensemble are all of one kind: leaf_model must be 'constant' or 'linear'."
        )


# --------------------------------------------------------------------------------------------------
# Options
# --------------------------------------------------------------------------------------------------


def core_options(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of ``_core.Options`` for the checked parameters of an estimator.

    Plain numbers, so that a pickled model can hold them.

    Examples
    --------
    >>> from sgtrees import SGTRegressor
    >>> options = core_options(SGTRegressor(binning="quantile").get_params())
    >>> options["n_bins"], options["quantile_bins"], options["thinning"]
    (32, True, False)
    """
    options = {option.name: option.absent for option in CORE_OPTIONS}
    for name, value in parameters.items():
        row = PARAMETERS.get(name)
        if row is not None and row.option is not None:
            options[row.option.name] = _option_of(row.option, value)
    if parameters.get("leaf_model") == "auto":
        options["combination"] = "choosing"
    return options


def _option_of(option: CoreOption, value: Any) -> Any:
    if option.on is not NOTHING:
        return bool(value == option.on)
    if option.is_list:
        return [option.type(number) for number in value]
    if value is None:
        return None
    if option.is_memory:
        return read_memory(value)
    return option.auto if value == "auto" else option.type(value)


def read_memory(max_memory: Any) -> int | None:
    """Return a number of bytes, given as such or as a string with a unit.

    Examples
    --------
    >>> read_memory("64MB"), read_memory("1.5 GiB"), read_memory(4096), read_memory(None)
    (64000000, 1610612736, 4096, None)
    """
    if max_memory is None:
        return None
    wrong = f"max_memory == {max_memory!r}, must be a number of bytes or a string like '64MB'."
    if isinstance(max_memory, str):
        match = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]*)?)\s*([A-Za-z]*)\s*", max_memory)
        if match is None or match[2].upper() not in _BYTES:
            raise ValueError(wrong)
        max_memory = int(float(match[1]) * _BYTES[match[2].upper()])
    if isinstance(max_memory, bool | np.bool_) or not isinstance(max_memory, Integral):
        raise TypeError(wrong)
    if max_memory < 1:
        raise ValueError(f"max_memory == {max_memory}, must be >= 1.")
    return int(max_memory)
