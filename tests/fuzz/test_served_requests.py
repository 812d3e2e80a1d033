"""A server that is sent anything: it answers with a name for what is wrong, and never fails."""

from __future__ import annotations

import json
import random
import sys
from collections import Counter
from importlib.util import find_spec

import pyarrow as pa
import pytest

from tests.e2e.served import Served, ask
from tests.unit.serve.running import events_of

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="processes are sent signals"),
    pytest.mark.skipif(
        any(find_spec(name) is None for name in ("starlette", "uvicorn", "prometheus_client")),
        reason="the extra 'serve' is not installed",
    ),
]

VALUES = [
    None, True, 1, -5, 0.5, 1e308, 1e-320, 2**63, 2**64 - 1, 10**30, "x", "", "NaN", "\ud800",
    "\x00", "a" * 1000, [], {},
]  # fmt: skip
NAMES = ["size", "colour", "kind", "@id", "", "size.hour", "a\nb", "id", "label", "weight"]
PATHS = ["/learn", "/learn_predict", "/predict", "/labels", "/predict?proba=true"]
# Those that take no rows, with methods, queries and bodies that they do not expect.
OTHER_PATHS = [
    "/", "/page.js", "/docs", "/openapi.json", "/model", "/tree", "/health", "/ready", "/metrics",
    "/checkpoint", "/learn", "/predict", "/labels", "/events/", "/nothing", "/tree?x=%00", "//",
    "/../etc/passwd", "/page.js/..", "/predict?keep=maybe", "/predict?proba=1&proba=true",
]  # fmt: skip
METHODS = ["GET", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"]
KINDS = {"application/json": 6, "application/x-ndjson": 2, "application/vnd.apache.arrow.stream": 4}


def some_row(chance):
    return {chance.choice(NAMES): chance.choice(VALUES) for _ in range(chance.randint(0, 5))}


def some_body(chance):
    kind = chance.random()
    if kind < 0.3:
        body = json.dumps([some_row(chance) for _ in range(chance.randint(0, 4))]).encode()
    elif kind < 0.5:
        body = json.dumps(some_row(chance)).encode()
    elif kind < 0.7:
        table = pa.Table.from_pylist(events_of(range(chance.randint(1, 5))))
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        body = sink.getvalue().to_pybytes()
    elif kind < 0.8:
        body = chance.randbytes(chance.randint(0, 60))
    else:
        body = json.dumps(events_of(range(3))).encode()
    changed = bytearray(body)
    if changed and chance.random() < 0.3:
        for _ in range(chance.randint(1, 4)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    return bytes(changed)


def send_anything(folder, n_requests, seed):
    chance = random.Random(seed)
    server = Served(folder, "--target", "kind", "--task", "classification", "--max-body", 200_000)
    statuses: Counter[int] = Counter()
    connection = server.connect()
    for _ in range(n_requests):
        kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
        headers = {"Idempotency_Key": chance.choice("abc")} if chance.random() < 0.2 else {}
        path, body = chance.choice(PATHS), some_body(chance)
        status, reply = ask(connection, path, body, kind=kind, **headers)
        assert status < 500, (path, kind, body, reply)
        assert status == 200 or reply["error"]["message"]
        statuses[status] += 1
        if chance.random() < 0.1:
            send_elsewhere(connection, chance, kind, body)
    connection.close()
    rows = server.ask("/model")[1]["rows"]
    assert server.ask("/ready")[1]["learn"] is True
    server.kill()
    again = Served(folder)
    assert again.ask("/model")[1]["rows"] == rows > 0
    assert again.stop() == 0
    return statuses


def send_elsewhere(connection, chance, kind, body):
    path, method = chance.choice(OTHER_PATHS), chance.choice(METHODS)
    status, reply = ask(connection, path, body, method=method, kind=kind)
    assert status < 500, (method, path, body, reply)
    # A path with a slash too many is redirected.
    assert status < 400 or reply["error"]["message"], (method, path)


def test_every_route_is_among_those_that_are_sent_anything(tmp_path):
    server = Served(tmp_path, "--target", "kind", "--task", "classification")
    routes = set(server.ask("/openapi.json")[1]["paths"])
    server.kill()
    # That one has no end; the tests of the page read it.
    routes.remove("/events")
    assert routes <= {path.partition("?")[0] for path in [*PATHS, *OTHER_PATHS]}


def test_a_server_that_is_sent_a_little_of_anything_never_fails(tmp_path):
    assert sum(send_anything(tmp_path, 400, seed=9).values()) == 400


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_a_server_that_is_sent_anything_never_fails(tmp_path, seed):
    statuses = send_anything(tmp_path, 20_000, seed)
    assert min(statuses[status] for status in (200, 400, 422)) > 1000
