"""Rows of Redis against the same rows in a file: read, and learned.

Kafka is not measured: librdkafka's mock of a cluster keeps no more than some megabytes.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import redis

from benchmarks.service.rows import TARGET, as_json, table
from sgtrees import SGTClassifier
from sgtrees.streams import open_stream


def measure(n_rows: int, turns: int) -> dict[str, float]:
    """Rows a second of the wall clock for each source, the best of several turns."""
    lines = as_json(table(n_rows))
    with tempfile.TemporaryDirectory() as name:
        path = Path(name, "rows.ndjson")
        path.write_bytes(b"\n".join(lines) + b"\n")
        with _redis(Path(name), lines) as of_redis:
            sources = {"NDJSON": str(path), "Redis": of_redis}
            best = dict.fromkeys(sources, 0.0)
            for _ in range(turns):
                for source, address in sources.items():
                    best[source] = max(best[source], _speed(address, n_rows))
    return best


def _speed(address: str, n_rows: int) -> float:
    stream = open_stream(address, TARGET)
    model = SGTClassifier()
    began = time.perf_counter()
    # Streams of brokers have no end.
    for block in stream.head(n_rows).prefetch():
        model.partial_fit(block.X, block.y)
    return n_rows / (time.perf_counter() - began)


@contextmanager
def _redis(folder: Path, lines: list[bytes]) -> Iterator[str]:
    server = shutil.which("redis-server")
    if server is None:
        raise RuntimeError("redis-server is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [server, "--port", str(port), "--save", "", "--dir", str(folder)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL)
    try:
        client = redis.Redis(port=port)
        _until(client.ping)
        pipeline = client.pipeline(transaction=False)
        for number, line in enumerate(lines):
            pipeline.execute_command("XADD", "rows", "*", "data", line)
            if number % 10_000 == 0:
                pipeline.execute()
        pipeline.execute()
        yield f"redis://127.0.0.1:{port}/rows"
    finally:
        process.terminate()
        process.wait()


def _until(question: Callable[[], object]) -> None:
    for _ in range(200):
        try:
            question()
        except redis.ConnectionError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("redis-server does not answer")
