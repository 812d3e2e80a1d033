"""A server that follows another one: it predicts with its checkpoints, and learns nothing."""

import shutil
import sys
import threading
import time
from importlib.util import find_spec

import pytest

from sgtrees.client import Client, NotAllowedError
from tests.e2e.command import run_here
from tests.e2e.served import Served
from tests.unit.serve.running import events_of

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="processes are sent signals"),
    pytest.mark.skipif(find_spec("starlette") is None, reason="needs the extra 'serve'"),
]

NEW = ("--target", "kind", "--task", "classification")
STATE = "m.sgt.state"


def until(condition):
    for _ in range(300):
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError("it did not happen")


def test_a_replica_takes_new_checkpoints_and_drops_no_request(tmp_path):
    learner = Served(tmp_path, *NEW)
    url = f"http://127.0.0.1:{learner.port}"
    replica = Served(tmp_path, "--follow", STATE, "--learner", url, model=None)
    replies, stopped = [], threading.Event()

    def ask_on():
        with Client(f"http://127.0.0.1:{replica.port}", retry_seconds=0) as client:
            while not stopped.is_set():
                replies.append(client.predict({"size": 0.9}, keep=False).predictions[0])

    asking = threading.Thread(target=ask_on)
    asking.start()
    try:
        assert learner.ask("/learn", events_of(range(1000)))[0] == 200
        assert learner.ask("/checkpoint", {})[0] == 200
        until(lambda: replica.ask("/model")[1]["rows"] == 1000)
        until(lambda: replies[-1] is not None)
    finally:
        stopped.set()
        asking.join()
    assert replies[0] is None, "nothing was learned then"
    model = replica.ask("/model")[1]
    assert (model["follows"], model["target"]) == (STATE, "kind")
    assert 0 <= model["checkpoint_age_seconds"] < 60
    metrics = replica.ask("/metrics")[1]
    assert "sgtrees_checkpoint_age_seconds" in metrics
    assert "sgtrees_learning 0.0" in metrics
    assert replica.ask("/ready")[1]["learn"] is False
    assert "<title>" in replica.ask("/")[1]
    features = [{"size": n / 10, "colour": "r"} for n in range(10)]
    both = [s.ask("/predict?keep=false", features)[1] for s in (learner, replica)]
    assert both[0] == both[1]
    assert "server that learns" in replica.ask("/predict", features)[1]["not_kept"]
    for path in ("/learn", "/learn_predict", "/labels", "/checkpoint"):
        status, reply = replica.ask(path, events_of([1]))
        assert (status, reply["error"]["name"]) == (403, "follower")
        assert url in reply["error"]["message"]
    with (
        Client(f"http://127.0.0.1:{replica.port}") as client,
        pytest.raises(NotAllowedError, match="only predicts"),
    ):
        client.learn(events_of([1]))
    learner.kill()
    assert replica.ask("/predict?keep=false", features)[1] == both[1]
    shutil.rmtree(tmp_path / STATE)
    time.sleep(1.5)
    assert replica.ask("/predict?keep=false", features)[1] == both[1]
    assert replica.stop() == 0


def test_a_second_learner_and_an_empty_folder_are_refused(tmp_path):
    learner = Served(tmp_path, *NEW)
    second = run_here(tmp_path, "serve", "m.sgt", *NEW, "--port", 0)
    assert second.returncode != 0
    assert "another process serves from m.sgt.state" in second.stderr
    empty = run_here(tmp_path, "serve", "--follow", "nowhere", "--port", 0)
    assert "has no checkpoints" in empty.stderr
    assert not (tmp_path / "nowhere").exists()
    both = run_here(tmp_path, "serve", "m.sgt", "--follow", STATE)
    assert "give MODEL, or --follow FOLDER" in both.stderr
    assert learner.stop() == 0
