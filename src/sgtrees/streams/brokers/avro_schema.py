"""The columns of an Avro schema, as types of Arrow."""

from typing import Any

import pyarrow as pa

from sgtrees.streams.errors import StreamError

_PRIMITIVE = {
    "null": pa.null(),
    "boolean": pa.bool_(),
    "int": pa.int64(),
    "long": pa.int64(),
    "float": pa.float64(),
    "double": pa.float64(),
    "string": pa.string(),
    "bytes": pa.binary(),
    "enum": pa.string(),
    "fixed": pa.binary(),
}
_LOGICAL = {
    "date": pa.date32(),
    "time-millis": pa.time64("us"),
    "time-micros": pa.time64("us"),
    "timestamp-millis": pa.timestamp("us", "UTC"),
    "timestamp-micros": pa.timestamp("us", "UTC"),
    "local-timestamp-millis": pa.timestamp("us"),
    "local-timestamp-micros": pa.timestamp("us"),
    "uuid": pa.string(),
}


def arrow_schema(avro: Any) -> Any:
    """Return the columns of a record; what cannot be a feature is a list, which is refused by name.

    Parameters
    ----------
    avro : dict
        The schema.

    Examples
    --------
    >>> fields = [{"name": "size", "type": ["null", "double"]}, {"name": "fruit", "type": "string"}]
    >>> arrow_schema({"type": "record", "name": "fruits", "fields": fields})
    size: double
    fruit: string
    """
    if not isinstance(avro, dict) or avro.get("type") != "record":
        raise StreamError('the schema is not one of Avro records: it needs "type": "record"')
    return pa.schema([(field["name"], _type(field["type"])) for field in avro.get("fields", [])])


def _type(avro: Any) -> Any:
    if isinstance(avro, list):
        kinds = list(dict.fromkeys(_type(one) for one in avro if one != "null"))
        if len(kinds) > 1 and all(pa.types.is_integer(k) or pa.types.is_floating(k) for k in kinds):
            return pa.float64()
        return kinds[0] if len(kinds) == 1 else _no_feature()
    if isinstance(avro, dict):
        logical = avro.get("logicalType")
        if logical == "decimal":
            return pa.decimal128(min(int(avro["precision"]), 38), int(avro.get("scale", 0)))
        known = _LOGICAL.get(str(logical))
        return _type(avro["type"]) if known is None else known
    return _PRIMITIVE.get(avro, _no_feature())


def _no_feature() -> Any:
    return pa.list_(pa.null())
