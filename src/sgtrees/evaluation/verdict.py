"""Whether a model beats the baselines, in words."""

import math
from typing import TYPE_CHECKING

from sgtrees.evaluation.metrics.registry import metric_title

if TYPE_CHECKING:
    from sgtrees.evaluation.result import Evaluation


def verdict(result: "Evaluation", model: str | None = None, metric: str | None = None) -> str:
    """Compare a model with the baselines of an evaluation; see `Evaluation.verdict`."""
    if not result.points:
        return ""
    measure = metric or result.judged_by or result.metrics[0]
    name = model or result.names[0]
    value = result.total(measure, name)
    known = [
        (other, result.total(measure, other))
        for other in result.baselines
        if other in result.names and other != name
    ]
    known = [(other, total) for other, total in known if not math.isnan(total)]
    if not known or math.isnan(value):
        return ""
    title = metric_title(measure)
    said = f"{title[0].upper()}{title[1:]} {result.formatted(measure, value)}"
    said += f" over {_counted_rows(result):,} rows"
    return f"{said}: {_comparisons(result, measure, value, known)}."


def _counted_rows(result: "Evaluation") -> int:
    """Return how many rows a total is over: of a holdout, the test rows of the last point."""
    return result.points[-1].window if result.kind == "holdout" else result.rows


def _comparisons(
    result: "Evaluation", metric: str, value: float, others: list[tuple[str, float]]
) -> str:
    """Return the comparisons, the baselines that are beaten first."""
    sign = 1.0 if metric in result.higher else -1.0
    groups: dict[str, list[str]] = {"better than": [], "worse than": [], "equal to": []}
    for name, other in others:
        is_better = sign * (value - other) > 0.0
        group = "equal to" if value == other else "better than" if is_better else "worse than"
        by = _difference(result, metric, value, other)
        compared = f"the {name} ({result.formatted(metric, other)})"
        groups[group].append(compared if group == "equal to" else f"{compared} by {by}")
    return ", ".join(
        f"{relation} {' and '.join(names)}" for relation, names in groups.items() if names
    )


def _difference(result: "Evaluation", metric: str, value: float, other: float) -> str:
    """Return by how much two values differ: shares in points, others in percent of the second."""
    gap = abs(value - other)
    if metric in result.shares:
        return f"{100.0 * gap:.2f} points"
    if metric in result.higher or other == 0.0:
        return f"{gap:.3g}"
    return f"{100.0 * gap / abs(other):.3g} %"
