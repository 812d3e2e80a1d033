"""Servers in processes of their own."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.isolation import ENVIRONMENT_OF_COMMANDS
from benchmarks.service.rows import TARGET

COMMAND = str(Path(sysconfig.get_path("scripts"), "sgtrees"))


class Server:
    """``sgtrees serve`` on a free port."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.folder = folder
        self.began = time.perf_counter()
        with (folder / "serve.txt").open("wb") as log:
            self.process = subprocess.Popen(
                [
                    COMMAND, "serve", "m.sgt", "--port=0",
                    f"--target={TARGET}", "--task=classification", *options,
                ],
                cwd=folder, stdout=log, stderr=log, env=ENVIRONMENT_OF_COMMANDS,
            )  # fmt: skip
        self.port = self._port()

    def _port(self) -> int:
        while self.process.poll() is None:
            found = re.search(rb"at http://\S+:(\d+);", (self.folder / "serve.txt").read_bytes())
            if found:
                return int(found[1])
            time.sleep(0.005)
        raise RuntimeError((self.folder / "serve.txt").read_text())

    def ask(self, path: str) -> Any:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path)
        text = connection.getresponse().read().decode()
        connection.close()
        return json.loads(text) if text.startswith("{") else text

    def ready(self) -> float:
        """Return the seconds from the start of the process to the first answer."""
        while True:
            with contextlib.suppress(OSError):
                self.ask("/ready")
                return time.perf_counter() - self.began
            time.sleep(0.005)

    def memory(self) -> float:
        """Return the resident memory in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s*(\d+) kB", status)
        assert found is not None
        return int(found[1]) / 1024

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(120)


@contextlib.contextmanager
def peers() -> Iterator[int]:
    """The port of the empty handler and of river's tree."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.service.peers"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        port = int(process.stdout.readline())
        time.sleep(1.0)
        yield port
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
