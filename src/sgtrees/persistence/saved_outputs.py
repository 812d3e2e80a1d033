"""What a model predicts, where rows of y hold several numbers, as a document."""

from typing import Any

from sgtrees.persistence.features import hashable_from_json
from sgtrees.persistence.fields import Fields, refuse
from sgtrees.persistence.model_file import Document
from sgtrees.persistence.python_values import to_json
from sgtrees.targets.outputs import Outputs


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
        refuse(inner.place("names"), names, f"no list of {count} different names")
    return Outputs(count, names)


def _names(fields: Fields, field: str) -> tuple[Any, ...]:
    return tuple(hashable_from_json(value, place) for value, place in fields.items(field))
