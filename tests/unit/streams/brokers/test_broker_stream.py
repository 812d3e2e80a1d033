"""Rows of Redis and of Kafka, by `open_stream`."""

import io
import json

import fastavro
import numpy as np
import pyarrow as pa
import pytest

from sgtrees.streams import StreamError, open_stream
from tests.unit.streams.brokers.servers import RedisServer, needs_redis, rows

AVRO = {
    "type": "record",
    "name": "fruit",
    "fields": [
        {"name": "size", "type": ["null", "double"]},
        {"name": "colour", "type": {"type": "enum", "name": "c", "symbols": ["r", "g", "b"]}},
        {"name": "label", "type": "string"},
    ],
}


def opened(address, **options):
    # Long enough for a busy machine to bring what is there already.
    idle = 4.0 if address.startswith("kafka") else 1.0
    return open_stream(address, "label", idle_seconds=idle, **options)


def read(stream):
    """All rows as dictionaries, and all keys."""
    found, keys = [], []
    for block in stream:
        table = block.X.append_column("label", block.y)
        found += table.to_pylist()
        keys += block.places.keys
    return found, keys


def position_after(stream, n_rows):
    """The position after some rows, as a file would hold it."""
    for block in stream.head(n_rows):
        position = block.places.position
    return json.loads(json.dumps(position))


def avro(row):
    file = io.BytesIO()
    fastavro.schemaless_writer(file, AVRO, row)
    return file.getvalue()


def container(some):
    file = io.BytesIO()
    fastavro.writer(file, AVRO, some)
    return file.getvalue()


def arrow(some):
    table = pa.Table.from_pylist(some)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def test_json_objects_are_rows_in_their_order(broker, name):
    broker.add(name, rows(3_000))
    stream = opened(broker.address(name))
    assert [column.name for column in stream.columns] == ["size", "colour"]
    assert stream.nominal == [1]
    found, keys = read(stream)
    assert found == rows(3_000)
    assert len(set(keys)) == 3_000
    # Again from the same place.
    assert read(stream) == (found, keys)


@pytest.mark.parametrize("at", [1, 700, 1_499, 1_500])
def test_a_stream_continues_after_any_row(broker, name, at):
    broker.add(name, rows(1_500))
    whole, keys = read(opened(broker.address(name)))
    position = position_after(opened(broker.address(name)), at)
    broker.add(name, rows(10, 1_500))
    found, new_keys = read(opened(broker.address(name), start=position))
    assert whole[:at] + found == rows(1_510)
    assert set(keys[:at]).isdisjoint(new_keys)


def test_the_types_of_columns_are_those_of_the_first_events_after_a_restart_too(broker, name):
    first = [{"size": 1, "code": None, "label": "a"}, {"size": 2, "code": "x", "label": "b"}]
    broker.add(name, first)
    position = position_after(opened(broker.address(name)), 2)
    # By themselves they would be read in another way.
    broker.add(name, [{"label": "a"}, {"size": 2.5, "code": None, "label": "b", "new": 1}])
    stream = opened(broker.address(name), start=position)
    assert stream.nominal == [1]
    assert read(stream)[0] == [
        {"size": None, "code": None, "label": "a"},
        {"size": 2.5, "code": None, "label": "b"},
    ]


def test_avro_records_need_a_schema(broker, name, tmp_path):
    broker.add(name, [avro(row) for row in rows(50)])
    with pytest.raises(StreamError, match="neither a JSON object nor"):
        opened(broker.address(name))
    with pytest.raises(StreamError, match="schema must be given"):
        opened(broker.address(name), file_format="avro")
    path = tmp_path / "fruit.avsc"
    path.write_text(json.dumps(AVRO))
    for schema in (AVRO, path):
        stream = opened(broker.address(name), file_format="avro", schema=schema)
        assert read(stream)[0] == rows(50)


def test_confluent_s_header_is_skipped(broker, name):
    broker.add(name, [b"\0\0\0\0\7" + avro(row) for row in rows(5)])
    stream = opened(broker.address(name), file_format="confluent-avro", schema=AVRO)
    assert read(stream)[0] == rows(5)


@pytest.mark.parametrize("pack", [arrow, container])
def test_payloads_of_several_rows_may_be_learned_in_part(broker, name, pack):
    broker.add(name, [pack(rows(5)), pack(rows(1, 5)), pack(rows(4, 6))])
    stream = opened(broker.address(name))
    found, keys = read(stream)
    assert found == rows(10)
    assert len(set(keys)) == 10
    for at in (1, 5, 6, 8, 10):
        position = position_after(stream, at)
        again, new_keys = read(opened(broker.address(name), start=position))
        assert again == rows(10)[at:]
        assert new_keys == keys[at:]


@pytest.mark.parametrize(
    ("payload", "what"),
    [
        (b'{"size": "big", "colour": "r", "label": "a"}', "'\"big\"' instead of a number"),
        (b'{"size": 1.5, "colour": "r"}', "the target is missing"),
        (b'{"size": 1', "this is not a JSON object"),
        (b"", "this is not a JSON object"),
        (b'{"size": 1, "label": "a"}{"size": 2, "label": "a"}', "this is not a JSON object"),
        (b"[1, 2]", "this is not a JSON object"),
        (b"\xff\xfe", "this is not a JSON object"),
    ],
)
def test_an_invalid_message_is_named_or_skipped(broker, name, payload, what):
    broker.add(name, [*rows(20), payload, *rows(20, 20)])
    blocks = iter(opened(broker.address(name)))
    first = next(blocks)
    assert first.y.to_pylist() == [row["label"] for row in rows(20)]
    with pytest.raises(StreamError, match=r"entry |offset 20") as caught:
        next(blocks)
    assert what in str(caught.value)
    skipping = opened(broker.address(name), on_error="skip")
    found, keys = read(skipping)
    assert found == rows(40)
    assert skipping.skipped.rows == 1
    # A position behind the invalid message.
    rest = opened(broker.address(name), start=position_after(skipping, 21))
    assert read(rest) == (found[21:], keys[21:])


def test_payloads_over_several_lines_are_objects_too(broker, name):
    broker.add(name, [json.dumps(row, indent=1).encode() for row in rows(9)])
    assert read(opened(broker.address(name)))[0] == rows(9)


@pytest.mark.parametrize("bad", [b"Obj\x01 and nothing", b"\xff\xff\xff\xff\x10"])
def test_damaged_containers_and_arrow_streams_are_named(broker, name, bad):
    pack = container if bad.startswith(b"Obj") else arrow
    broker.add(name, [pack(rows(5)), bad, pack(rows(5, 5))])
    stream = opened(broker.address(name), on_error="skip")
    assert read(stream)[0] == rows(10)
    assert stream.skipped.rows == 1


def test_the_lag_is_the_number_of_messages_that_were_not_read(broker, name):
    broker.add(name, rows(100))
    stream = opened(broker.address(name))
    assert stream.lag(position_after(stream, 100)) == 0
    assert stream.lag(position_after(stream, 30)) == 70


def test_a_stream_may_begin_with_what_comes_next(broker, name):
    broker.add(name, rows(10))
    types = pa.schema({"size": pa.float64(), "colour": pa.string(), "label": pa.string()})
    stream = opened(broker.address(name), start="latest", schema=types, file_format="json")
    blocks = iter(stream)
    broker.add(name, rows(3, 10))
    assert next(blocks).y.to_pylist() == [row["label"] for row in rows(3, 10)]


def test_a_stream_without_events_says_so(redis_server):
    with pytest.raises(StreamError, match=r"redis stream nothing: no event came within 1 seconds"):
        opened(redis_server.address("nothing"))


def test_a_position_is_of_one_stream(redis_server):
    redis_server.add("one", rows(3))
    position = next(iter(opened(redis_server.address("one")))).places.position
    with pytest.raises(StreamError, match="one of redis stream one, not of redis stream two"):
        opened(redis_server.address("two"), start=position)


def test_all_partitions_are_read_and_none_twice(kafka_cluster, name):
    for partition in range(4):
        kafka_cluster.add(name, rows(100, 100 * partition), partition)
    address = kafka_cluster.address(name)
    first = [block.places for block in opened(address).head(150)]
    _, keys = read(opened(address, start=first[-1].position))
    everything = [*(key for places in first for key in places.keys), *keys]
    assert sorted(everything) == sorted(f"{p}:{o}" for p in range(4) for o in range(100))


def test_messages_without_a_value_are_no_rows(kafka_cluster, name):
    kafka_cluster.add(name, [*rows(2), None, *rows(2, 2)])
    found, keys = read(opened(kafka_cluster.address(name)))
    assert found == rows(4)
    assert keys == ["0:0", "0:1", "0:3", "0:4"]


def test_entries_that_were_removed_unread_are_an_error(redis_server, name):
    redis_server.add(name, rows(10))
    position = position_after(opened(redis_server.address(name)), 4)
    redis_server.client.execute_command("XTRIM", name, "MAXLEN", "6")
    # Only what was read is gone.
    assert len(read(opened(redis_server.address(name), start=position))[0]) == 6
    redis_server.client.execute_command("XTRIM", name, "MAXLEN", "3")
    with pytest.raises(StreamError, match=r"3 entries after .* were removed before they were read"):
        read(opened(redis_server.address(name), start=position))


def test_the_payload_is_the_only_field_or_the_field_data(redis_server, name):
    client = redis_server.client
    client.execute_command("XADD", name, "*", "anything", json.dumps(rows(1)[0]))
    client.execute_command("XADD", name, "*", "by", "ann", "data", json.dumps(rows(1, 1)[0]))
    client.execute_command("XADD", name, "*", "size", "1", "label", "a")
    stream = opened(redis_server.address(name), on_error="skip")
    assert read(stream)[0] == rows(2)
    assert stream.skipped.rows == 1


@needs_redis
def test_a_server_that_goes_and_returns_is_waited_for(tmp_path, request):
    server = RedisServer(tmp_path).start()
    request.addfinalizer(server.stop)
    server.add("fruits", rows(5))
    stream = open_stream(server.address("fruits"), "label")
    blocks = iter(stream)
    assert len(next(blocks)) == 5
    server.client.save()
    server.stop()
    server.start()
    server.add("fruits", rows(2, 5))
    assert len(next(blocks)) == 2


def test_numbers_stay_numbers(broker, name):
    broker.add(name, [{"a": 1, "label": 0.5}, {"a": 2.5, "label": 1.5}, {"a": None, "label": 2}])
    (block,) = opened(broker.address(name))
    np.testing.assert_array_equal(block.X["a"].to_numpy(), [1.0, 2.5, np.nan])
    np.testing.assert_array_equal(block.y, [0.5, 1.5, 2.0])


def test_a_topic_is_read_alone(tmp_path):
    with pytest.raises(StreamError, match="one address and no files"):
        open_stream(["redis://localhost/a", "b.csv"], "y")
