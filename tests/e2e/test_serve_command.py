"""A served model: what it answers, what it refuses, and what outlives its process."""

import json
import re
import socket
import sys
import time
from importlib.util import find_spec

import pyarrow as pa
import pytest

from sgtrees import SGTClassifier, load
from sgtrees.serve.records import Record
from sgtrees.serve.served_model import ServedModel
from tests.e2e.killed_servers import kill_servers
from tests.e2e.served import Served, ask
from tests.unit.serve.running import events_of

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="processes are sent signals"),
    pytest.mark.skipif(
        any(find_spec(name) is None for name in ("starlette", "uvicorn", "prometheus_client")),
        reason="the extra 'serve' is not installed",
    ),
]

NEW = ("--target", "kind", "--task", "classification")
ARROW = "application/vnd.apache.arrow.stream"


def arrow(events, **options):
    table = pa.Table.from_pylist(events)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema, **options) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    server = Served(
        tmp_path_factory.mktemp("served"), *NEW, "--max-body", 100_000, "--max-rows", 500,
        "--max-seconds", 2,
    )  # fmt: skip
    status, reply = server.ask("/learn", events_of(range(400)))
    assert (status, reply["learned"]) == (200, 400)
    yield server
    assert server.ask("/learn", events_of(range(3)))[0] == 200
    assert server.stop() == 0


def test_rows_come_in_every_format_and_are_the_same(served):
    events = events_of(range(20))
    features = [{k: v for k, v in event.items() if k != "kind"} for event in events]
    lines = "\n".join(map(json.dumps, features)).encode()
    first = served.ask("/predict?keep=false", features)
    assert first[0] == 200
    assert len(first[1]["predictions"]) == 20
    assert served.ask("/predict?keep=false", lines, kind="application/x-ndjson") == first
    assert served.ask("/predict?keep=false", arrow(features), kind=ARROW) == first
    one_by_one = [served.ask("/predict", row)[1]["predictions"][0] for row in features]
    assert one_by_one == first[1]["predictions"]
    before = served.ask("/model")[1]["rows"]
    for kind, body in [(ARROW, arrow(events)), ("application/json", json.dumps(events).encode())]:
        status, reply = served.ask("/learn_predict", body, kind=kind)
        assert (status, reply["learned"], len(reply["predictions"])) == (200, 20, 20)
    assert served.ask("/model")[1]["rows"] == before + 40


def test_labels_come_later_and_count_once(served):
    rows = [{"size": 0.1, "colour": "r", "@id": "mine"}, {"size": 0.9, "colour": "g", "@id": "x"}]
    status, reply = served.ask("/predict?proba=true", rows)
    assert (status, reply["ids"]) == (200, ["mine", "x"])
    assert sum(reply["probabilities"][0].values()) == pytest.approx(1.0)
    label = {"id": "mine", "label": "a"}
    assert served.ask("/labels", label)[1]["learned"] == 1
    again = served.ask("/labels", [label, {"id": "x", "label": "b"}])
    assert (again[1]["learned"], again[1]["repeated"]) == (1, 1)
    assert served.ask("/labels", {"id": "mine", "label": "b"})[0] == 409
    given = served.ask("/predict", {"size": 0.5})[1]["ids"]
    assert served.ask("/labels", {"id": given[0], "label": "a"})[1]["learned"] == 1
    status, reply = served.ask("/labels", [{"id": "nobody", "label": "a"}])
    assert (status, reply["error"]["name"]) == (404, "unknown_id")


BAD = [
    ("/learn", b"{", {}, 400, "bad_json"),
    ("/learn", b"[" * 50_000, {}, 400, "bad_json"),
    ("/learn", b'{"size": NaN, "kind": "a"}', {}, 400, "bad_json"),
    ("/learn", b"\xff\xfe", {}, 400, "bad_json"),
    ("/learn", b"9" * 5000, {}, 400, "bad_json"),
    ("/learn", b"[]", {}, 422, "no_rows"),
    ("/learn", b"7", {}, 422, "bad_rows"),
    ("/learn", b'{"size": {"a": 1}, "kind": "a"}', {}, 422, "bad_rows"),
    ("/learn", b'{"size": 1' + b"0" * 400 + b', "kind": "a"}', {}, 422, "bad_rows"),
    ("/learn", b'{"size": 1}', {}, 422, "no_target"),
    ("/learn", b'{"size": 1, "kind": null}', {}, 422, "refused_rows"),
    ("/learn", b'{"size": 1, "kind": 1.5}', {}, 422, "refused_rows"),
    ("/learn", b'{"size": "x", "kind": "a"}', {}, 422, "refused_rows"),
    ("/learn", b'[{"size": 1, "kind": "a"}, {"size": "x", "kind": "a"}]', {}, 422, "bad_rows"),
    ("/learn", b'{"colour": "\\ud800", "kind": "a"}', {}, 422, "bad_rows"),
    ("/learn", b'{"size": 1, "kind": "a", "@id": "x"}', {}, 422, "id_of_row"),
    ("/learn", b'{"size": 1, "kind": "a"}', {"Idempotency_Key": "x" * 300}, 400, "bad_id"),
    ("/learn", b"x", {"kind": "text/plain"}, 415, "unknown_format"),
    ("/learn", b"x", {"Content_Encoding": "gzip"}, 415, "compressed_body"),
    ("/learn", b"x" * 200_000, {}, 413, "body_too_large"),
    ("/learn", json.dumps(events_of(range(501))).encode(), {}, 413, "too_many_rows"),
    ("/learn", b"no arrow", {"kind": ARROW}, 400, "bad_arrow"),
    ("/learn", arrow(events_of(range(501))), {"kind": ARROW}, 413, "too_many_rows"),
    ("/learn", arrow(events_of(range(9)))[:-150], {"kind": ARROW}, 400, "bad_arrow"),
    ("/learn", arrow([{"size": [1], "kind": "a"}]), {"kind": ARROW}, 422, "bad_columns"),
    ("/learn", arrow(events_of(range(99)), options=pa.ipc.IpcWriteOptions(compression="zstd")),
     {"kind": ARROW}, 415, "compressed_arrow"),
    ("/predict", b'{"size": "x"}', {}, 422, "refused_rows"),
    ("/predict", b'[{"size": 1, "@id": "a"}, {"size": 2}]', {}, 422, "bad_id"),
    ("/predict", b'[{"size": 1, "@id": "a"}, {"size": 2, "@id": "a"}]', {}, 422, "bad_id"),
    ("/predict?keep=perhaps", b'{"size": 1}', {}, 400, "bad_query"),
    ("/labels", b'{"id": "x"}', {}, 422, "bad_labels"),
    ("/labels", b'{"id": [1], "label": "a"}', {}, 422, "bad_id"),
    ("/labels", b'{"id": "x", "label": ["a"]}', {}, 422, "bad_labels"),
    ("/labels", b'[{"id": "x", "label": 1}, {"id": "x", "label": 1}]', {}, 422, "bad_labels"),
    ("/nothing", b"{}", {}, 404, "unknown_path"),
    ("/learn", None, {}, 405, "wrong_method"),
    ("/model", b"{}", {}, 405, "wrong_method"),
    ("/model", None, {"Host": "evil.example"}, 403, "bad_host"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "body", "headers", "status", "name"), BAD)
def test_bad_requests_are_named_and_change_nothing(served, path, body, headers, status, name):
    before = served.ask("/model")[1]["rows"]
    got, reply = served.ask(path, body, **headers)
    assert (got, reply["error"]["name"]) == (status, name), reply
    assert len(reply["error"]["message"]) > 10
    assert served.ask("/model")[1]["rows"] == before


def test_slow_and_half_open_connections_end_and_the_others_go_on(served):
    half_open = [socket.create_connection(("127.0.0.1", served.port)) for _ in range(50)]
    slow = socket.create_connection(("127.0.0.1", served.port))
    slow.sendall(
        b"POST /learn HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        b"Content-Length: 100\r\n\r\n{"
    )
    assert served.ask("/predict", {"size": 0.5})[0] == 200
    slow.settimeout(20)
    assert b" 408 " in slow.recv(1 << 16)
    for connection in half_open:
        connection.settimeout(20)
        assert connection.recv(100) == b""
        connection.close()
    slow.close()


def test_no_part_of_a_reply_waits_for_the_other_to_be_confirmed(served):
    connection = served.connect()
    seconds = []
    for _ in range(20):
        began = time.perf_counter()
        ask(connection, "/health")
        seconds.append(time.perf_counter() - began)
    connection.close()
    assert sorted(seconds)[5] < 0.03


def test_what_can_be_seen(served):
    assert served.ask("/learn", {})[0] == 422
    assert served.ask("/health") == (200, {"alive": True})
    assert served.ask("/ready")[1]["learn"] is True
    model = served.ask("/model")[1]
    assert (model["task"], model["target"]) == ("classification", "kind")
    assert model["error"]["all"]["model"] < model["error"]["all"]["majority class"]
    metrics = served.ask("/metrics")[1]
    assert f"sgtrees_model_rows {float(model['rows'])}" in metrics
    assert 'sgtrees_requests_total{path="/learn",status="422"}' in metrics
    paths = served.ask("/openapi.json")[1]["paths"]
    del paths["/events"]  # it has no end
    for path, methods in paths.items():
        for method in methods:
            status, _ = served.ask(path, b"" if method == "post" else None)
            assert status in (200, 400), path


def test_the_page_has_all_that_it_needs_and_is_told_every_second(served):
    assert served.ask("/learn", {"size": [1]})[0] == 422
    page = served.ask("/")[1]
    files = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert files == ["page.css", "page.js"]
    for name in files:
        status, text = served.ask(f"/{name}")
        assert status == 200
        assert "//" not in re.sub(
            r"^ *//.*|http://www.w3.org/2000/svg", "", text, flags=re.MULTILINE
        )
    connection = served.connect()
    connection.request("GET", "/events", headers={"Host": "localhost"})
    reply = connection.getresponse()
    for _ in range(2):
        line = reply.readline()
        assert reply.readline() == b"\n"
        now = json.loads(line.removeprefix(b"data: "))
        assert now["model"]["error"]["latest"]["model"] >= 0
        assert now["refused"][-1]["status"] == 422
    connection.close()


def test_the_documentation_has_every_request_and_nothing_from_elsewhere(served):
    status, page = served.ask("/docs")
    assert status == 200
    assert re.findall(r'(?:src|href)="([^"]+)"', page) == ["page.css", "openapi.json"]
    assert "<script" not in page
    for path, methods in served.ask("/openapi.json")[1]["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} {path}</code>" in page


# ---- tokens ------------------------------------------------------------------------------------


def test_each_token_is_for_its_own_requests(tmp_path):
    tokens = {role: f"{role}-token-of-16-and-more" for role in ("predict", "learn", "admin")}
    environment = {f"SGTREES_{role.upper()}_TOKEN": token for role, token in tokens.items()}
    server = Served(tmp_path, *NEW, "--host", "0.0.0.0", environment=environment)
    row = events_of([1])[0]

    def status(path, token, document=row):
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        return server.ask(path, document, **headers)[0]

    assert status("/learn", None) == 401
    assert status("/learn", "x" * 20) == 401
    assert status("/learn", tokens["predict"]) == 403
    assert status("/learn", tokens["learn"]) == 200
    assert status("/predict", tokens["predict"]) == 200
    assert status("/checkpoint", tokens["learn"], {}) == 403
    assert status("/checkpoint", tokens["admin"], {}) == 200
    assert status("/model", tokens["predict"], None) == 200
    assert status("/health", None, None) == 200
    assert server.stop() == 0


# ---- what outlives the process -------------------------------------------------------------------


def test_a_saved_model_goes_on_and_an_orderly_end_writes_it(tmp_path):
    model = SGTClassifier()
    served = ServedModel(model, "kind")
    for n in range(100):
        served.learn(Record.decoded(record_text(events_of([n]))).rows)
    model.save(tmp_path / "m.sgt")
    server = Served(tmp_path, "--target", "kind")
    assert server.ask("/learn", events_of(range(100, 130)))[1]["model_rows"] == 130
    waiting = server.ask("/predict", {"size": 0.1, "colour": "r"})[1]["ids"][0]
    looking = server.connect()
    looking.request("GET", "/events")
    assert looking.getresponse().readline().startswith(b"data: ")
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 15, "an open page must not hold the server up"
    looking.close()
    assert load(tmp_path / "m.sgt").n_samples_seen_ == 130
    again = Served(tmp_path)
    assert again.ask("/labels", {"id": waiting, "label": "a"})[1]["model_rows"] == 131
    assert again.stop() == 0


def record_text(events):
    return b'{"format": "json", "time": 0}\n' + json.dumps(events).encode()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits another process")
def test_a_full_disk_refuses_learning_and_predictions_go_on(tmp_path):
    import resource  # noqa: PLC0415 - not on Windows

    server = Served(tmp_path, *NEW)
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (150_000, 150_000))
    learned = 0
    for start in range(0, 100_000, 200):
        status, reply = server.ask("/learn", events_of(range(start, start + 200)))
        if status != 200:
            break
        learned += 200
    assert (status, reply["error"]["name"]) == (507, "disk_full")
    assert learned > 0
    assert server.ask("/predict?keep=false", {"size": 0.5})[0] == 200
    assert server.ask("/ready")[1]["learn"] is False
    assert server.ask("/model")[1]["rows"] == learned
    server.kill()
    again = Served(tmp_path)
    assert again.ask("/model")[1]["rows"] == learned
    assert again.stop() == 0


def test_a_killed_server_loses_nothing_that_was_acknowledged_and_learns_nothing_twice(tmp_path):
    assert kill_servers(tmp_path, kills=2, seed=1).acknowledged > 0


@pytest.mark.long
def test_200_kills_at_random_moments_lose_nothing(tmp_path):
    assert kill_servers(tmp_path, kills=200, seed=2).acknowledged > 200
