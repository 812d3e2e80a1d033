"""Rows of Redis and Kafka against the same rows in a file: read, and learned.

Redis is a server of its own. Kafka is librdkafka's mock of a cluster: a thread of this process,
which keeps no more than 5 MB in each of four partitions.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import redis
from confluent_kafka import Producer

from benchmarks.service.rows import TARGET, as_json, table
from sgtrees import SGTClassifier
from sgtrees.streams import open_stream

_MOST_OF_KAFKA = 80_000


@dataclass(frozen=True)
class Speed:
    """Rows a second of the wall clock, of a source and of the same rows in a file."""

    source: str
    n_rows: int
    rows: float
    ndjson: float


def measure(n_rows: int, turns: int) -> list[Speed]:
    """The best of several turns for each source."""
    lines = as_json(table(n_rows))
    few = lines[:_MOST_OF_KAFKA]
    with tempfile.TemporaryDirectory() as name:
        with _redis(Path(name), lines) as address:
            found = [_compared("Redis", address, lines, Path(name), turns)]
        with _kafka(few) as address:
            found.append(_compared("Kafka", address, few, Path(name), turns))
    return found


def _compared(source: str, address: str, lines: list[bytes], folder: Path, turns: int) -> Speed:
    path = folder / f"{source}.ndjson"
    path.write_bytes(b"\n".join(lines) + b"\n")
    found = [(_speed(address, len(lines)), _speed(str(path), len(lines))) for _ in range(turns)]
    return Speed(source, len(lines), max(one[0] for one in found), max(one[1] for one in found))


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


@contextmanager
def _kafka(lines: list[bytes]) -> Iterator[str]:
    producer = Producer({"test.mock.num.brokers": 1, "log_level": 0})
    broker = next(iter(producer.list_topics(timeout=30).brokers.values()))
    for number, line in enumerate(lines):
        producer.produce("rows", value=line, partition=number % 4)
        if number % 10_000 == 0:
            producer.flush(30)
    if producer.flush(30):
        raise RuntimeError("the mock cluster does not take all rows")
    yield f"kafka://{broker.host}:{broker.port}/rows"


def _until(question: Callable[[], object]) -> None:
    for _ in range(200):
        try:
            question()
        except redis.ConnectionError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("redis-server does not answer")
