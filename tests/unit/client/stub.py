"""A server that answers as it is told, and remembers what it was asked."""

from __future__ import annotations

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LOST = object()
"""An answer: the connection is closed without a reply."""


@contextlib.contextmanager
def stub(*answers):
    """Give the URL and the list of requests; each answer is (status, document, headers) or LOST."""
    waiting, asked = list(answers), []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            asked.append((self.path, dict(self.headers), body))
            answer = waiting.pop(0)
            if answer is LOST:
                self.close_connection = True
                return
            status, document, headers = (*answer, {})[:3]
            text = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(status)
            for name, value in ({"Content-Length": str(len(text))} | headers).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST  # noqa: N815 - as http.server calls it

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
