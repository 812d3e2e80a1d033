"""The description of the HTTP interface: OpenAPI 3.1."""

from typing import Any

from sgtrees.serve.rows import FORMATS
from sgtrees.version import VERSION

_ROW: dict[str, Any] = {
    "type": "object",
    "additionalProperties": {"type": ["number", "string", "boolean", "null"]},
}
_LABEL: dict[str, Any] = {
    "type": "object",
    "required": ["id", "label"],
    "additionalProperties": False,
    "properties": {
        "id": {"type": "string"},
        "label": {"type": ["number", "string", "boolean"]},
        "weight": {"type": "number"},
    },
}
_REFUSALS = {
    400: "the body cannot be read",
    401: "a token is missing or unknown",
    403: "the token is for something else",
    408: "the body took too long",
    409: "the id has been used for something else",
    411: "the body has no end",
    413: "the body is too large, or has too many rows",
    415: "the format is unknown",
    422: "the rows do not suit the model",
    429: "too much waits already; repeat the request later",
    503: "nothing can be learned now",
    507: "the disk is full",
}


def description() -> dict[str, Any]:
    """Return the description.

    Examples
    --------
    >>> sorted(description()["paths"])[:3]
    ['/checkpoint', '/events', '/health']
    """
    key = {
        "name": "Idempotency-Key",
        "in": "header",
        "description": "The request's id: what is repeated under it is learned once.",
        "schema": {"type": "string", "minLength": 1, "maxLength": 200},
    }
    keep = _flag("keep", "Whether the rows wait for their labels; by default they do.")
    proba = _flag("proba", "Whether the probability of each label is given too.")
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "sgtrees",
            "version": VERSION,
            "description": "A model that learns while it serves.",
        },
        "components": {"securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
        "paths": {
            "/predict": _post("Predict rows", _rows(), [keep, proba]),
            "/learn": _post("Learn rows with their labels", _rows(), [key]),
            "/learn_predict": _post("Predict rows, then learn them", _rows(), [key]),
            "/labels": _post(
                "Learn the labels of rows that were predicted", _bodies(_LABEL), [key], (404,)
            ),
            "/checkpoint": _post("Write a checkpoint", None, []),
            "/model": _get("The model: its columns, size, importances and errors"),
            "/tree": _get("The trees, and their latest changes while somebody looks"),
            "/health": _get("Whether the process runs"),
            "/ready": _get("Whether rows can be predicted, and learned", (503,)),
            "/metrics": _get("Metrics for Prometheus", kind="text/plain"),
            "/events": _get("What the page shows, every second", (429,), "text/event-stream"),
            "/openapi.json": _get("This description"),
        },
    }


def _flag(name: str, text: str) -> dict[str, Any]:
    return {
        "name": name,
        "in": "query",
        "description": text,
        "schema": {"type": "string", "enum": ["true", "false"]},
    }


def _rows() -> dict[str, Any]:
    return _bodies(_ROW)


def _bodies(item: dict[str, Any]) -> dict[str, Any]:
    several = {"oneOf": [item, {"type": "array", "items": item, "minItems": 1}]}
    content: dict[str, Any] = {"application/json": {"schema": several}}
    for media in FORMATS:
        content.setdefault(media, {"schema": {"type": "string", "format": "binary"}})
    return {"required": True, "content": content}


def _replies(statuses: tuple[int, ...], kind: str) -> dict[str, Any]:
    replies: dict[str, Any] = {"200": {"description": "done", "content": {kind: {}}}}
    for status in statuses:
        text = _REFUSALS.get(status, "what was asked for is not there")
        replies[str(status)] = {"description": text, "content": {"application/json": {}}}
    return replies


def _post(
    text: str,
    body: dict[str, Any] | None,
    parameters: list[dict[str, Any]],
    more: tuple[int, ...] = (),
) -> dict[str, Any]:
    found: dict[str, Any] = {
        "summary": text,
        "parameters": parameters,
        "responses": _replies((*_REFUSALS, *more), "application/json"),
    }
    if body is not None:
        found["requestBody"] = body
    return {"post": found}


def _get(text: str, more: tuple[int, ...] = (), kind: str = "application/json") -> dict[str, Any]:
    return {"get": {"summary": text, "responses": _replies((401, 403, *more), kind)}}
