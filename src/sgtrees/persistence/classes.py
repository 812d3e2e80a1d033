"""Labels and their weights as documents."""

from typing import Any, cast

from sgtrees.data.values import Kind
from sgtrees.data.weights import ClassWeight
from sgtrees.persistence.features import (
    kind_from_json,
    kind_to_json,
    values_from_json,
    values_to_json,
)
from sgtrees.persistence.fields import Fields, read_number, refuse
from sgtrees.persistence.model_file import Document
from sgtrees.persistence.python_values import from_json, to_json
from sgtrees.targets.labels import Label, Labels


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
        refuse(fields.place(name), labels, "not of whole numbers alone")
    return cast("list[Label]", labels)


def class_weight_to_document(class_weight: ClassWeight) -> Document:
    """Return class weights as a document."""
    weights = [[to_json(k, "class_weight"), w] for k, w in class_weight.by_label.items()]
    return {"balanced": class_weight.balanced, "by_label": weights}


def class_weight_from_document(fields: Fields) -> ClassWeight:
    """Return the class weights of a document."""
    class_weight = ClassWeight("balanced" if fields.boolean("balanced") else None)
    for item, place in fields.items("by_label"):
        if not isinstance(item, list) or len(item) != 2:
            refuse(place, item, "no pair of label and weight")
        label: Any = from_json(item[0], place)
        weight = read_number(item[1], place)
        if isinstance(label, list | dict) or weight < 0:
            refuse(place, item, "no label with a weight")
        class_weight.by_label[label] = weight
    fields.finish()
    return class_weight
