"""Rows with values at which a wrong export would send them elsewhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from sgtrees.data.columns import Kind, is_missing
from sgtrees.inspection import ModelView, view_model

EDGES = [0.0, -0.0, 5e-324, -5e-324, 1e-45, 1.7976931348623157e308, -1.7976931348623157e308, np.nan]


def edge_rows(model: Any, frame: pd.DataFrame, n_rows: int = 1500, seed: int = 0) -> pd.DataFrame:
    """Mix values of the frame with thresholds, their neighbours, edges and unknown categories."""
    view = view_model(model)
    rng = np.random.default_rng(seed)
    columns: dict[str, Any] = {}
    for feature, name in zip(view.features, frame.columns, strict=True):
        values = edge_values(view, feature.number)
        usual = frame[name].sample(n_rows, replace=True, random_state=seed).tolist()
        edges = [values[place] for place in rng.integers(0, len(values), n_rows)]
        column = [
            a if u < 0.5 else b for a, b, u in zip(edges, usual, rng.random(n_rows), strict=True)
        ]
        if frame[name].dtype == object:
            column = [None if is_missing(value) else value for value in column]
            columns[name] = pd.Series(column, dtype=object)
        else:
            most = np.finfo(frame[name].dtype).max
            numbers = np.clip(np.array(column, dtype=np.float64), -most, most)
            columns[name] = pd.Series(numbers.astype(frame[name].dtype))
    return pd.DataFrame(columns)


def edge_values(view: ModelView, number: int) -> list[Any]:
    feature = view.features[number]
    if feature.kind is Kind.STRING:
        return [*(feature.categories or ()), "a stranger", "0", "NAME_x", None]
    if feature.kind is Kind.BOOLEAN:
        return [True, False, None]
    if feature.categories == ():
        return [None]
    numbers = {
        node.split.threshold
        for tree in view.trees
        for node in tree.nodes
        if node.split is not None
        and node.split.feature.number == number
        and node.split.threshold is not None
    } | {float(category) for category in feature.categories or ()}
    around = [
        float(near)
        for x in sorted(numbers)
        for near in (x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf), np.float32(x), x + 0.5)
    ]
    return [*around, *EDGES]
