"""Features as a document: names, kinds, categories, and which later ones are nominal."""

from collections.abc import Hashable
from typing import Any

from sgtrees.data.columns import Kind, Value, kind_of_type
from sgtrees.data.schema import Categories, Declaration, Feature, Schema
from sgtrees.persistence.document import Document, Fields, refuse
from sgtrees.persistence.python_values import from_json, to_json

_KINDS = {kind.value: kind for kind in Kind}


def schema_to_document(schema: Schema) -> Document:
    """Return a schema as a document."""
    document: Document = {
        "named": schema.named,
        "features": [_feature_to_document(feature) for feature in schema.features],
    }
    if schema.category_memory is not None:
        document["category_memory"] = schema.category_memory
    return document


def _feature_to_document(feature: Feature) -> Document:
    name = to_json(feature.name, f"the name of {feature}")
    if feature.categories is None:
        return {"name": name}
    values = values_to_json(list(feature.categories.numbers))
    document = {"name": name, "kind": kind_to_json(feature.categories.kind), "categories": values}
    if feature.categories.most_bytes is not None:
        document["most_bytes"] = feature.categories.most_bytes
        document["is_closed"] = feature.categories.is_closed
    return document


def schema_from_document(fields: Fields) -> Schema:
    """Return the schema of a document."""
    named = fields.boolean("named")
    features = [_feature(Fields(value, place)) for value, place in fields.items("features")]
    names = [feature.name for feature in features]
    if len(set(names)) != len(names):
        refuse(fields.place("features"), names, "a list of different names")
    if not named and names != list(range(len(names))):
        refuse(fields.place("features"), names, "the column numbers in order")
    schema = Schema(features, named=named)
    schema.category_memory = _maybe_count(fields, "category_memory")
    return schema


def _maybe_count(fields: Fields, name: str) -> int | None:
    """Take a field that may be absent: a whole number of at least 0."""
    return fields.integer(name) if name in fields else None


def _feature(fields: Fields) -> Feature:
    name = hashable_from_json(fields.take("name"), fields.place("name"))
    if "categories" not in fields:
        fields.finish()
        return Feature(name)
    kind = kind_from_json(fields)
    categories = Categories(_maybe_count(fields, "most_bytes"))
    values = values_from_json(fields, "categories", kind)
    categories.extend(values, kind)
    categories.is_closed = "is_closed" in fields and fields.boolean("is_closed")
    fields.finish()
    return Feature(name, categories)


def hashable_from_json(value: Any, where: str) -> Any:
    """Return the name of a feature or an output: any hashable value."""
    name = from_json(value, where)
    try:
        hash(name)
    except TypeError:
        refuse(where, name, "a hashable value")
    return name


def declaration_to_document(declaration: Declaration) -> Document:
    """Return which features were declared nominal as a document."""
    return {
        "from_dtype": declaration.from_dtype,
        "names": sorted(map(str, declaration.names)),
        "columns": sorted(declaration.columns),
        "mask_length": declaration.mask_length,
    }


def declaration_from_document(fields: Fields) -> Declaration:
    """Return the declaration of a document."""
    declaration = Declaration(None)
    declaration.from_dtype = fields.boolean("from_dtype")
    names = values_from_json(fields, "names", Kind.STRING)
    declaration.names = frozenset[Hashable](names)
    columns = values_from_json(fields, "columns", Kind.NUMBER)
    if not all(type(column) is int and column >= 0 for column in columns):
        refuse(fields.place("columns"), columns, "a list of column numbers")
    declaration.columns = frozenset(map(int, columns))
    declaration.mask_length = fields.maybe("mask_length", fields.integer)
    fields.finish()
    return declaration


# ---- values of one kind --------------------------------------------------------------------------


def values_to_json(values: list[Any]) -> list[Any]:
    """Return categories or labels as a list for a document."""
    return [to_json(value, "categories or labels") for value in values]


def values_from_json(fields: Fields, name: str, kind: Kind | None) -> list[Value]:
    """Take a list of different values, all of one kind; with None the list must be empty."""
    where = fields.place(name)
    items = fields.take(name)
    if not isinstance(items, list):
        refuse(where, items, "a list")
    values = [from_json(v, where) if isinstance(v, dict | float) else v for v in items]
    for type_ in set(map(type, values)):
        if kind is None or kind_of_type(type_) is not kind:
            refuse(where, items, "empty" if kind is None else f"a list of {kind.value}")
    if len(set(values)) != len(values):
        refuse(where, items, "a list of different values")
    return values


def kind_to_json(kind: Kind | None) -> str | None:
    """Return the kind of categories or labels for a document."""
    return None if kind is None else kind.value


def kind_from_json(fields: Fields) -> Kind | None:
    """Take the field ``kind``."""
    name = fields.maybe("kind", lambda field: fields.text(field, _KINDS))
    return None if name is None else _KINDS[name]
