"""The HTTP interface: requests in, rows to the model, replies out."""

import asyncio
import contextlib
import json
import logging
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from sgtrees.persistence import ModelFileError
from sgtrees.serve.access import Access, Role
from sgtrees.serve.bodies import Bodies
from sgtrees.serve.errors import RequestError
from sgtrees.serve.labels import ID, ids_of, read_labels, wait_for_labels, with_labels
from sgtrees.serve.learner import Learner, Outcome
from sgtrees.serve.learner import Request as LearnRequest
from sgtrees.serve.live_errors import LiveErrors
from sgtrees.serve.model_description import describe
from sgtrees.serve.monitoring import Monitoring, can_learn
from sgtrees.serve.openapi import description
from sgtrees.serve.page import Events, page_routes
from sgtrees.serve.records import Record
from sgtrees.serve.rows import Rows
from sgtrees.serve.state_folder import StateFolder
from sgtrees.serve.waiting_rows import StoreError

_LOGGER = logging.getLogger(__name__)
# So many rows are predicted at once; more by a thread, while the loop goes on.
_FEW_ROWS = 16
_LONGEST_ID = 200

Handler = Callable[[Request], Awaitable[Response]]


class Service:
    """A served model behind HTTP.

    Parameters
    ----------
    state : StateFolder
        The model.
    access : Access
        Who may do what.
    save_as : Path, optional
        The file to write the model to when the application ends; the folder is closed then.
    checkpoint_seconds : float, default=60.0
        The time between checkpoints.
    """

    def __init__(
        self,
        state: StateFolder,
        access: Access,
        *,
        save_as: Path | None = None,
        checkpoint_seconds: float = 60.0,
    ) -> None:
        self._save_as = save_as
        self.state = state
        self.access = access
        loss = getattr(state.model.estimator, "loss", None)
        self.errors = LiveErrors(state.model.task, loss)
        self.learner = Learner(
            state, self.errors, self._deliver, checkpoint_seconds=checkpoint_seconds
        )
        self.monitoring = Monitoring(self.learner)
        self.events = Events(self.learner, self.monitoring)
        self._bodies = Bodies(state.limits)
        self._loop: asyncio.AbstractEventLoop | None = None

    def application(self) -> Starlette:
        """Return the ASGI application; it learns while it runs."""
        routes = [
            self._route("/predict", "POST", Role.PREDICT, self._predict),
            self._route("/learn", "POST", Role.LEARN, self._learn),
            self._route("/learn_predict", "POST", Role.LEARN, self._learn_predict),
            self._route("/labels", "POST", Role.LEARN, self._labels),
            self._route("/checkpoint", "POST", Role.ADMIN, self._checkpoint),
            self._route("/model", "GET", None, self._model),
            self._route("/metrics", "GET", None, self._metrics),
            self._route("/events", "GET", None, self._events),
            self._route("/openapi.json", "GET", None, self._openapi),
            # Probes have no tokens, and learn nothing that matters.
            Route("/health", _health),
            Route("/ready", self._ready),
            *page_routes(),
        ]
        handlers = {HTTPException: _unknown_path}
        return Starlette(routes=routes, exception_handlers=handlers, lifespan=self._lifespan)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self._loop = asyncio.get_running_loop()
        self.learner.start()
        yield
        await run_in_threadpool(self._finish)

    def _finish(self) -> None:
        self.learner.stop()
        if self._save_as is not None and self.learner.failure is None:
            try:
                self.state.save_as(self._save_as)
            except (OSError, ModelFileError) as error:
                _LOGGER.error("%s could not be written: %s", self._save_as, error)
        self.state.close()

    def _route(self, path: str, method: str, role: Role | None, handler: Handler) -> Route:
        async def answer(request: Request) -> Response:
            began = time.perf_counter()
            try:
                headers = request.headers
                self.access.check(role, headers.get("authorization"), headers.get("host"))
                response = await handler(request)
            except RequestError as error:
                self.monitoring.refuse(path, error)
                response = error_response(error)
            except ClientDisconnect:
                response = Response(status_code=499)
            except Exception:
                _LOGGER.exception("%s failed", path)
                message = "the server failed; its log says why"
                response = error_response(RequestError(500, "internal", message))
            self.monitoring.count(path, response.status_code, time.perf_counter() - began)
            return response

        return Route(path, answer, methods=[method])

    # ---- predicting -----------------------------------------------------------------------------

    async def _predict(self, request: Request) -> Response:
        keep, proba = _flag(request, "keep", default=True), _flag(request, "proba", default=False)
        async with self._bodies.read(request) as body:
            rows = await body.rows()
            if not keep and not proba and len(rows) <= _FEW_ROWS:
                reply = self._predicted(rows, keep=False, proba=False)
            else:
                reply = await run_in_threadpool(self._predicted, rows, keep=keep, proba=proba)
        self.monitoring.count_rows(predicted=len(rows))
        return json_response(reply)

    def _predicted(self, rows: Rows, *, keep: bool, proba: bool) -> dict[str, Any]:
        ids = ids_of(rows)
        features = rows.without(ID)
        predicted = self.state.model.predict(features)
        reply: dict[str, Any] = {"predictions": predicted}
        if proba:
            reply["probabilities"] = self.state.model.predict_proba(features)
        if keep:
            ids = ids or [secrets.token_urlsafe(12) for _ in range(len(rows))]
            try:
                wait_for_labels(self.state, ids, features, predicted)
                reply["ids"] = ids
            except StoreError as error:
                # The prediction is good; its label cannot be sent to /labels.
                reply["not_kept"] = f"the rows cannot wait for their labels: {error}"
        return reply

    # ---- learning -------------------------------------------------------------------------------

    async def _learn(self, request: Request) -> Response:
        outcome = await self._learned(request)
        return self._learn_response(outcome)

    async def _learn_predict(self, request: Request) -> Response:
        outcome = await self._learned(request)
        return self._learn_response(outcome, predictions=outcome.predictions)

    async def _learned(self, request: Request) -> Outcome:
        async with self._bodies.read(request) as body:
            rows = await body.rows()
            if rows.has(ID):
                raise RequestError(
                    422,
                    "id_of_row",
                    f"{ID!r} names a row that waits for its label, and goes with /predict; the id "
                    "of a request to learn is its header Idempotency-Key",
                )
            record = Record(rows, body.kind, body.content, _request_id(request), time.time())
            return await self._submitted(record)

    async def _submitted(self, record: Record) -> Outcome:
        future: asyncio.Future[Outcome | RequestError] = asyncio.get_running_loop().create_future()
        self.learner.submit(record, future)
        # A client that goes away does not take its rows back.
        result = await asyncio.shield(future)
        if isinstance(result, RequestError):
            raise result
        self.monitoring.count_rows(learned=result.learned)
        return result

    def _deliver(self, requests: Sequence[LearnRequest]) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # nobody waits any more: the loop has ended
            self._loop.call_soon_threadsafe(_settle, list(requests))

    def _learn_response(self, outcome: Outcome, **more: Any) -> Response:
        counts = {"learned": outcome.learned, "repeated": outcome.repeated}
        return json_response({**counts, **more, "model_rows": self.state.model.rows})

    async def _labels(self, request: Request) -> Response:
        async with self._bodies.read(request) as body:
            given = await body.call(read_labels)
            at, request_id = time.time(), _request_id(request)
            record, repeated = await run_in_threadpool(
                with_labels, self.state, self.learner, given, request_id, at
            )
            if record is None:
                return self._learn_response(Outcome(0, repeated))
            outcome = await self._submitted(record)
        with contextlib.suppress(StoreError):
            # They are remembered as learned; a start drops them.
            await run_in_threadpool(self.state.waiting.drop, record.labels)
        return self._learn_response(Outcome(outcome.learned, outcome.repeated + repeated))

    # ---- looking --------------------------------------------------------------------------------

    async def _checkpoint(self, _: Request) -> Response:
        self.learner.checkpoint_soon()
        return json_response({"checkpoint": "begun"})

    async def _model(self, _: Request) -> Response:
        return json_response(await run_in_threadpool(describe, self.learner))

    async def _metrics(self, _: Request) -> Response:
        text = await run_in_threadpool(generate_latest, self.monitoring.registry)
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    async def _events(self, _: Request) -> Response:
        return self.events.response()

    async def _openapi(self, _: Request) -> Response:
        return json_response(description())

    async def _ready(self, _: Request) -> Response:
        reason = can_learn(self.learner)
        document = {"predict": True, "learn": reason is None, "reason": reason}
        return json_response(document, 200 if self.learner.failure is None else 503)


async def _health(_: Request) -> Response:
    return json_response({"alive": True})


async def _unknown_path(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    name = {404: "unknown_path", 405: "wrong_method"}.get(error.status_code, "refused")
    message = f"{request.method} {request.url.path}: {error.detail}; see /openapi.json"
    return error_response(RequestError(error.status_code, name, message), error.headers)


def _settle(requests: Sequence[LearnRequest]) -> None:
    for request in requests:
        if not request.caller.done():
            request.caller.set_result(request.result)


def json_response(document: Any, status: int = 200) -> Response:
    """Return a reply in JSON."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
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


def _flag(request: Request, name: str, *, default: bool) -> bool:
    given = request.query_params.get(name)
    if given is None:
        return default
    if given not in ("true", "false"):
        raise RequestError(400, "bad_query", f"{name} is 'true' or 'false', not {given[:50]!r}")
    return given == "true"


def _request_id(request: Request) -> str | None:
    given = request.headers.get("idempotency-key")
    if given is not None and not 0 < len(given) <= _LONGEST_ID:
        raise RequestError(400, "bad_id", f"an Idempotency-Key has 1 to {_LONGEST_ID} characters")
    return given
