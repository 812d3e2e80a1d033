"""A served model: TLS, rows that wait through a kill, and predictions while a block is learned."""

from __future__ import annotations

import http.client
import itertools
import shutil
import ssl
import subprocess
import sys
import threading
import time
from importlib.util import find_spec

import pyarrow as pa
import pytest

from tests.e2e.served import Served, ask
from tests.unit.serve.running import events_of

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="processes are sent signals"),
    pytest.mark.skipif(find_spec("starlette") is None, reason="needs the extra 'serve'"),
]

ARROW = "application/vnd.apache.arrow.stream"
NEW = ("--target", "kind", "--task", "classification")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl to make a certificate")
def test_the_server_itself_speaks_tls(tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
         "-keyout", str(key), "-out", str(certificate)],
        check=True, capture_output=True,
    )  # fmt: skip
    server = Served(tmp_path, *NEW, "--tls-certificate", certificate, "--tls-key", key)
    trust = ssl.create_default_context(cafile=str(certificate))
    connection = http.client.HTTPSConnection("localhost", server.port, timeout=30, context=trust)
    status, reply = ask(connection, "/learn_predict", events_of(range(3)))
    connection.close()
    assert (status, reply["learned"]) == (200, 3)
    # Who speaks HTTP without TLS is not answered.
    with pytest.raises((OSError, http.client.HTTPException)):
        server.ask("/health")
    assert server.stop() == 0


def test_a_certificate_that_is_none_is_refused(tmp_path):
    (tmp_path / "none.pem").write_text("nothing")
    with pytest.raises(AssertionError, match="TLS certificate or key cannot be used"):
        Served(tmp_path, *NEW, "--tls-certificate", "none.pem", "--tls-key", "none.pem")


def test_rows_wait_for_their_labels_through_a_kill(tmp_path):
    server = Served(tmp_path, *NEW)
    server.ask("/learn", events_of(range(100)))
    assert server.ask("/predict", {"size": 0.1, "@id": "mine"})[0] == 200
    assert server.ask("/predict", {"size": 0.9, "@id": "known"})[0] == 200
    assert server.ask("/labels", {"id": "known", "label": "b"})[1]["learned"] == 1
    server.kill()
    server = Served(tmp_path)
    assert server.ask("/labels", {"id": "mine", "label": "a"})[1]["learned"] == 1
    again = server.ask("/labels", {"id": "known", "label": "b"})[1]
    assert (again["learned"], again["repeated"]) == (0, 1)
    assert server.ask("/model")[1]["rows"] == 102
    assert server.stop() == 0


def test_predictions_do_not_wait_until_a_large_request_is_learned(tmp_path):
    # A leaf looks for a split at every second row: learning takes far longer than reading, in which
    # predictions are answered anyway.
    server = Served(tmp_path, *NEW, "--grace-period=2", "--grace-growth=0")
    server.ask("/learn", events_of(range(1000)))
    many = as_arrow(events_of(range(100_000)))
    spans: list[tuple[float, float]] = []

    def learn():
        for _ in range(3):
            asked = time.monotonic()
            assert server.ask("/learn", many, kind=ARROW)[0] == 200
            spans.append((asked, time.monotonic()))

    connection = server.connect()
    learner = threading.Thread(target=learn)
    learner.start()
    answered = []
    while learner.is_alive():
        assert ask(connection, "/predict?keep=false", {"size": 0.5, "colour": "r"})[0] == 200
        answered.append(time.monotonic())
    learner.join()
    connection.close()
    assert server.stop() == 0
    assert len(spans) == 3, "learning failed"
    # If predictions waited, most of the time of each request would pass between two of them.
    assert min(longest_pause(answered, *span) for span in spans) < 0.5


def longest_pause(moments, first, last):
    """Return the longest time without one of the moments, as a share of a span of time."""
    within = [first, *(moment for moment in moments if first < moment < last), last]
    return max(after - before for before, after in itertools.pairwise(within)) / (last - first)


def as_arrow(events):
    table = pa.Table.from_pylist(events)
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()
