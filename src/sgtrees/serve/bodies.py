"""The bodies of requests: read within limits of size and time."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any, TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from sgtrees.serve.errors import RequestError
from sgtrees.serve.limits import Limits
from sgtrees.serve.rows import FORMATS, Rows, read_rows

Result = TypeVar("Result")

# Up to this size a body is parsed at once, in about 0.1 ms; others by a thread, while the loop goes
# on. Rows in Arrow's format become no objects: what they take depends on their columns, and 900 of
# them take 1 ms.
_SMALL = 16_384
_SMALL_ARROW = 524_288


class Body:
    """A body and its format."""

    def __init__(self, content: bytes, kind: str, most_rows: int) -> None:
        self.content = content
        self.kind = kind
        self._most_rows = most_rows

    async def call(self, read: Callable[[bytes, str, int], Result], small: int = _SMALL) -> Result:
        """Parse it by a function; up to a size at once, so that nobody waits for a thread."""
        if len(self.content) <= small:
            return read(self.content, self.kind, self._most_rows)
        return await run_in_threadpool(read, self.content, self.kind, self._most_rows)

    async def rows(self) -> Rows:
        """Return its rows."""
        return await self.call(read_rows, _SMALL_ARROW if self.kind == "arrow" else _SMALL)


class Bodies:
    """The bodies that are being read; all of them together are limited too."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._bytes = 0

    @contextlib.asynccontextmanager
    async def read(self, request: Request) -> AsyncIterator[Body]:
        """Read a body; it counts until the context ends.

        Raises
        ------
        RequestError
            If its format is unknown, it is too large or too slow, or too many are being read.
        """
        kind = _format_of(request)
        self._check_length(request.headers.get("content-length"))
        parts: list[bytes] = []
        size = 0
        try:
            async with _timeout(self._limits.body_seconds):
                async for part in request.stream():
                    size += len(part)
                    self._bytes += len(part)
                    self._check_size(size)
                    parts.append(part)
            content = parts[0] if len(parts) == 1 else b"".join(parts)
            yield Body(content, kind, self._limits.request_rows)
        finally:
            self._bytes -= size

    def _check_length(self, given: Any) -> None:
        if given is not None and (not str(given).isdigit() or len(str(given)) > 15):
            raise RequestError(400, "bad_length", "the header Content-Length is no number")
        if given is not None:
            self._check_size(int(given))

    def _check_size(self, size: int) -> None:
        most = self._limits.body_bytes
        if size > most:
            raise RequestError(
                413, "body_too_large", f"a body may have {most:,} bytes; send several requests"
            )
        if self._bytes > self._limits.queue_bytes:
            raise RequestError(
                429, "too_many_bytes", "too many bodies are being read", retry_after=1
            )


def _format_of(request: Request) -> str:
    if request.headers.get("content-encoding", "identity") != "identity":
        raise RequestError(415, "compressed_body", "the body is compressed; send it without")
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media not in FORMATS:
        raise RequestError(
            415,
            "unknown_format",
            f"the Content-Type is {media[:100]!r}; rows are {', '.join(FORMATS)}",
        )
    return FORMATS[media]


@contextlib.asynccontextmanager
async def _timeout(seconds: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise RequestError(
            408, "slow_body", f"the body did not arrive within {seconds:g} s"
        ) from None
