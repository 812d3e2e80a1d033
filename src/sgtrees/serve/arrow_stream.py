"""Tables from Arrow streams that anybody may have sent.

Everything is checked before it is used. Compressed buffers are refused: a few bytes of them may
claim any amount of memory.
"""

import struct
from typing import Any

import pyarrow as pa

from sgtrees.serve.errors import RequestError

# The kinds of messages in Arrow's format that have buffers, and the place of their fields.
_DICTIONARY, _RECORDS = 2, 3
_HEADER_TYPE, _HEADER = 1, 2
_DATA_OF_DICTIONARY = 1
_COMPRESSION = 3
# The types that a model learns.
_DICTIONARY_ID = pa.dictionary(pa.int8(), pa.string()).id
_KNOWN_IDS = frozenset(
    kind.id
    for kind in (
        *(pa.int8(), pa.int16(), pa.int32(), pa.int64()),
        *(pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()),
        *(pa.float16(), pa.float32(), pa.float64()),
        *(pa.bool_(), pa.string(), pa.large_string(), pa.null()),
        *(pa.date32(), pa.date64(), pa.timestamp("s")),
    )
)
# What pyarrow and the reading of flatbuffers raise for bytes that are no stream.
_BROKEN = (pa.ArrowException, struct.error, OSError, EOFError, ValueError, IndexError)


def read_arrow(body: bytes, most_rows: int | None = None) -> pa.Table:
    """Read a stream.

    Parameters
    ----------
    body : bytes
        The stream, as `pyarrow.ipc.new_stream` writes it.
    most_rows : int, optional
        How many rows it may have.

    Raises
    ------
    RequestError
        If it is not such a stream, or has columns that no model learns.

    Examples
    --------
    >>> table = pa.table({"size": [1.0, 2.0]})
    >>> sink = pa.BufferOutputStream()
    >>> with pa.ipc.new_stream(sink, table.schema) as writer:
    ...     writer.write_table(table)
    >>> read_arrow(sink.getvalue().to_pybytes()).num_rows
    2
    """
    try:
        _refuse_compression(body)
        batches = []
        rows = 0
        with pa.ipc.open_stream(pa.BufferReader(body)) as reader:
            _check_types(reader.schema)
            for batch in reader:
                batch.validate(full=True)
                rows += batch.num_rows
                if most_rows is not None and rows > most_rows:
                    raise too_many_rows(most_rows)
                batches.append(batch)
            return pa.Table.from_batches(batches, reader.schema)
    except _BROKEN as error:
        raise RequestError(400, "bad_arrow", f"the body is no Arrow stream: {error}") from error


def too_many_rows(most: int) -> RequestError:
    """Return the error of a request with too many rows."""
    return RequestError(
        413, "too_many_rows", f"a request may have {most:,} rows; send several requests"
    )


def _check_types(schema: pa.Schema) -> None:
    if len(set(schema.names)) < len(schema.names):
        raise RequestError(422, "bad_columns", "two columns have the same name")
    for field in schema:
        if not _is_known(field.type):
            raise RequestError(
                422,
                "bad_columns",
                f"column {field.name!r} is of the type {field.type}; numbers, booleans, strings, "
                "dictionaries of strings, dates and times can be learned",
            )


def _is_known(kind: Any) -> bool:
    if kind.id == _DICTIONARY_ID:
        kind = kind.value_type
    return kind.id in _KNOWN_IDS


def _refuse_compression(body: bytes) -> None:
    for message in pa.ipc.MessageReader.open_stream(pa.BufferReader(body)):
        if _is_compressed(message.metadata.to_pybytes()):
            raise RequestError(
                415, "compressed_arrow", "the Arrow stream is compressed; send it without"
            )


def _is_compressed(metadata: bytes) -> bool:
    """Whether the buffers of a message are compressed; its metadata are a flatbuffer."""
    root = _offset(metadata, 0)
    kind_at = _field(metadata, root, _HEADER_TYPE)
    header_at = _field(metadata, root, _HEADER)
    if kind_at is None or header_at is None or metadata[kind_at] not in (_DICTIONARY, _RECORDS):
        return False
    header = _offset(metadata, header_at)
    if metadata[kind_at] == _DICTIONARY:
        data_at = _field(metadata, header, _DATA_OF_DICTIONARY)
        if data_at is None:
            return False
        header = _offset(metadata, data_at)
    return _field(metadata, header, _COMPRESSION) is not None


def _offset(data: bytes, place: int) -> int:
    return place + int(struct.unpack_from("<I", data, place)[0])


def _field(data: bytes, table: int, number: int) -> int | None:
    """Return the place of a field of a flatbuffer's table; None if it is absent."""
    directory = table - int(struct.unpack_from("<i", data, table)[0])
    entry = 4 + 2 * number
    if entry >= struct.unpack_from("<H", data, directory)[0]:
        return None
    offset = int(struct.unpack_from("<H", data, directory + entry)[0])
    return table + offset if offset else None
