"""The way to the server: connections that are kept open and used again, by any thread."""

import contextlib
import http.client
import socket
import ssl
import threading
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from sgtrees.client.errors import UnreachableError
from sgtrees.version import VERSION

_LOST = (OSError, http.client.HTTPException)


class RawReply(NamedTuple):
    """A reply; the names of its headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class Connections:
    """Connections to one server.

    Parameters
    ----------
    url : str
        The server's URL; it may have a path, as behind a proxy.
    timeout : float
        How long to wait for the server to do anything, in seconds.
    tls : ssl.SSLContext, optional
        Whom to trust, for ``https``; by default those whom the system trusts.

    Raises
    ------
    ValueError
        If it is no such URL.
    """

    def __init__(self, url: str, timeout: float, tls: ssl.SSLContext | None = None) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise ValueError(f"{url!r} is no URL like http://127.0.0.1:8000")
        if not timeout > 0:
            raise ValueError(f"timeout == {timeout!r}, must be above 0.")
        self.url = url.rstrip("/")
        self._host, self._port = parts.hostname, parts.port
        self._path = parts.path.rstrip("/")
        self._timeout = timeout
        self._tls = (tls or ssl.create_default_context()) if parts.scheme == "https" else None
        self._idle: list[http.client.HTTPConnection] = []
        self._lock = threading.Lock()

    def exchange(
        self, method: str, path: str, body: bytes | None, headers: Mapping[str, str]
    ) -> RawReply:
        """Send a request and wait for its reply.

        Raises
        ------
        UnreachableError
            If none comes.
        """
        all_headers = {"User-Agent": f"sgtrees/{VERSION}", **headers}
        while True:
            connection, is_new = self._take()
            try:
                connection.request(method, self._path + path, body, all_headers)
                reply = connection.getresponse()
                content = reply.read()
            except _LOST as error:
                connection.close()
                # The server closes connections that nobody uses: such a one says nothing about it.
                if not is_new and not isinstance(error, TimeoutError):
                    continue
                reason = str(error) or type(error).__name__
                raise UnreachableError(f"{self.url} gave no reply: {reason}") from error
            except BaseException:
                connection.close()
                raise
            self._give_back(connection, reply)
            names = {name.lower(): value for name, value in reply.headers.items()}
            return RawReply(reply.status, names, content)

    def _take(self) -> tuple[http.client.HTTPConnection, bool]:
        with self._lock:
            if self._idle:
                return self._idle.pop(), False
        if self._tls is None:
            connection = http.client.HTTPConnection(self._host, self._port, timeout=self._timeout)
        else:
            connection = http.client.HTTPSConnection(
                self._host, self._port, timeout=self._timeout, context=self._tls
            )
        with contextlib.suppress(*_LOST):
            # A failure shows when the request is sent.
            connection.connect()
            _send_at_once(connection.sock)
        return connection, True

    def _give_back(self, connection: http.client.HTTPConnection, reply: Any) -> None:
        if reply.will_close:
            connection.close()
            return
        with self._lock:
            self._idle.append(connection)

    def close(self) -> None:
        """Close all connections that are not in use."""
        with self._lock:
            idle, self._idle = self._idle, []
        for connection in idle:
            connection.close()


def _send_at_once(connected: socket.socket) -> None:
    """Let headers and body not wait for each other."""
    connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
