"""Arrow streams from anybody: a changed byte is refused or harmless."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sgtrees.serve.arrow_stream import read_arrow
from sgtrees.serve.errors import RequestError


def stream(table, **options):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, **options) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


TABLE = pa.table(
    {
        "size": [1.5, None, 3.0],
        "colour": pa.array(["red", "green", None]).dictionary_encode(),
        "name": ["a", "bb", "ccc"],
        "at": pa.array([0, 1, 2], pa.timestamp("us")),
    }
)
CONTENT = stream(TABLE)


def test_a_stream_is_read_as_it_was_written():
    assert read_arrow(CONTENT).equals(TABLE)


@pytest.mark.parametrize("codec", ["lz4", "zstd"])
def test_compressed_buffers_are_refused_in_dictionaries_too(codec):
    if not pa.Codec.is_available(codec):
        pytest.skip(f"pyarrow was built without {codec}")
    options = pa.ipc.IpcWriteOptions(compression=codec)
    for table in (TABLE, TABLE.select(["colour"])):
        with pytest.raises(RequestError, match="compressed"):
            read_arrow(stream(table, options=options))


@settings(max_examples=150, deadline=None)
@given(place=st.integers(0, len(CONTENT) - 1), value=st.integers(0, 255), cut=st.booleans())
def test_a_changed_stream_is_refused_or_valid(place, value, cut):
    changed = CONTENT[:place] + (b"" if cut else bytes([value]) + CONTENT[place + 1 :])
    refused = None
    try:
        table = read_arrow(changed, 100)
    except RequestError as error:
        refused = error
    if refused is not None:
        assert refused.status in (400, 413, 415, 422)
    else:
        table.validate(full=True)
        assert len(table) <= 100
