"""Figures of the table: those whose data is absent say so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.figures import Bar, Figure
from sgtrees_experiments.absent import AbsentError


def figure(name: str, value: float, unit: str, bar: Bar | None = None, note: str = "") -> Figure:
    """Return a figure; the table names its section."""
    return Figure("", name, value, unit, bar, note)


def skipped(name: str, unit: str, reason: str) -> Figure:
    """Return a figure without a value."""
    return Figure("", name, None, unit, note=reason)


def tried(name: str, unit: str, measure: Callable[..., Figure], *arguments: Any) -> Figure:
    """Return a figure, or why it cannot be measured here."""
    try:
        return measure(*arguments)
    except AbsentError as absent:
        return skipped(name, unit, str(absent))
