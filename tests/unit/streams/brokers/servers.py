"""Brokers for tests: a Redis server of its own, and librdkafka's mock cluster."""

from __future__ import annotations

import contextlib
import json
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import redis
from confluent_kafka import Producer

SERVER = shutil.which("redis-server")
needs_redis = pytest.mark.skipif(SERVER is None, reason="redis-server is not installed")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@dataclass
class RedisServer:
    """A server on a free port, which keeps nothing on the disk."""

    folder: Path
    port: int = field(default_factory=_free_port)
    process: Any = None

    def start(self) -> RedisServer:
        words = ["--port", self.port, "--save", "", "--bind", "127.0.0.1", "--dir", self.folder]
        self.process = subprocess.Popen(
            [str(SERVER), *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            with contextlib.suppress(redis.ConnectionError):
                self.client.ping()
                return self
            time.sleep(0.05)
        raise AssertionError("redis-server did not start")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()

    @property
    def client(self) -> Any:
        return redis.Redis(port=self.port, protocol=2)

    def address(self, name: str) -> str:
        return f"redis://127.0.0.1:{self.port}/{name}"

    def add(self, name: str, payloads) -> None:
        """Add entries whose only field is a payload: bytes, or a row for JSON."""
        pipeline = self.client.pipeline(transaction=False)
        for payload in payloads:
            pipeline.execute_command("XADD", name, "*", "data", as_payload(payload))
        pipeline.execute()

    def texts(self, name: str) -> list[tuple[str, dict[str, Any]]]:
        """The keys and the JSON of entries that were written."""
        entries = self.client.execute_command("XRANGE", name, "-", "+")
        return [(fields[b"key"].decode(), json.loads(fields[b"data"])) for _, fields in entries]


class KafkaCluster:
    """librdkafka's mock of a broker: its topics have four partitions."""

    def __init__(self) -> None:
        self.producer = Producer({"test.mock.num.brokers": 1, "log_level": 0})
        broker = next(iter(self.producer.list_topics(timeout=30).brokers.values()))
        self.servers = f"{broker.host}:{broker.port}"

    def address(self, name: str) -> str:
        return f"kafka://{self.servers}/{name}"

    def add(self, name: str, payloads, partition: int | None = 0) -> None:
        where = {} if partition is None else {"partition": partition}
        for payload in payloads:
            self.producer.produce(name, value=as_payload(payload), **where)
        assert self.producer.flush(30) == 0


def as_payload(payload: Any) -> bytes | None:
    return json.dumps(payload).encode() if isinstance(payload, dict) else payload


def rows(n: int, first: int = 0) -> list[dict[str, Any]]:
    """Rows to learn: the target follows from the others."""
    return [
        {"size": i % 17 + 0.5, "colour": "rgb"[i % 3], "label": "ab"[i % 17 > 8]}
        for i in range(first, first + n)
    ]
