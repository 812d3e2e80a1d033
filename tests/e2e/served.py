"""A server process, and requests to it."""

from __future__ import annotations

import http.client
import json
import re
import signal
import subprocess
from pathlib import Path

from tests.e2e.command import start


class Served:
    """``sgtrees serve`` in a process of its own, on a free port."""

    def __init__(
        self, folder: Path, *options: object, model: str | None = "m.sgt", port=0, **settings
    ):
        named = [] if model is None else [model]
        self.errors = folder / f"errors-{model}.txt"
        with self.errors.open("wb") as errors:
            self.process = start(
                folder, "serve", *named, f"--port={port}", *options, stderr=errors, **settings
            )
        self.port = self._port()

    def _port(self) -> int:
        while self.process.poll() is None:
            found = re.search(rb"at https?://\S+:(\d+);", self.said())
            if found:
                return int(found[1])
            try:
                self.process.wait(0.02)
            except subprocess.TimeoutExpired:
                continue
        raise AssertionError(self.said().decode())

    def said(self) -> bytes:
        return self.errors.read_bytes()

    def connect(self) -> http.client.HTTPConnection:
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)

    def ask(self, path, document=None, *, method=None, kind="application/json", **headers):
        """Return the status and the reply, read as JSON if it is."""
        connection = self.connect()
        try:
            return ask(connection, path, document, method=method, kind=kind, **headers)
        finally:
            connection.close()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(60)


def ask(connection, path, document=None, *, method=None, kind="application/json", **headers):
    body = document
    if document is not None and not isinstance(document, bytes):
        body = json.dumps(document).encode()
    names = {"Content-Type": kind} | {
        name.replace("_", "-"): value for name, value in headers.items()
    }
    connection.request(method or ("GET" if document is None else "POST"), path, body, names)
    reply = connection.getresponse()
    text = reply.read()
    if reply.headers.get("content-type") == "application/json":
        return reply.status, json.loads(text)
    return reply.status, text.decode()
