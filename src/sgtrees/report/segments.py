"""The segments of a stream, with the first metric of each."""

import math
from typing import Any

from sgtrees.evaluation import Evaluation

_N_SEGMENTS = 10


def segments_of(found: Evaluation) -> list[dict[str, Any]]:
    """Split a stream into about ten segments, and average the first metric in each.

    Parameters
    ----------
    found : Evaluation
        The evaluation.

    Returns
    -------
    list of dict
        ``first`` and ``last`` row, and ``values``, one for each model.
    """
    metric = found.metrics[0]
    segments: list[dict[str, Any]] = []
    start, first_point = 0, 0
    for place, point in enumerate(found.points):
        is_last = place == len(found.points) - 1
        if point.rows < found.rows * (len(segments) + 1) / _N_SEGMENTS and not is_last:
            continue
        points = found.points[first_point : place + 1]
        values = [
            _mean([(p.window, p.models[name].window[metric]) for p in points])
            for name in found.names
        ]
        segments.append({"first": start + 1, "last": point.rows, "values": values})
        start, first_point = point.rows, place + 1
    return segments


def _mean(weighted: list[tuple[int, float]]) -> float:
    known = [(rows, value) for rows, value in weighted if not math.isnan(value)]
    total = sum(rows for rows, _ in known)
    return sum(rows * value for rows, value in known) / total if total else math.nan
