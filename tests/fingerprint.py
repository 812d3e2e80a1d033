"""Everything that a refused call must leave as it was."""

from typing import Any


def fingerprint(estimator: Any) -> dict[str, Any] | None:
    """Return all that an estimator has learned as values that can be compared."""
    model = estimator._model
    if model is None:
        return None
    labels = getattr(model, "labels", None)
    return {
        "core": {name: array.tobytes() for name, array in model.core.state().items()},
        "index": dict(model.schema.index),
        "kinds": [getattr(f.categories, "kind", None) for f in model.schema.features],
        "categories": [numbers and dict(numbers) for numbers in model.schema.category_numbers],
        "labels": None
        if labels is None
        else (dict(labels.numbers), set(labels.declared), labels.kind),
        "outputs": getattr(model, "outputs", None),
        "classes": None if labels is None else labels.ordering.classes.tolist(),
    }
