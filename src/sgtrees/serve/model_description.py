"""What ``GET /model`` tells: columns, size, importances, drifts and errors."""

from typing import Any

import numpy as np

from sgtrees.serve.live_errors import LiveErrors
from sgtrees.serve.source import Source
from sgtrees.version import VERSION

_SHOWN_FEATURES = 50
_SHOWN_DRIFTS = 50


def describe(source: Source) -> dict[str, Any]:
    """Return the model in words and numbers."""
    model = source.model
    document: dict[str, Any] = {
        "version": VERSION,
        "estimator": type(model.estimator).__name__,
        "task": model.task.value,
        "target": model.target,
        "weight": model.weight,
        "rows": model.rows,
        "error": _errors(source.errors),
    } | source.notes()
    return document if model.is_new else document | _trees(model.estimator)


def _errors(errors: LiveErrors) -> dict[str, Any]:
    now = errors.now()
    return {
        "metric": errors.metric.name,
        "rows": errors.rows,
        "all": {who: _number(error.total) for who, error in now.items()},
        "latest": {who: _number(error.window) for who, error in now.items()},
    }


def _trees(estimator: Any) -> dict[str, Any]:
    importances = estimator.feature_importances_
    names = [str(name) for name in estimator.feature_names_in_[: len(importances)]]
    best = np.argsort(-importances, kind="stable")[:_SHOWN_FEATURES]
    document: dict[str, Any] = {
        "features": len(names),
        "trees": estimator.n_trees_,
        "leaves": estimator.n_leaves_,
        "nodes": estimator.n_nodes_,
        "depth": estimator.depth_,
        "splits": estimator.n_splits_,
        "memory_bytes": estimator.memory_bytes_,
        "importances": {names[place]: _number(importances[place]) for place in best},
        "drifts": [
            {"row": event.row, "kind": str(event.kind)}
            for event in estimator.drifts_[-_SHOWN_DRIFTS:]
        ],
    }
    if hasattr(estimator, "classes_"):
        document["classes"] = estimator.classes_.tolist()[:1000]
    return document


def _number(value: float) -> float | None:
    """Return a number for JSON, which has no NaN."""
    return float(value) if np.isfinite(value) else None
