import pyarrow as pa
import pytest

from sgtrees.streams import StreamError
from sgtrees.streams.arrow_tables import columns_of_schema
from sgtrees.streams.brokers.avro_schema import arrow_schema
from sgtrees.streams.columns import ColumnKind


@pytest.mark.parametrize(
    ("avro", "kind"),
    [
        ("int", ColumnKind.NUMERIC),
        (["null", "float"], ColumnKind.NUMERIC),
        (["int", "double", "null"], ColumnKind.NUMERIC),
        (
            {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2},
            ColumnKind.NUMERIC,
        ),
        ("string", ColumnKind.NOMINAL),
        ({"type": "enum", "name": "e", "symbols": ["a"]}, ColumnKind.NOMINAL),
        ({"type": "string", "logicalType": "uuid"}, ColumnKind.NOMINAL),
        (["null", "boolean"], ColumnKind.BOOLEAN),
        ({"type": "long", "logicalType": "timestamp-millis"}, ColumnKind.TIME),
        ({"type": "int", "logicalType": "date"}, ColumnKind.TIME),
        ({"type": "int", "logicalType": "unknown"}, ColumnKind.NUMERIC),
        ({"type": "array", "items": "int"}, ColumnKind.OTHER),
        (["int", "string"], ColumnKind.OTHER),
        ({"type": "record", "name": "r", "fields": []}, ColumnKind.OTHER),
    ],
)
def test_every_type_has_its_kind(avro, kind):
    schema = arrow_schema({"type": "record", "name": "n", "fields": [{"name": "a", "type": avro}]})
    assert isinstance(schema, pa.Schema)
    assert columns_of_schema(schema)["a"].kind is kind


@pytest.mark.parametrize("avro", [[], "string", {"type": "enum"}, {}])
def test_what_is_no_record_is_refused(avro):
    with pytest.raises(StreamError, match="not one of Avro records"):
        arrow_schema(avro)
