"""The format of payloads: as it is given, or as the first payload shows it."""

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sgtrees.streams.brokers.arrow_payloads import ArrowPayloads
from sgtrees.streams.brokers.avro_payloads import CONTAINER, AvroPayloads, read_avro_schema
from sgtrees.streams.brokers.avro_schema import arrow_schema
from sgtrees.streams.brokers.json_payloads import JsonPayloads
from sgtrees.streams.brokers.messages import PAYLOAD_FORMATS
from sgtrees.streams.brokers.payloads import Payloads
from sgtrees.streams.errors import StreamError

_ARROW = b"\xff\xff\xff\xff"
# The formats of files whose rows are payloads too.
_OF_FILES = {"ndjson": "json"}


def payload_format(given: str | None, first: Sequence[bytes], name: str) -> str:
    """Return the format of payloads.

    Parameters
    ----------
    given : str or None
        One of `PAYLOAD_FORMATS`, if it is known.
    first : sequence of bytes
        The first payloads.
    name : str
        The topic's or stream's name in messages.

    Examples
    --------
    >>> payload_format(None, [b'{"size": 7.5}'], "redis stream fruits")
    'json'
    """
    if given is not None:
        known = _OF_FILES.get(given, given)
        if known not in PAYLOAD_FORMATS:
            raise StreamError(
                f"{given!r} is no format of messages; give one of {', '.join(PAYLOAD_FORMATS)}"
            )
        return known
    example = next((payload.lstrip() for payload in first if payload.strip()), b"")
    for start, found in ((b"{", "json"), (CONTAINER, "avro"), (_ARROW, "arrow")):
        if example.startswith(start):
            return found
    raise StreamError(
        f"{name}: the first payload is neither a JSON object nor an Arrow stream nor an Avro "
        f"container, but {example[:20]!r}; give the format (file_format=, --format): "
        f"{', '.join(PAYLOAD_FORMATS)}"
    )


def payloads_of(chosen: str, name: str, schema: Any) -> Payloads:
    """Return the decoder of a format, which has its schema if that is given.

    Parameters
    ----------
    chosen : str
        One of `PAYLOAD_FORMATS`.
    name : str
        The topic's or stream's name in messages.
    schema : Any
        A ``pyarrow.Schema``, an Avro schema or the path of one, or None.
    """
    if chosen in ("avro", "confluent-avro"):
        if isinstance(schema, pa.Schema):
            raise StreamError("the schema of Avro records must be one of Avro")
        avro = None if schema is None else read_avro_schema(schema)
        return AvroPayloads(name, avro, has_header=chosen == "confluent-avro")
    payloads = JsonPayloads(name) if chosen == "json" else ArrowPayloads(name)
    if schema is not None:
        is_arrow = isinstance(schema, pa.Schema)
        payloads.schema = schema if is_arrow else arrow_schema(read_avro_schema(schema))
    return payloads
