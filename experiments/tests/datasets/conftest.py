"""The server of downloads; downloads are kept in a cache of the test's own."""

import http.server
import threading

import pytest

from experiments.tests.datasets.songs import Server


@pytest.fixture(autouse=True)
def own_cache(cache):
    return cache


@pytest.fixture(scope="module")
def address():
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
