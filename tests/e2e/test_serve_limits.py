"""What a server stands: bodies of a gigabyte, ten thousand connections, clients that are slow."""

import contextlib
import json
import re
import resource
import socket
import sys
import threading
import time
from pathlib import Path

import pytest

from tests.e2e.served import Served
from tests.unit.serve.running import events_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")

NEW = ("--target=kind", "--task=classification")
GIGABYTE = 1 << 30
MANY = 10_000


@pytest.fixture
def served(tmp_path):
    server = Served(tmp_path, *NEW, "--max-seconds=60")
    assert server.ask("/learn", events_of(range(400)))[0] == 200
    yield server
    # Whatever was sent, the server is alive and has learned nothing of it.
    status, reply = server.ask("/learn", events_of(range(3)))
    assert (status, reply["model_rows"]) == (200, 403)
    assert server.stop() == 0


def memory_of(server):
    """The resident memory in MB, at its highest."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmHWM:\s*(\d+) kB", status)[1]) / 1024


def head(path, more):
    lines = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", more]
    return "\r\n".join([*lines, "", ""]).encode()


@pytest.mark.parametrize("path", ["/learn", "/predict", "/labels"])
@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_of_a_gigabyte_is_refused_without_memory(served, path, is_chunked):
    before = memory_of(served)
    length = "Transfer-Encoding: chunked" if is_chunked else f"Content-Length: {GIGABYTE}"
    part = b" " * (1 << 20)
    if is_chunked:
        part = b"%x\r\n" % len(part) + part + b"\r\n"
    with socket.create_connection(("127.0.0.1", served.port), timeout=60) as client:
        client.sendall(head(path, length))
        # It is refused long before all of it was sent.
        with contextlib.suppress(OSError):
            for _ in range(1024):
                client.sendall(part)
        reply = b""
        with contextlib.suppress(OSError):
            reply = client.recv(1 << 16)
    # The connection may be reset before the reply could be read.
    assert reply == b"" or re.match(rb"HTTP/1.1 41[13] ", reply)
    assert memory_of(served) - before < 150


def test_clients_that_read_slowly_do_not_stop_the_others(served):
    rows = json.dumps([{"size": 0.5}] * 6_000).encode()
    request = head("/predict?keep=false", f"Content-Length: {len(rows)}")
    lazy = []
    for _ in range(20):
        client = socket.create_connection(("127.0.0.1", served.port))
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(request + rows)
        lazy.append(client)
    began = time.monotonic()
    for _ in range(20):
        assert served.ask("/predict?keep=false", {"size": 0.5})[0] == 200
    assert time.monotonic() - began < 20
    for client in lazy:
        client.close()


def test_ten_thousand_connections_are_refused_or_served_and_end(tmp_path):
    room = resource.getrlimit(resource.RLIMIT_NOFILE)
    if room[1] < MANY + 2_000:
        pytest.skip(f"a process may open {room[1]} files here")
    resource.setrlimit(resource.RLIMIT_NOFILE, (room[1], room[1]))
    server = Served(tmp_path, *NEW, "--max-seconds=60")
    server.ask("/learn", events_of(range(100)))
    before = memory_of(server)
    many = []
    for _ in range(MANY):
        client = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        many.append(client)
    # More than the limit are open; the next request is refused with a reason, not with a hang.
    status, _ = server.ask("/predict", {"size": 0.5})
    assert status == 503
    assert server.process.poll() is None
    assert memory_of(server) - before < 300
    for client in many[500:]:
        client.close()
    deadline = time.monotonic() + 60
    while server.ask("/predict", {"size": 0.5})[0] != 200:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    for client in many[:500]:
        client.close()
    assert server.ask("/model")[1]["rows"] == 100
    assert server.stop() == 0
    resource.setrlimit(resource.RLIMIT_NOFILE, room)


def test_requests_of_many_clients_that_vanish_are_learned_or_not_but_never_in_part(tmp_path):
    server = Served(tmp_path, *NEW)
    events = events_of(range(50))
    body = json.dumps(events).encode()
    request = head("/learn", f"Content-Length: {len(body)}") + body

    def vanish(length):
        with socket.create_connection(("127.0.0.1", server.port), timeout=60) as client:
            client.sendall(request[:length])

    threads = [
        threading.Thread(target=vanish, args=(length,))
        for length in (len(request), 100, len(request) // 2, len(request), len(request) - 1) * 6
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    deadline = time.monotonic() + 30
    while (rows := server.ask("/model")[1]["rows"]) == 0 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert rows % 50 == 0
    assert 0 < rows <= 12 * 50
    assert server.stop() == 0
