import pytest

from sgtrees.streams.brokers import broker_stream
from tests.unit.streams.brokers.servers import SERVER, KafkaCluster, RedisServer


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    if SERVER is None:
        pytest.skip("redis-server is not installed")
    server = RedisServer(tmp_path_factory.mktemp("redis")).start()
    yield server
    server.stop()


@pytest.fixture(scope="session")
def kafka_cluster():
    return KafkaCluster()


@pytest.fixture(autouse=True)
def short_waits(monkeypatch):
    """All events are there when a test begins."""
    monkeypatch.setattr(broker_stream, "_SECONDS_PER_READ", 0.2)


@pytest.fixture(params=["redis", "kafka"])
def broker(request):
    """A broker of either kind, with the same methods."""
    fixtures = {"redis": "redis_server", "kafka": "kafka_cluster"}
    return request.getfixturevalue(fixtures[request.param])


@pytest.fixture
def name(request):
    """A topic of this test alone."""
    return "".join(c if c.isalnum() else "-" for c in request.node.name)[-60:]
