"""Replies in JSON."""

import json
from typing import Any

from starlette.responses import Response

from sgtrees.serve.errors import RequestError
from sgtrees.serve.learn_requests import Outcome
from sgtrees.serve.row_labels import RowLabels

# `json.dumps` makes one for each call that has options.
_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def json_response(document: Any, status: int = 200) -> Response:
    """Return a reply in JSON."""
    return _response(_ENCODER.encode(document), status)


def _response(text: str, status: int) -> Response:
    return Response(text.encode("utf-8", "replace"), status, media_type="application/json")


def error_response(error: RequestError, headers: Any = None) -> Response:
    """Return the reply of a refused request."""
    response = json_response(error.document(), error.status)
    for name, value in (headers or {}).items():
        response.headers[name] = value
    if error.retry_after is not None:
        response.headers["Retry-After"] = str(error.retry_after)
    if error.status == 401:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def learned_response(outcome: Outcome, model_rows: int, *, with_predictions: bool) -> Response:
    """Return the reply of a request that was learned.

    Examples
    --------
    >>> learned_response(Outcome(1, 0, ["late"]), 7, with_predictions=True).body
    b'{"learned":1,"repeated":0,"predictions":["late"],"model_rows":7}'
    """
    # Put together here: the encoder would take as long for it as learning takes for a row.
    predictions = f'"predictions":{_list(outcome.predictions)},' if with_predictions else ""
    return _response(
        f'{{"learned":{outcome.learned},"repeated":{outcome.repeated},'
        f'{predictions}"model_rows":{model_rows}}}',
        200,
    )


def _list(values: Any) -> str:
    if isinstance(values, RowLabels):
        return values.as_json()
    if values is not None and len(values) == 1:
        return f"[{_ENCODER.encode(values[0])}]"  # a single string is encoded the fastest
    return _ENCODER.encode(values)
