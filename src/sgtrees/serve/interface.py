"""The HTTP interface that every server has: predictions, and what can be seen of the model."""

import contextlib
import logging
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from sgtrees.serve.access import Access, Role
from sgtrees.serve.bodies import Bodies
from sgtrees.serve.errors import RequestError
from sgtrees.serve.labels import ID, ids_of
from sgtrees.serve.limits import Limits
from sgtrees.serve.model_description import describe
from sgtrees.serve.monitoring import Monitoring
from sgtrees.serve.openapi import description
from sgtrees.serve.page import Events, page_routes
from sgtrees.serve.replies import error_response, json_response
from sgtrees.serve.rows import Rows
from sgtrees.serve.source import Source
from sgtrees.serve.tree_watch import TreeWatch

_LOGGER = logging.getLogger(__name__)
# So many rows are predicted at once; more by a thread, while the loop goes on.
_FEW_ROWS = 16

Handler = Callable[[Request], Awaitable[Response]]


class Interface(ABC):
    """A model behind HTTP.

    Parameters
    ----------
    source : Source
        Where the model comes from.
    access : Access
        Who may do what.
    limits : Limits
        What is taken.
    """

    def __init__(self, source: Source, access: Access, limits: Limits) -> None:
        self.source = source
        self.access = access
        self.limits = limits
        self.monitoring = Monitoring(source)
        self.events = Events(source, self.monitoring)
        self.trees = TreeWatch(source)
        self.bodies = Bodies(limits)
        self._posts: dict[str, Handler] = {}

    @abstractmethod
    def learning_routes(self) -> list[Route]:
        """Return the routes by which the model changes."""

    @abstractmethod
    def kept(
        self, ids: Sequence[str] | None, features: Rows, predicted: Sequence[Any]
    ) -> dict[str, Any]:
        """Let predicted rows wait for their labels; return what the reply says about it."""

    @abstractmethod
    def begin(self) -> None:
        """Begin to work, before the first request."""

    @abstractmethod
    def finish(self) -> None:
        """End, after the last request."""

    def application(self) -> ASGIApp:
        """Return the ASGI application; the model changes while it runs.

        Requests with rows go to their handlers directly: each answers whatever happens, so that
        nothing is gained by Starlette's layers around it, and they take as long as the rest.
        """
        starlette = self._starlette()

        async def application(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http" and scope["method"] == "POST":
                answer = self._posts.get(scope["path"])
                if answer is not None:
                    response = await answer(Request(scope, receive, send))
                    await response(scope, receive, send)
                    return
            await starlette(scope, receive, send)

        return application

    def _starlette(self) -> Starlette:
        routes = [
            self.route("/predict", "POST", Role.PREDICT, self._predict),
            *self.learning_routes(),
            self.route("/model", "GET", None, self._model),
            self.route("/tree", "GET", None, self._tree),
            self.route("/metrics", "GET", None, self._metrics),
            self.route("/events", "GET", None, self._events),
            self.route("/openapi.json", "GET", None, self._openapi),
            # Probes have no tokens, and learn nothing that matters.
            Route("/health", _health),
            Route("/ready", self._ready),
            *page_routes(),
        ]
        handlers = {HTTPException: _unknown_path}
        return Starlette(routes=routes, exception_handlers=handlers, lifespan=self._lifespan)

    @contextlib.asynccontextmanager
    async def _lifespan(self, _: Starlette) -> AsyncIterator[None]:
        self.begin()
        yield
        await run_in_threadpool(self.finish)

    def route(self, path: str, method: str, role: Role | None, handler: Handler) -> Route:
        """Return a route whose requests are checked, counted, and answered also when they fail."""

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

        if method == "POST":
            self._posts[path] = answer
        return Route(path, answer, methods=[method])

    # ---- predicting -----------------------------------------------------------------------------

    async def _predict(self, request: Request) -> Response:
        keep, proba = _flag(request, "keep", default=True), _flag(request, "proba", default=False)
        async with self.bodies.read(request) as body:
            rows = await body.rows()
            if not keep and not proba and len(rows) <= _FEW_ROWS:
                reply = self._predicted(rows, keep=False, proba=False)
            else:
                with self.source.model.being_read():
                    reply = await run_in_threadpool(self._predicted, rows, keep=keep, proba=proba)
        self.monitoring.count_predicted(len(rows))
        return json_response(reply)

    def _predicted(self, rows: Rows, *, keep: bool, proba: bool) -> dict[str, Any]:
        ids = ids_of(rows)
        features = rows.without(ID)
        model = self.source.model
        predicted = model.predict(features)
        reply: dict[str, Any] = {"predictions": predicted}
        if proba:
            reply["probabilities"] = model.predict_proba(features)
        return reply | self.kept(ids, features, predicted) if keep else reply

    # ---- looking --------------------------------------------------------------------------------

    async def _model(self, _: Request) -> Response:
        return json_response(await run_in_threadpool(describe, self.source))

    async def _tree(self, _: Request) -> Response:
        return json_response(await run_in_threadpool(self.trees.document))

    async def _metrics(self, _: Request) -> Response:
        text = await run_in_threadpool(generate_latest, self.monitoring.registry)
        return Response(text, media_type=CONTENT_TYPE_LATEST)

    async def _events(self, _: Request) -> Response:
        return self.events.response()

    async def _openapi(self, _: Request) -> Response:
        return json_response(description())

    async def _ready(self, _: Request) -> Response:
        reason = self.source.why_not_learning()
        document = {"predict": True, "learn": reason is None, "reason": reason}
        return json_response(document, 200 if self.source.failure is None else 503)


async def _health(_: Request) -> Response:
    return json_response({"alive": True})


async def _unknown_path(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    name = {404: "unknown_path", 405: "wrong_method"}.get(error.status_code, "refused")
    message = f"{request.method} {request.url.path}: {error.detail}; see /openapi.json"
    return error_response(RequestError(error.status_code, name, message), error.headers)


def _flag(request: Request, name: str, *, default: bool) -> bool:
    given = request.query_params.get(name)
    if given is None:
        return default
    if given not in ("true", "false"):
        raise RequestError(400, "bad_query", f"{name} is 'true' or 'false', not {given[:50]!r}")
    return given == "true"
