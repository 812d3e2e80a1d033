"""A server under load that is killed again and again (not a test by itself).

``python -m tests.e2e.killed_servers --kills 200 --seed 0`` prints what it saw as JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from sgtrees.serve.limits import Limits
from sgtrees.serve.records import Record
from sgtrees.serve.served_model import ServedModel
from sgtrees.serve.state_folder import StateFolder
from sgtrees.serve.write_ahead_log import WriteAheadLog
from tests.e2e.served import Served, ask
from tests.unit.serve.running import events_of, same

NEW = ("--target", "kind", "--task", "classification", "--checkpoint-seconds", 1)


@dataclass(frozen=True)
class Seen:
    """How often the server was killed, and what became of the requests.

    `repeated` counts those that a client sent again, as the reply was lost, and that had been
    learned; `slowest_start` is in seconds.
    """

    kills: int
    acknowledged: int
    repeated: int
    rows: int
    slowest_start: float


class Client(threading.Thread):
    """Learns rows one after the other; repeats what was not acknowledged, under the same id."""

    def __init__(self, name: str, port: Callable[[], int]) -> None:
        super().__init__()
        self.label, self.port = name, port
        self.acknowledged: list[str] = []
        self.wrong: list[object] = []
        self.repeated = 0
        self.number = 0
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.is_set():
            connection = http.client.HTTPConnection("127.0.0.1", self.port(), timeout=10)
            lost = contextlib.suppress(OSError, http.client.HTTPException)
            with contextlib.closing(connection), lost:
                self.learn_until_lost(connection)
            time.sleep(0.02)

    def learn_until_lost(self, connection: http.client.HTTPConnection) -> None:
        while not self.stopped.is_set():
            request = f"{self.label}-{self.number}"
            # Some are so long that the thread learns them, and not the loop.
            n_rows = 300 if self.number % 20 == 19 else 1 + self.number % 3 * 4
            events = events_of(range(self.number, self.number + n_rows))
            status, reply = ask(connection, "/learn", events, Idempotency_Key=request)
            if status != 200 or reply["learned"] + reply["repeated"] != len(events):
                self.wrong.append(reply)
                return
            self.repeated += reply["repeated"] > 0
            self.acknowledged.append(request)
            self.number += 1


def kill_servers(folder: Path, kills: int, seed: int) -> Seen:
    """Kill a server under load again and again; check that nothing is lost or learned twice."""
    chance = random.Random(seed)
    server = Served(folder, *NEW)
    clients = [Client(f"c{number}", lambda: server.port) for number in range(4)]
    slowest = 0.0
    for client in clients:
        client.start()
    try:
        for _ in range(kills):
            time.sleep(chance.uniform(0.05, 0.8))
            server.kill()
            began = time.perf_counter()
            server = Served(folder)
            slowest = max(slowest, time.perf_counter() - began)
        time.sleep(0.2)
    finally:
        for client in clients:
            client.stopped.set()
        for client in clients:
            client.join()
    server.kill()
    assert [reply for client in clients for reply in client.wrong] == []
    acknowledged = [request for client in clients for request in client.acknowledged]
    rows = check_log(folder, acknowledged)
    repeated = sum(client.repeated for client in clients)
    return Seen(kills, len(acknowledged), repeated, rows, slowest)


def check_log(folder: Path, acknowledged: list[str]) -> int:
    """Compare the log and the model with what was acknowledged; return the rows of the model."""
    state = StateFolder(folder / "m.sgt.state", lambda: None, Limits())
    records = [Record.decoded(text) for _, text in WriteAheadLog(state.log.folder).read(0)]
    ids = [record.id for record in records]
    assert len(ids) == len(set(ids)), "something was learned twice"
    assert set(acknowledged) <= set(ids), "something that was acknowledged is lost"
    whole = ServedModel(state.model.estimator.__class__(max_memory="80MB"), "kind")
    for record in records:
        whole.learn(record.rows)
    assert same(state.model, whole)
    state.close()
    return whole.rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        seen = kill_servers(Path(folder), given.kills, given.seed)
        sys.stdout.write(json.dumps(asdict(seen)) + "\n")


if __name__ == "__main__":
    main()
