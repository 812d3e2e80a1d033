"""Figures that two runs have in common: all but what depends on time and place."""

from __future__ import annotations

from typing import Any

_VARYING = ("second", "report", "per_")


def lasting(values: Any) -> Any:
    """Return the same values without those whose names say that they are times or paths.

    Examples
    --------
    >>> lasting({"error": 0.5, "models": [{"seconds": 1.5, "n_nodes": 3}]})
    {'error': 0.5, 'models': [{'n_nodes': 3}]}
    """
    if isinstance(values, list):
        return [lasting(value) for value in values]
    if isinstance(values, dict):
        return {
            name: lasting(value)
            for name, value in values.items()
            if not any(word in name for word in _VARYING)
        }
    return values
