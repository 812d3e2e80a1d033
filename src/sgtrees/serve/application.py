"""The service that learns: rows go to the model, replies go out when they are on the disk."""

import asyncio
import contextlib
import logging
import secrets
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sgtrees.persistence import ModelFileError
from sgtrees.serve.access import Access, Role
from sgtrees.serve.errors import RequestError
from sgtrees.serve.gathering import SECONDS_TO_GATHER, Gathering
from sgtrees.serve.interface import Interface
from sgtrees.serve.labels import ID, read_labels, wait_for_labels, with_labels
from sgtrees.serve.learn_requests import Outcome
from sgtrees.serve.learn_requests import Request as LearnRequest
from sgtrees.serve.learner import Learner
from sgtrees.serve.live_errors import LiveErrors
from sgtrees.serve.records import Record
from sgtrees.serve.replies import json_response, learned_response
from sgtrees.serve.rows import Rows
from sgtrees.serve.state_folder import StateFolder
from sgtrees.serve.waiting_rows import StoreError

_LOGGER = logging.getLogger(__name__)
_LONGEST_ID = 200


class Service(Interface):
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
        errors = LiveErrors(state.model.task, getattr(state.model.estimator, "loss", None))
        self.learner = Learner(
            state, errors, self._deliver, self._call, checkpoint_seconds=checkpoint_seconds
        )
        super().__init__(self.learner, access, state.limits)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = 0
        self._gathering = Gathering()
        # What is going to wake the learner; the timer if it waits for more requests.
        self._waking: asyncio.Handle | None = None
        self._timer: asyncio.TimerHandle | None = None

    def learning_routes(self) -> list[Route]:
        """Return the routes by which the model changes."""
        return [
            self.route("/learn", "POST", Role.LEARN, self._learn),
            self.route("/learn_predict", "POST", Role.LEARN, self._learn_predict),
            self.route("/labels", "POST", Role.LEARN, self._labels),
            self.route("/checkpoint", "POST", Role.ADMIN, self._checkpoint),
        ]

    def begin(self) -> None:
        """Begin to learn."""
        self._loop = asyncio.get_running_loop()
        self._thread = threading.get_ident()
        self.learner.start()

    def finish(self) -> None:
        """Learn what waits, and write the model."""
        self.learner.stop()
        if self._save_as is not None and self.learner.failure is None:
            try:
                self.state.save_as(self._save_as)
            except (OSError, ModelFileError) as error:
                _LOGGER.error("%s could not be written: %s", self._save_as, error)
        self.state.close()

    def kept(
        self, ids: Sequence[str] | None, features: Rows, predicted: Sequence[Any]
    ) -> dict[str, Any]:
        """Let predicted rows wait for their labels; return their ids."""
        names = list(ids) if ids else [secrets.token_urlsafe(12) for _ in range(len(features))]
        try:
            wait_for_labels(self.state, names, features, list(predicted))
        except StoreError as error:
            # The prediction is good; its label cannot be sent to /labels.
            return {"not_kept": f"the rows cannot wait for their labels: {error}"}
        return {"ids": names}

    # ---- learning -------------------------------------------------------------------------------

    async def _learn(self, request: Request) -> Response:
        outcome = await self._learned(request)
        return self._learn_response(outcome)

    async def _learn_predict(self, request: Request) -> Response:
        outcome = await self._learned(request)
        return self._learn_response(outcome, with_predictions=True)

    async def _learned(self, request: Request) -> Outcome:
        async with self.bodies.read(request) as body:
            rows = await body.rows()
            if rows.has(ID):
                raise RequestError(
                    422,
                    "id_of_row",
                    f"{ID!r} names a row that waits for its label, and goes with /predict; the id "
                    "of a request to learn is its header Idempotency-Key",
                )
            record = Record(rows, body.kind, body.content, _request_id(request), time.time())
            return _outcome(await self._submitted(record))

    def _submitted(self, record: Record) -> "asyncio.Future[Outcome | RequestError]":
        """Let a record be learned; a client that goes away does not take its rows back."""
        assert self._loop is not None
        future: asyncio.Future[Outcome | RequestError] = self._loop.create_future()
        self.learner.submit(record, future, wake=False)
        self._gathering.open()
        self._wake_in_time(self._loop)
        return future

    def _wake_in_time(self, loop: asyncio.AbstractEventLoop) -> None:
        """Wake the learner when the loop has read all that has come, and that is enough."""
        if self._waking is None:
            self._waking = loop.call_soon(self._wake_or_wait, loop)
        elif self._timer is not None and self._is_enough():
            self._timer.cancel()
            self._timer = None
            self._waking = loop.call_soon(self._wake)

    def _is_enough(self) -> bool:
        return self._gathering.is_enough(self.learner.queued_requests)

    def _wake_or_wait(self, loop: asyncio.AbstractEventLoop) -> None:
        if self._is_enough():
            self._wake()
        else:
            self._waking = self._timer = loop.call_later(SECONDS_TO_GATHER, self._wake)

    def _wake(self) -> None:
        self._waking = self._timer = None
        self._gathering.begin_group()
        self.learner.wake()

    def _deliver(self, requests: Sequence[LearnRequest]) -> None:
        assert self._loop is not None
        if threading.get_ident() == self._thread:
            self._settle(requests)
        elif requests:
            with contextlib.suppress(RuntimeError):  # nobody waits any more: the loop has ended
                self._loop.call_soon_threadsafe(self._settle, list(requests))

    def _settle(self, requests: Sequence[LearnRequest]) -> None:
        n_learned = 0
        for request in requests:
            if isinstance(request.result, Outcome):
                n_learned += request.result.learned
            if not request.caller.done():
                request.caller.set_result(request.result)
        self._gathering.close(len(requests))
        self.monitoring.count_learned(n_learned)

    def _call(self, function: Callable[[], object]) -> None:
        """Let the loop call a function."""
        assert self._loop is not None
        self._loop.call_soon_threadsafe(function)

    def _learn_response(self, outcome: Outcome, *, with_predictions: bool = False) -> Response:
        return learned_response(outcome, self.state.model.rows, with_predictions=with_predictions)

    async def _labels(self, request: Request) -> Response:
        async with self.bodies.read(request) as body:
            given = await body.call(read_labels)
            at, request_id = time.time(), _request_id(request)
            record, repeated = await run_in_threadpool(
                with_labels, self.state, self.learner, given, request_id, at
            )
            if record is None:
                return self._learn_response(Outcome(0, repeated))
            outcome = _outcome(await self._submitted(record))
        with contextlib.suppress(StoreError):
            # They are remembered as learned; a start drops them.
            await run_in_threadpool(self.state.waiting.drop, record.labels)
        return self._learn_response(Outcome(outcome.learned, outcome.repeated + repeated))

    async def _checkpoint(self, _: Request) -> Response:
        self.learner.checkpoint_soon()
        return json_response({"checkpoint": "begun"})


def _outcome(result: Outcome | RequestError) -> Outcome:
    if isinstance(result, RequestError):
        raise result
    return result


def _request_id(request: Request) -> str | None:
    given = request.headers.get("idempotency-key")
    if given is not None and not 0 < len(given) <= _LONGEST_ID:
        raise RequestError(400, "bad_id", f"an Idempotency-Key has 1 to {_LONGEST_ID} characters")
    return given
