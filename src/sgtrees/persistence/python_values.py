"""Python values as JSON and back. A value that JSON lacks becomes an object with its own tag.

===============  ==========================================
None, str, ...   unchanged (NumPy scalars as Python values)
nan, inf         ``{"float": "nan"}``
tuple            ``{"tuple": [...]}``
range            ``{"range": [start, stop, step]}``
dict             ``{"dict": [[key, value], ...]}``
array            ``{"array": [...], "dtype": "<f8", "shape": [...]}``
RandomState      ``{"mt19937": [key, ...], "at": [place, has_gauss, gauss]}``
===============  ==========================================
"""

import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from sgtrees.data.columns import kind_of_type, plain
from sgtrees.persistence import ModelFileError
from sgtrees.persistence.document import Fields, read_number, refuse

_NOT_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}
_KEYS_OF_MT19937 = 624


def to_json(value: Any, where: str) -> Any:
    """Return a Python value as JSON.

    Parameters
    ----------
    value : object
        A value of the table above, of any depth.
    where : str
        What the value is, for the message of the TypeError if it cannot be saved.

    Examples
    --------
    >>> to_json({"age": (0, np.float64(120.5))}, "feature_ranges")
    {'dict': [['age', {'tuple': [0, 120.5]}]]}
    >>> to_json(object(), "verbose")
    Traceback (most recent call last):
    TypeError: verbose holds a value of the type object, which cannot be saved; \
strings, numbers, lists, tuples, dictionaries and arrays of them can
    """
    if value is None or kind_of_type(type(value)) is not None:
        return _scalar_to_json(value)
    if isinstance(value, list):
        return [to_json(item, where) for item in value]
    if isinstance(value, tuple):
        return {"tuple": [to_json(item, where) for item in value]}
    if isinstance(value, Mapping):
        return {"dict": [[to_json(k, where), to_json(v, where)] for k, v in value.items()]}
    if isinstance(value, range):
        return {"range": [value.start, value.stop, value.step]}
    return _large_to_json(value, where)


def _scalar_to_json(value: Any) -> Any:
    value = None if value is None else plain(value)
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": str(value)}
    return value


def _large_to_json(value: Any, where: str) -> Any:
    if isinstance(value, np.random.RandomState):
        _, keys, *at = value.get_state(legacy=True)
        return {"mt19937": np.asarray(keys).tolist(), "at": [_scalar_to_json(v) for v in at]}
    # This includes columns of data frames.
    array = np.asarray(value) if hasattr(value, "__array__") else None
    if array is None or array.ndim == 0 or array.dtype.kind not in "biufUO":
        raise TypeError(
            f"{where} holds a value of the type {type(value).__name__}, which cannot be saved; "
            "strings, numbers, lists, tuples, dictionaries and arrays of them can"
        )
    dtype = array.dtype.str if array.dtype.kind in "biuf" else array.dtype.kind
    values = [to_json(item, where) for item in array.ravel().tolist()]
    return {"array": values, "dtype": dtype, "shape": list(array.shape)}


def from_json(value: Any, where: str) -> Any:
    """Return the value that `to_json` was given; ModelFileError for what it never returns.

    Examples
    --------
    >>> from_json({"dict": [["age", {"tuple": [0, 120.5]}]]}, "feature_ranges")
    {'age': (0, 120.5)}
    """
    if isinstance(value, list):
        return [from_json(item, where) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        refuse(where, value, "a finite number")
    if not isinstance(value, dict):
        return value
    fields = Fields(value, where)
    read = next((_OBJECTS[tag] for tag in _OBJECTS if tag in fields), None)
    if read is None:
        refuse(where, value, f"an object with one of {', '.join(map(repr, _OBJECTS))}")
    result = read(fields)
    fields.finish()
    return result


def _read_float(fields: Fields) -> float:
    return _NOT_FINITE[fields.text("float", _NOT_FINITE)]


def _read_tuple(fields: Fields) -> tuple[Any, ...]:
    return tuple(from_json(item, place) for item, place in fields.items("tuple"))


def _read_range(fields: Fields) -> range:
    ends = fields.take("range")
    try:
        return range(*ends)
    except (TypeError, ValueError):
        refuse(fields.place("range"), ends, "start, stop and step of a range")


def _read_dict(fields: Fields) -> dict[Any, Any]:
    result = {}
    for item, place in fields.items("dict"):
        if not isinstance(item, list) or len(item) != 2:
            refuse(place, item, "a pair of key and value")
        key, value = (from_json(part, place) for part in item)
        try:
            result[key] = value
        except TypeError:
            refuse(place, key, "a hashable key")
    return result


def _read_array(fields: Fields) -> Any:
    dtype = fields.text("dtype")
    shape = [value for value, _ in fields.items("shape")]
    values = [from_json(value, place) for value, place in fields.items("array")]
    if not re.fullmatch(r"[<|][biuf][1248]|U|O", dtype):
        refuse(fields.place("dtype"), dtype, "the type of an array of numbers, strings or objects")
    try:
        array = np.empty(len(values), dtype) if dtype == "O" else np.array(values, dtype)
        if dtype == "O":
            array[:] = values
        if array.ndim != 1:
            raise ValueError("it holds lists")
        # Not every NumPy refuses what an integer type cannot hold.
        if array.dtype.kind in "iu" and array.tolist() != values:
            raise ValueError("it holds numbers that are not of its type")
        return array.reshape([int(n) for n in shape])
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"{fields.where} is not an array: {error}") from None


def _read_random_state(fields: Fields) -> np.random.RandomState:
    keys = [value for value, _ in fields.items("mt19937")]
    at = [from_json(value, place) for value, place in fields.items("at")]
    right = len(keys) == _KEYS_OF_MT19937 and all(type(k) is int and 0 <= k < 2**32 for k in keys)
    if not right or len(at) != 3 or type(at[0]) is not int or at[1] not in (0, 1):
        raise ModelFileError(f"{fields.where} is not the state of a random number generator")
    place, has_gauss, gauss = at
    # NumPy does not check this.
    if not 0 <= place <= _KEYS_OF_MT19937:
        refuse(
            fields.place("at"), at, f"a position between 0 and {_KEYS_OF_MT19937}, and two numbers"
        )
    random = np.random.RandomState()
    state = ("MT19937", np.array(keys, np.uint32), place, int(has_gauss))
    random.set_state((*state, read_number(gauss, fields.where)))
    return random


_OBJECTS: dict[str, Callable[[Fields], Any]] = {
    "float": _read_float,
    "tuple": _read_tuple,
    "range": _read_range,
    "dict": _read_dict,
    "array": _read_array,
    "mt19937": _read_random_state,
}
