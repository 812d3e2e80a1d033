"""The result of an evaluation as plain values, for JSON."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from sgtrees.evaluation.measurements import Point
from sgtrees.evaluation.tasks import Task
from sgtrees.models.drift_event import DriftEvent
from sgtrees.models.range_updates import RangeUpdate

if TYPE_CHECKING:
    from sgtrees.evaluation.result import Evaluation

_FORMAT = 1


def values_of(result: "Evaluation") -> dict[str, Any]:
    """Return the values of a result; NaN becomes None."""
    values: dict[str, Any] = _plain(
        {
            "format": _FORMAT,
            "kind": result.kind,
            "task": result.task.value,
            "metrics": result.metrics,
            "shares": result.shares,
            "higher": result.higher,
            "rows": result.rows,
            "settings": result.settings,
            "labels": result.labels,
            "baselines": result.baselines,
            "judged_by": result.judged_by,
            "verdict": result.verdict() if result.points else "",
            "points": [asdict(point) for point in result.points],
            "drifts": {n: [asdict(e) for e in events] for n, events in result.drifts.items()},
            "range_updates": {
                name: [update._asdict() for update in updates]
                for name, updates in result.range_updates.items()
            },
        }
    )
    return values


def fields_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the result that has these values."""
    if values.get("format") != _FORMAT:
        raise ValueError(f"the result's format is {values.get('format')!r}, must be {_FORMAT}")
    return {
        "kind": values["kind"],
        "task": Task(values["task"]),
        "metrics": tuple(values["metrics"]),
        "shares": tuple(values["shares"]),
        "higher": tuple(values["higher"]),
        "points": tuple(Point.from_dict(point) for point in values["points"]),
        "settings": values["settings"],
        "labels": tuple(values["labels"]),
        "baselines": tuple(values["baselines"]),
        "judged_by": values["judged_by"],
        "drifts": {
            name: tuple(DriftEvent(**event) for event in events)
            for name, events in values["drifts"].items()
        },
        "range_updates": {
            name: tuple(RangeUpdate(**update) for update in updates)
            for name, updates in values["range_updates"].items()
        },
    }


def _plain(value: Any) -> Any:
    """Return a value for JSON: without NaN and tuples."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | bool | int | float) else str(value)
