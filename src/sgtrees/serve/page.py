"""The page at ``/``: its files, and what it is told every second."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Any

import numpy as np
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from sgtrees.serve.documentation import documentation
from sgtrees.serve.errors import RequestError
from sgtrees.serve.model_description import describe
from sgtrees.serve.monitoring import Monitoring
from sgtrees.serve.source import Source

_KINDS = {"page.html": "text/html", "page.css": "text/css", "page.js": "text/javascript"}
# Nothing from elsewhere, and nothing within the page but its own files.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
_SECONDS = 1.0
_MOST_READERS = 50


def page_routes() -> list[Route]:
    """Return the routes of the pages, which hold nothing of the model."""
    return [
        _file_route("/", "page.html"),
        *(_file_route(f"/{name}", name) for name in _KINDS),
        _route("/docs", documentation().encode(), "text/html"),
    ]


def _file_route(path: str, name: str) -> Route:
    content = files("sgtrees.serve").joinpath("assets", name).read_bytes()
    return _route(path, content, _KINDS[name])


def _route(path: str, content: bytes, kind: str) -> Route:
    headers = {
        "Content-Security-Policy": _POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-cache",
    }

    async def send(_: Request) -> Response:
        return Response(content, media_type=kind, headers=headers)

    return Route(path, send)


class Events:
    """What is told every second to those who look: server-sent events.

    Parameters
    ----------
    source : Source
        Where the model comes from.
    monitoring : Monitoring
        What is counted.
    """

    def __init__(self, source: Source, monitoring: Monitoring) -> None:
        self._source = source
        self._monitoring = monitoring
        self._is_ending = asyncio.Event()
        self._readers = 0

    def end(self) -> None:
        """End all streams: the server stops."""
        self._is_ending.set()

    def response(self) -> StreamingResponse:
        """Return the reply to a reader.

        Raises
        ------
        RequestError
            If there are too many.
        """
        if self._readers >= _MOST_READERS:
            raise RequestError(429, "too_many_readers", "too many pages are open", retry_after=10)
        headers = {"Cache-Control": "no-store"}
        return StreamingResponse(self._stream(), media_type="text/event-stream", headers=headers)

    async def _stream(self) -> AsyncIterator[str]:
        self._readers += 1
        try:
            before = self._counts()
            while not self._is_ending.is_set():
                document = await run_in_threadpool(self._now, before)
                before = self._counts()
                yield f"data: {json.dumps(document, allow_nan=False)}\n\n"
                try:
                    await asyncio.wait_for(self._is_ending.wait(), _SECONDS)
                except TimeoutError:
                    continue
        finally:
            self._readers -= 1

    def _counts(self) -> tuple[float, int, int, int]:
        seen = self._monitoring
        return time.monotonic(), seen.n_learned, seen.n_predicted, seen.n_requests

    def _now(self, before: tuple[float, int, int, int]) -> dict[str, Any]:
        now = self._counts()
        seconds = now[0] - before[0]
        learned, predicted, requests = (
            0.0 if seconds <= 0 else (later - earlier) / seconds
            for earlier, later in zip(before[1:], now[1:], strict=True)
        )
        latest = list(self._monitoring.latest_seconds)
        latency = 1e3 * np.percentile(latest, [50, 99]) if latest else np.zeros(2)
        return {
            "model": describe(self._source),
            "learned_per_second": learned,
            "predicted_per_second": predicted,
            "requests_per_second": requests,
            "latency_ms": latency.tolist(),
            "queued_rows": self._source.queued_rows,
            "reason": self._source.why_not_learning(),
            "refused": list(self._monitoring.refused),
        }
