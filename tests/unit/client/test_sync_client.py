"""A request is repeated with the same bytes and id, as long as that may help, and no longer."""

import socket
import time

import pytest

from sgtrees.client import (
    Client,
    ClientError,
    ConflictError,
    NotAllowedError,
    OverloadedError,
    RefusedError,
    ServerError,
    UnknownIdError,
    UnreachableError,
)
from tests.unit.client.stub import LOST, stub

DONE = (200, {"learned": 1, "repeated": 0, "model_rows": 1})
ROW = {"size": 3.5, "kind": "apple"}


def refused(status, name="reason", **headers):
    error = {"error": {"name": name, "message": "the server's sentence"}}
    return status, error, {key.replace("_", "-"): value for key, value in headers.items()}


@pytest.mark.parametrize(
    "first",
    [LOST, refused(429, Retry_After="0"), refused(503), (502, b"<html>bad gateway</html>")],
    ids=["lost", "overloaded", "starting", "proxy"],
)
@pytest.mark.parametrize("method", ["learn", "learn_predict", "label"])
def test_what_may_succeed_is_repeated_under_the_same_id(first, method):
    arguments = ["a", "apple"] if method == "label" else [ROW]
    with stub(first, first, DONE) as (url, asked), Client(url) as client:
        assert getattr(client, method)(*arguments).learned == 1
    assert len(asked) == 3
    assert len({headers["Idempotency-Key"] for _, headers, _ in asked}) == 1
    assert len({body for _, _, body in asked}) == 1


def test_calls_have_different_ids_and_connections_are_used_again():
    with stub(DONE, DONE) as (url, asked), Client(url) as client:
        client.learn(ROW)
        client.learn(ROW)
        assert len(client._connections._idle) == 1
    assert len({headers["Idempotency-Key"] for _, headers, _ in asked}) == 2


def test_rows_that_wait_have_the_same_ids_in_every_attempt():
    reply = (200, {"predictions": ["apple"], "ids": ["x"]})
    with stub(LOST, reply) as (url, asked), Client(url) as client:
        assert client.predict({"size": 3.5}).ids == ["x"]
    assert asked[0][2] == asked[1][2]
    assert b'"@id"' in asked[0][2]


def test_retry_after_is_obeyed_and_too_long_a_wait_is_not_begun():
    with stub(refused(429, Retry_After="1"), DONE) as (url, _), Client(url) as client:
        began = time.monotonic()
        client.learn(ROW)
        assert time.monotonic() - began >= 1.0
    with stub(refused(429, Retry_After="100")) as (url, _), Client(url) as client:
        began = time.monotonic()
        with pytest.raises(OverloadedError, match="the server's sentence") as raised:
            client.learn(ROW)
        assert raised.value.retry_after == 100.0
        assert time.monotonic() - began < 10


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (refused(422), RefusedError),
        (refused(401), NotAllowedError),
        (refused(403), NotAllowedError),
        (refused(404, "unknown_id"), UnknownIdError),
        (refused(409), ConflictError),
        (refused(500), ServerError),
        (refused(507), ServerError),
        ((200, b"<html>a page</html>"), ClientError),
        ((200, {"something": "else"}), ClientError),
    ],
)
def test_what_will_not_succeed_is_a_type_with_the_servers_sentence(answer, kind):
    with (
        stub(answer) as (url, asked),
        Client(url) as client,
        pytest.raises(ClientError) as raised,
    ):
        client.learn(ROW)
    assert isinstance(raised.value, kind)
    assert raised.value.status == answer[0]
    assert len(asked) == 1
    if isinstance(answer[1], dict) and "error" in answer[1]:
        assert "the server's sentence" in str(raised.value)
        assert raised.value.name == answer[1]["error"]["name"]


def test_each_role_has_its_token():
    answers = [(200, {"predictions": ["a"]}), DONE, (200, {"rows": 1})]
    tokens = {"predict": "p" * 16, "learn": "l" * 16}
    with stub(*answers) as (url, asked), Client(url, token=tokens) as client:
        client.predict(ROW, keep=False)
        client.learn(ROW)
        client.model()
    given = [headers["Authorization"][7] for _, headers, _ in asked]
    assert given == ["p", "l", "p"]


def test_a_silent_server_is_given_up_after_the_timeout():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/behind/a/proxy"
        client = Client(url, timeout=0.2, retry_seconds=0.1)
        with pytest.raises(UnreachableError, match="timed out"):
            client.learn(ROW)


def test_health_is_an_answer_also_if_nothing_can_be_learned():
    reply = {"predict": True, "learn": False, "reason": "learning has stopped"}
    with stub((503, reply)) as (url, asked), Client(url) as client:
        assert client.health().reason == "learning has stopped"
    assert asked[0][0] == "/ready"


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "ftp://host", "http://"])
def test_a_wrong_url_is_named(url):
    with pytest.raises(ValueError, match="is no URL like"):
        Client(url)
