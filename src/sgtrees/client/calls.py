"""The requests that both clients make."""

import json
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from sgtrees.client.bodies import Rows, body_of, has_ids, labels_body, row_count
from sgtrees.client.replies import (
    Health,
    Learned,
    Prediction,
    read_health,
    read_learned,
    read_prediction,
)

Reply = TypeVar("Reply")


@dataclass(frozen=True)
class Call(Generic[Reply]):
    """A request: the same bytes however often it is sent.

    Attributes
    ----------
    path : str
        Where it goes, below the server's URL.
    read : callable
        Reads the document of the reply.
    role : str or None
        Whose token it needs; None if any is good.
    body : bytes or None
        What is sent; a request without it is a GET.
    headers : mapping
        Those of its own.
    answers : tuple of int
        Statuses that are replies, not errors.
    may_repeat : bool
        Whether it is sent again if it does not succeed.
    """

    path: str
    read: Callable[[Any], Reply]
    role: str | None = None
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    answers: tuple[int, ...] = (200,)
    may_repeat: bool = True

    @property
    def method(self) -> str:
        """The method of HTTP."""
        return "GET" if self.body is None else "POST"


def predict_call(
    rows: Rows, ids: Sequence[str] | None, *, keep: bool, proba: bool
) -> Call[Prediction]:
    """Return a request to predict.

    Rows that wait for labels are named here, so that a repeated request does not keep them twice.
    """
    if ids is not None and not keep:
        raise ValueError("rows with ids wait for their labels: keep=True")
    if keep and ids is None and not has_ids(rows):
        ids = [secrets.token_urlsafe(12) for _ in range(row_count(rows))]
    body = body_of(rows, ids)
    path = f"/predict?keep={str(keep).lower()}&proba={str(proba).lower()}"
    return Call(
        path,
        lambda reply: read_prediction(reply, body.rows),
        "predict",
        body.content,
        {"Content-Type": body.media},
    )


def learn_call(path: str, rows: Rows, request_id: str | None) -> Call[Learned]:
    """Return a request to learn, with its id."""
    body = body_of(rows)
    return _learning(path, body.content, body.media, request_id)


def labels_call(
    ids: Iterable[str],
    labels: Iterable[Any],
    weights: Iterable[float] | None,
    request_id: str | None,
) -> Call[Learned]:
    """Return a request to learn labels that have come."""
    body = labels_body(ids, labels, weights)
    return _learning("/labels", body.content, body.media, request_id)


def _learning(path: str, body: bytes, media: str, request_id: str | None) -> Call[Learned]:
    name = secrets.token_urlsafe(18) if request_id is None else request_id
    headers = {"Content-Type": media, "Idempotency-Key": name}
    return Call(path, read_learned, "learn", body, headers)


def model_call() -> Call[dict[str, Any]]:
    """Return the request for the model's description."""
    return Call("/model", dict)


def health_call() -> Call[Health]:
    """Return the request for what the server can do; it is not repeated."""
    return Call("/ready", read_health, answers=(200, 503), may_repeat=False)


def document_of(content: bytes) -> Any:
    """Read a reply; None if it is no JSON, as that of a proxy."""
    try:
        return json.loads(content)
    except ValueError:
        return None
