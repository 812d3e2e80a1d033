"""``sgtrees train`` from Redis and Kafka, killed and resumed."""

import contextlib
import json
import random
import signal
import threading
import time

import pytest

from sgtrees.streams.brokers.addresses import read_address
from tests.e2e.command import run, run_here, start
from tests.unit.streams.brokers.servers import KafkaCluster, RedisServer, needs_redis, rows


@pytest.fixture(scope="module")
def redis_server(tmp_path_factory):
    server = RedisServer(tmp_path_factory.mktemp("redis")).start()
    yield server
    server.stop()


@pytest.fixture
def other_server(tmp_path):
    server = RedisServer(tmp_path).start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def kafka_cluster():
    return KafkaCluster()


def train(address, *words):
    return ["train", address, "--target", "label", "--model", "m.sgt", *words]


def feed(server, name, ended):
    """Add rows now and then, while the training lives."""
    n_rows = server.client.xlen(name)
    for _ in range(10):
        if ended.wait(0.1):
            return
        server.add(name, rows(150, n_rows))
        n_rows += 150


def kill_at_random(folder, server, name, choice, words):
    """Start a training, add rows meanwhile, and kill it."""
    ended = threading.Event()
    feeding = threading.Thread(target=feed, args=(server, name, ended))
    known = set((folder / "ck").glob("checkpoint-*"))
    with (folder / "killed.txt").open("wb") as log:
        training = start(folder, *words, stdout=log, stderr=log)
        feeding.start()
        try:
            # Most kills are to strike while rows are learned, not while modules are imported.
            deadline = time.monotonic() + 300
            while set((folder / "ck").glob("checkpoint-*")) <= known:
                assert training.poll() is None, (folder / "killed.txt").read_text()
                assert time.monotonic() < deadline
                time.sleep(0.01)
            time.sleep(choice.uniform(0.0, 0.4))
        finally:
            training.kill()
            assert training.wait() == -signal.SIGKILL
            ended.set()
            feeding.join()


def kill_trainings(folder, server, name, kills):
    choice = random.Random(kills)
    server.add(name, rows(1_500))
    out = f"{name}-out"
    words = train(
        server.address(name),
        "--checkpoint=ck",
        "--checkpoint-seconds=0",
        "--resume",
        f"--predictions={server.address(out)}",
    )
    for _ in range(kills):
        kill_at_random(folder, server, name, choice, words)
    done = run(folder, *words, "--idle=1")
    assert done.returncode == 0, done.stderr
    whole = run_here(
        folder, "train", server.address(name), "-t", "label", "-m", "w.sgt", "--idle=1"
    )
    assert whole.returncode == 0, whole.stderr
    assert (folder / "m.sgt").read_bytes() == (folder / "w.sgt").read_bytes()
    check_predictions(server, name, out)


def check_predictions(server, name, out):
    """No prediction is missing, and one that was made again is the same."""
    given = {}
    for key, sent in server.texts(out):
        assert given.setdefault(key, sent) == sent
    entries = server.client.execute_command("XRANGE", name, "-", "+")
    # There is none for the very first row, of which the model knew nothing.
    assert list(given) == [entry.decode() for entry, _ in entries][1:]


@needs_redis
def test_a_training_from_redis_survives_a_few_kills(tmp_path, redis_server):
    kill_trainings(tmp_path, redis_server, "few", 4)


@needs_redis
@pytest.mark.long
def test_a_training_from_redis_survives_100_kills(tmp_path, redis_server):
    kill_trainings(tmp_path, redis_server, "many", 100)


@needs_redis
def test_sigterm_saves_the_model_and_resume_continues(tmp_path, redis_server):
    redis_server.add("ended", rows(2_000))
    address = redis_server.address("ended")
    training = start(tmp_path, *train(address, "--checkpoint=ck", "--checkpoint-seconds=0", "-q"))
    while not (tmp_path / "ck").exists() or not list((tmp_path / "ck").glob("checkpoint-*2000.*")):
        assert training.poll() is None
        time.sleep(0.05)
    training.terminate()
    assert training.wait(60) == 143
    redis_server.add("ended", rows(500, 2_000))
    done = run_here(tmp_path, *train(address, "--resume", "--idle=0.5", "--json"))
    found = json.loads(done.stdout)
    assert (found["first_row"], found["rows"], found["lag"]) == (2_000, 500, 0)
    again = run_here(tmp_path, *train(address, "--resume", "--idle=0.5"))
    assert again.returncode == 0


@needs_redis
def test_files_and_streams_give_the_same_model(tmp_path, redis_server):
    redis_server.add("same", rows(3_000))
    lines = "\n".join(map(json.dumps, rows(3_000)))
    (tmp_path / "same.ndjson").write_text(lines)
    options = ["--target=label", "--task=classification", "--quiet"]
    run_here(tmp_path, "train", redis_server.address("same"), "-m", "a.sgt", "--idle=0.5", *options)
    run_here(tmp_path, "train", "same.ndjson", "-m", "b.sgt", *options)
    for model in ("a", "b"):
        run_here(tmp_path, "export", f"{model}.sgt", "--to=json", "-o", f"{model}.json")
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@needs_redis
def test_predictions_that_did_not_arrive_are_sent_when_the_training_resumes(
    tmp_path, redis_server, other_server
):
    redis_server.add("source", rows(1_200))
    broken = other_server
    out = broken.address("out")
    words = train(redis_server.address("source"), "--idle=0.5", f"--predictions={out}")
    done = run_here(tmp_path, *words)
    assert done.returncode == 0, done.stderr
    assert len(broken.texts("out")) == 1_199
    # Memory that is full refuses what is written.
    broken.client.config_set("maxmemory", "1")
    redis_server.add("source", rows(300, 1_200))
    done = run_here(tmp_path, *words, "--resume")
    assert done.returncode == 3
    assert "redis stream out" in done.stderr
    broken.client.config_set("maxmemory", "0")
    redis_server.add("source", rows(5, 1_500))
    done = run_here(tmp_path, *words, "--resume")
    assert done.returncode == 0, done.stderr
    check_predictions_of_both(redis_server, broken)


def check_predictions_of_both(source, sink):
    entries = source.client.execute_command("XRANGE", "source", "-", "+")
    keys = [entry.decode() for entry, _ in entries][1:]
    assert [key for key, _ in sink.texts("out")] == keys


def test_kafka_in_and_out(tmp_path, kafka_cluster):
    kafka_cluster.add("flights", rows(1_000))
    address, out = kafka_cluster.address("flights"), kafka_cluster.address("predicted")
    words = train(address, "--idle=2", f"--predictions={out}", "--json")
    done = run(tmp_path, *words, "--limit=600")
    assert json.loads(done.stdout)["lag"] == 400, done.stderr
    done = run(tmp_path, *words, "--resume")
    assert json.loads(done.stdout)["rows"] == 400, done.stderr
    sent = run_here(tmp_path, "predict", out, "-m", "m.sgt", "--idle=2")
    assert sent.returncode == 3  # they have no feature of the model, but they are there
    assert "prediction" in sent.stderr


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--shuffle=100"], "--shuffle is for files"),
        (["--epochs=2"], "--epochs is for files"),
        (["--dask=local"], "--dask is for files"),
        (["--broker-option=timeout"], "is not NAME=VALUE"),
        (["b.csv"], "one address and no files"),
    ],
)
def test_what_does_not_go_with_a_stream_is_refused(tmp_path, words, what):
    done = run_here(tmp_path, *train("redis://localhost:1/a", *words))
    assert done.returncode in (2, 3)
    assert what in " ".join(done.stderr.split())


def test_predictions_need_a_stream(tmp_path):
    (tmp_path / "a.csv").write_text("a,label\n1,x\n2,y\n")
    done = run_here(tmp_path, *train("a.csv", "--predictions=redis://localhost/out"))
    assert done.returncode == 2
    assert "goes with rows of Kafka or Redis" in " ".join(done.stderr.split())


def test_a_password_is_in_no_message():
    with contextlib.suppress(ValueError):
        read_address("redis://ann:secret@")
    address = read_address("redis://ann:secret@localhost/flights")
    assert "secret" not in address.source
