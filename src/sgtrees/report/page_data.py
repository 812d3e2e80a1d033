"""The data that the page's script draws."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sgtrees.estimators.classifier import SGTClassifier
from sgtrees.estimators.regressor import SGTRegressor
from sgtrees.evaluation import Evaluation
from sgtrees.evaluation.metrics import metric_title
from sgtrees.inspection import ModelView, gain_importances, view_model
from sgtrees.inspection.predictions import mean_predictions_of_rows
from sgtrees.inspection.rows import encoded_rows, explainer_of
from sgtrees.report.members import is_boosted, member_names
from sgtrees.report.observations import Observations
from sgtrees.report.segments import segments_of
from sgtrees.report.tree_document import MOST_NODES, tree_document

# A classifier of very many classes has very many trees; the page has the first ones.
_MOST_TREES = 12
_MOST_FEATURES = 25
_MOST_LABELS = 20
_MOST_EVENTS = 1000
_REASONS = {
    "crowded": "most of its values were in few bins",
    "outside": "many of its values were outside of its range",
}


def page_data(
    found: Evaluation,
    estimator: SGTClassifier | SGTRegressor,
    target: str,
    observations: Observations | None,
) -> dict[str, Any]:
    """Return everything that the script draws, as values for JSON.

    Parameters
    ----------
    found : Evaluation
        The evaluation; its first model is the one of the report.
    estimator : SGTClassifier or SGTRegressor
        The model.
    target : str
        The name of the target.
    observations : Observations or None
        Statistics of single predictions.
    """
    view = view_model(estimator)
    importances = [item for item in gain_importances(view).ranked() if item[1] > 0.0]
    labels = [str(label) for label in found.labels]
    seen = {} if observations is None else observations.as_dict()
    if len(labels) > _MOST_LABELS:
        seen |= {"confusion": [], "classes": {}}
    metric = found.metrics[0]
    values: dict[str, Any] = {
        "target": target,
        "task": found.task.value,
        "kind": found.kind,
        "metric": metric,
        "metric_title": metric_title(metric),
        "is_share": metric in found.shares,
        "names": found.names,
        "points": [
            {
                "rows": point.rows,
                "window": point.window,
                "values": [point.models[n].window[metric] for n in found.names],
                "totals": [point.models[n].total.get(metric) for n in found.names],
                "leaves": point.models[found.names[0]].n_leaves,
            }
            for point in found.points
        ],
        "members": member_names(estimator),
        "replaced": "begun anew" if is_boosted(estimator) else "replaced",
        "events": _events(found),
        "best": [point.best_error for point in found.points],
        "segments": segments_of(found),
        "importances": importances[:_MOST_FEATURES],
        "n_features_left_out": max(len(importances) - _MOST_FEATURES, 0),
        "trees": _trees(view, estimator, target, observations),
        "n_trees": len(view.trees),
        "labels": labels,
        **seen,
    }
    cleaned: dict[str, Any] = _without_nan(values)
    return cleaned


def _events(found: Evaluation) -> list[dict[str, Any]]:
    """Return the latest changes of the model itself: of its trees, and of its features' bins."""
    model = found.names[0]
    events: list[dict[str, Any]] = [
        {"row": event.row, "kind": event.kind, "why": event.why, "member": event.member}
        for event in found.drifts.get(model, ())
    ]
    events += [
        {
            "row": update.row,
            "kind": "new bins",
            "why": f"{update.feature} got new bins: {_REASONS[update.reason]}",
        }
        for update in found.range_updates.get(model, ())
    ]
    return sorted(events, key=lambda event: int(event["row"]))[-_MOST_EVENTS:]


def _trees(
    view: ModelView,
    estimator: SGTClassifier | SGTRegressor,
    target: str,
    observations: Observations | None,
) -> list[dict[str, Any]]:
    trees = view.trees[:_MOST_TREES]
    most = max(MOST_NODES // max(len(trees), 1), 50)
    block = ends = None
    sample = None if observations is None else observations.rows.rows()
    if view.is_linear and sample is not None and trees:
        block = np.asarray(encoded_rows(estimator, sample.X), dtype=np.float64)
        ends = explainer_of(estimator).route(block)

    def means(number: int) -> NDArray[np.float64] | None:
        if block is None or ends is None:
            return None
        tree = trees[number]
        return mean_predictions_of_rows(tree, block, ends[:, tree.number])

    return [
        tree_document(tree, target, most=most, means=means(number))
        for number, tree in enumerate(trees)
    ]


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
