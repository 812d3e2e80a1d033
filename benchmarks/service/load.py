"""Requests over connections that stay open, as fast as the server answers or at a given rate.

The client shares two cores with the server, so it does little: requests are made beforehand, and of
a reply only the status and the length are read.
"""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

JSON = "application/json"
ARROW = "application/vnd.apache.arrow.stream"


@dataclass
class Seen:
    """What a load has seen: the seconds of each reply, and the replies that were refusals."""

    seconds: list[float] = field(default_factory=list)
    refused: list[bytes] = field(default_factory=list)
    elapsed: float = 0.0

    @property
    def per_second(self) -> float:
        return len(self.seconds) / self.elapsed

    def percentile(self, share: float) -> float:
        return float(1e3 * np.percentile(self.seconds, share))


def requests(path: str, kind: str, bodies: Sequence[bytes]) -> list[bytes]:
    head = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: {kind}\r\nContent-Length: "
    return [f"{head}{len(body)}\r\n\r\n".encode() + body for body in bodies]


def closed(port: int, sent: Sequence[bytes], connections: int, seconds: float) -> Seen:
    """Send on each connection the next request as soon as the reply is there."""
    return asyncio.run(_closed(port, sent, connections, seconds))


async def _closed(port: int, sent: Sequence[bytes], connections: int, seconds: float) -> Seen:
    seen = Seen()
    supply = itertools.cycle(sent)
    began = time.perf_counter()
    end = began + seconds

    async def run() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while time.perf_counter() < end:
            await _one(reader, writer, next(supply), seen, time.perf_counter())
        writer.close()

    await asyncio.gather(*(run() for _ in range(connections)))
    seen.elapsed = time.perf_counter() - began
    return seen


def at_rate(port: int, sent: Sequence[bytes], rate: float, seconds: float) -> Seen:
    """Send so many requests a second, whether the server has answered or not.

    The time of a reply is counted from the moment at which the request was due.
    """
    return asyncio.run(_at_rate(port, sent, rate, seconds))


async def _at_rate(port: int, sent: Sequence[bytes], rate: float, seconds: float) -> Seen:
    seen = Seen()
    supply: Iterator[bytes] = itertools.cycle(sent)
    free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []
    began = time.perf_counter()
    waiting: set[asyncio.Task[None]] = set()

    async def one(due: float) -> None:
        # The server closes connections that nobody has used for some seconds.
        while free and free[-1][0].at_eof():
            free.pop()[1].close()
        pair = free.pop() if free else await asyncio.open_connection("127.0.0.1", port)
        await _one(*pair, next(supply), seen, due)
        free.append(pair)

    for number in range(int(rate * seconds)):
        due = began + number / rate
        await asyncio.sleep(max(due - time.perf_counter(), 0.0))
        task = asyncio.create_task(one(due))
        waiting.add(task)
        task.add_done_callback(waiting.discard)
    await asyncio.gather(*waiting)
    seen.elapsed = time.perf_counter() - began
    for _, writer in free:
        writer.close()
    return seen


async def _one(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    request: bytes,
    seen: Seen,
    due: float,
) -> None:
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    place = head.lower().index(b"content-length: ") + 16
    body = await reader.readexactly(int(head[place : head.index(b"\r", place)]))
    if head[9:12] == b"200":
        seen.seconds.append(time.perf_counter() - due)
    else:
        seen.refused.append(body)
