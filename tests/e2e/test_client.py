"""A client's loop goes on while its server is killed and comes back."""

import asyncio
import socket
import sys
import threading
from importlib.util import find_spec

import pytest

from sgtrees.client import AsyncClient, Client, ClientError
from tests.e2e.served import Served
from tests.unit.serve.running import events_of

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="processes are sent signals"),
    pytest.mark.skipif(find_spec("starlette") is None, reason="needs the extra 'serve'"),
]

NEW = ("--target", "kind", "--task", "classification")


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def test_nothing_is_lost_or_learned_twice_while_the_server_dies_and_returns(tmp_path):
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    server = Served(tmp_path, *NEW, "--port", port)
    learned, repeated, labelled = 0, 0, 0
    half, failures = threading.Event(), []

    def loop():
        nonlocal learned, repeated, labelled
        try:
            with Client(url) as client:
                for number in range(300):
                    if number == 100:
                        half.set()
                    event = events_of([number])[0]
                    done = client.learn_predict(event)
                    learned += done.learned
                    repeated += done.repeated
                    if number % 10 == 0:
                        found = client.predict({"size": event["size"]})
                        after = client.label(found.ids[0], event["kind"])
                        labelled += after.learned + after.repeated
        except ClientError as error:
            failures.append(error)
            half.set()

    thread = threading.Thread(target=loop)
    thread.start()
    assert half.wait(60)
    server.kill()
    server = Served(tmp_path, "--port", port)
    thread.join(120)
    assert failures == []
    assert learned + repeated == 300
    assert labelled == 30
    with Client(url) as client:
        assert client.model()["rows"] == 330

    async def many():
        async with AsyncClient(url) as client:
            blocks = [events_of(range(start, start + 50)) for start in range(0, 500, 50)]
            replies = await asyncio.gather(*map(client.learn, blocks))
            return sum(reply.learned for reply in replies), await client.model()

    count, model = asyncio.run(many())
    assert (count, model["rows"]) == (500, 830)
    assert server.stop() == 0
