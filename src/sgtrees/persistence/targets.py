"""Labels, class weights and outputs as documents."""

from collections.abc import Mapping
from typing import Any, cast

from sgtrees.data.class_balance import ClassTotals
from sgtrees.data.columns import Kind
from sgtrees.data.weights import ClassWeight
from sgtrees.persistence.document import Document, Fields, read_number, refuse
from sgtrees.persistence.features import (
    hashable_from_json,
    kind_from_json,
    kind_to_json,
    values_from_json,
    values_to_json,
)
from sgtrees.persistence.python_values import from_json, to_json
from sgtrees.targets.labels import Label, Labels
from sgtrees.targets.outputs import Outputs


def labels_to_document(labels: Labels) -> Document:
    """Return labels as a document."""
    return {
        "kind": kind_to_json(labels.kind),
        "seen": values_to_json(list(labels.seen)),
        "declared": values_to_json(sorted(labels.declared)),
    }


def labels_from_document(fields: Fields) -> Labels:
    """Return the labels of a document."""
    kind = kind_from_json(fields)
    labels = Labels()
    labels.extend(_labels(fields, "seen", kind), kind)
    labels.declare(_labels(fields, "declared", kind), kind)
    fields.finish()
    return labels


def _labels(fields: Fields, name: str, kind: Kind | None) -> list[Label]:
    labels = values_from_json(fields, name, kind)
    if any(isinstance(label, float) for label in labels):
        refuse(fields.place(name), labels, "a list of integers")
    return cast("list[Label]", labels)


def class_weight_to_document(class_weight: ClassWeight, totals: ClassTotals) -> Document:
    """Return class weights as a document; with the totals of the classes if they are balanced."""
    document = {
        "balanced": class_weight.balanced,
        "by_label": _weights_to_json(class_weight.by_label),
    }
    if class_weight.balanced:
        document |= {"totals": _weights_to_json(totals.by_label), "total": totals.total}
    return document


def class_weight_from_document(fields: Fields) -> tuple[ClassWeight, ClassTotals]:
    """Return the class weights of a document, and the totals of the classes."""
    class_weight = ClassWeight("balanced" if fields.boolean("balanced") else None)
    class_weight.by_label.update(_weights_from_json(fields, "by_label"))
    totals = ClassTotals()
    # Files of models that could not be balanced in streams have none.
    if "totals" in fields:
        totals = ClassTotals(_weights_from_json(fields, "totals"), fields.number("total"))
    fields.finish()
    return class_weight, totals


def _weights_to_json(weights: Mapping[Any, float]) -> list[Any]:
    return [[to_json(label, "class_weight"), weight] for label, weight in weights.items()]


def _weights_from_json(fields: Fields, name: str) -> dict[Any, float]:
    weights = {}
    for item, place in fields.items(name):
        if not isinstance(item, list) or len(item) != 2:
            refuse(place, item, "a pair of label and weight")
        label: Any = from_json(item[0], place)
        weight = read_number(item[1], place)
        if isinstance(label, list | dict) or weight < 0:
            refuse(place, item, "a label and a weight of at least 0")
        weights[label] = weight
    return weights


def outputs_to_document(outputs: Outputs | None) -> Document | None:
    """Return outputs as a document."""
    if outputs is None:
        return None
    names = outputs.names
    return {
        "count": outputs.count,
        "names": None if names is None else [to_json(n, "the name of a target") for n in names],
    }


def outputs_from_document(fields: Fields) -> Outputs | None:
    """Take the field ``outputs``."""
    inner = fields.maybe("outputs", fields.fields)
    if inner is None:
        return None
    count = inner.integer("count", lowest=1)
    names = inner.maybe("names", lambda name: _names(inner, name))
    inner.finish()
    if names is not None and (len(names) != count or len(set(names)) != count):
        refuse(inner.place("names"), names, f"a list of {count} different names")
    return Outputs(count, names)


def _names(fields: Fields, field: str) -> tuple[Any, ...]:
    return tuple(hashable_from_json(value, place) for value, place in fields.items(field))
