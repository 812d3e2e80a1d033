"""The settings that a model started with, as a document."""

from collections.abc import Callable, Mapping
from typing import Any

from sgtrees.persistence.document import Document, Fields

_COUNTS = ("n_bins", "warm_up", "grace_period", "n_threads")
_LIMITS = ("max_depth", "max_leaves", "max_memory")
_NUMBERS = ("delta", "reg_lambda", "gamma")
_SWITCHES = ("quantile_bins", "lambda_per_row", "start_from_data")
# Files that were written before there were these do without them.
_LATER = {
    "grace_growth": 0.0,
    "kept_rows": 0,
    "thinning": False,
    "units_of_leaf": False,
    "linear_leaves": False,
    "round_rows": 1,
}


def options_to_document(options: Mapping[str, Any]) -> Document:
    """Return the arguments of ``_core.Options`` as a document."""
    # Left out where it is 1, as in files that are older than it.
    left_out = {"round_rows"} if options["round_rows"] == 1 else set()
    return {name: options[name] for name in sorted(options) if name not in left_out}


def options_from_document(fields: Fields) -> dict[str, Any]:
    """Return the arguments of ``_core.Options``, which checks their ranges."""
    options: dict[str, Any] = {name: fields.integer(name) for name in _COUNTS}
    options |= {name: fields.maybe(name, fields.integer) for name in _LIMITS}
    options |= {name: fields.number(name) for name in _NUMBERS}
    options |= {name: fields.boolean(name) for name in _SWITCHES}
    for name, absent in _LATER.items():
        read = _reader(fields, absent)
        options[name] = read(name) if name in fields else absent
    fields.finish()
    return options


def _reader(fields: Fields, absent: Any) -> Callable[[str], Any]:
    """Return what reads a field of the kind of this value."""
    if isinstance(absent, bool):
        return fields.boolean
    return fields.number if isinstance(absent, float) else fields.integer
