"""Learning, in order: requests that wait are written and learned together.

One thread does it, but lets the event loop learn groups of few rows.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sgtrees.serve.checkpoint_writer import CheckpointWriter
from sgtrees.serve.errors import RequestError
from sgtrees.serve.learn_requests import Outcome, Repetitions, Request, keys_of
from sgtrees.serve.limits import Limits
from sgtrees.serve.live_errors import LiveErrors
from sgtrees.serve.records import Record
from sgtrees.serve.rows import Rows, as_objects
from sgtrees.serve.served_model import Result, ServedModel
from sgtrees.serve.source import Gauges
from sgtrees.serve.state_folder import StateFolder
from sgtrees.serve.write_ahead_log import LogWriteError

_LOGGER = logging.getLogger(__name__)

# A group of requests ends with so many rows, so that nobody waits long for a reply.
_ROWS_OF_A_GROUP = 16_384
# Up to so many rows, of so many bytes, are learned by the event loop: the interpreter would let it
# and a thread take turns, which costs more than the learning.
_FEW_ROWS = 128
_FEW_BYTES = 65_536


Deliver = Callable[[Sequence[Request]], None]
Call = Callable[[Callable[[], bool]], bool]


def call_here(function: Callable[[], bool]) -> bool:
    """Call a function in the thread that asks for it, and return what it returns."""
    return function()


class Learner:
    """A thread that learns requests in the order in which they come.

    Parameters
    ----------
    state : StateFolder
        The model and its log.
    errors : LiveErrors
        Where labels and predictions are counted.
    deliver : callable
        Called with requests that have their results.
    call : callable, optional
        Calls a function and returns what it returns: where a few rows are to be learned. The
        thread itself learns more than a few, and those that would have to wait for the model.
    checkpoint_seconds : float, default=60.0
        The time between checkpoints.
    """

    def __init__(
        self,
        state: StateFolder,
        errors: LiveErrors,
        deliver: Deliver,
        call: Call = call_here,
        *,
        checkpoint_seconds: float = 60.0,
    ) -> None:
        self.state = state
        self.errors = errors
        self.limits: Limits = state.limits
        self.failure: str | None = None
        self.disk: str | None = None
        self.checkpoints = CheckpointWriter(state, checkpoint_seconds)
        self.groups = 0
        self._deliver = deliver
        self._call = call
        self._repetitions = Repetitions(state)
        self._queue: deque[Request] = deque()
        self._rows = 0
        self._bytes = 0
        self._lock = threading.RLock()
        self._changed = threading.Condition(self._lock)
        self._is_woken = self._is_stopping = False
        self._thread = threading.Thread(target=self._run, name="learner", daemon=True)

    def start(self) -> None:
        """Begin to learn."""
        self._thread.start()

    @property
    def model(self) -> ServedModel:
        """The model of this moment."""
        return self.state.model

    def why_not_learning(self) -> str | None:
        """Return why nothing can be learned; None if it can."""
        return self.failure or self.disk

    def notes(self) -> dict[str, Any]:
        """Return what else the description of the model says: nothing."""
        return {}

    def gauges(self) -> Gauges:
        """Return numbers for those who watch."""
        state = self.state
        return {
            "queued_rows": ("Rows that wait to be learned", self.queued_rows),
            "log_bytes": ("Size of the log", state.log.bytes_on_disk()),
            "log_records": ("Records after the last checkpoint", state.log.next - state.position),
            "waiting_rows": ("Predicted rows that wait for labels", state.waiting.count()),
            "remembered_ids": ("Ids that are remembered", len(state.ids)),
            "last_checkpoint_time_seconds": ("The last checkpoint", self.checkpoints.last),
            "checkpoint_failed": (
                "Whether the last checkpoint could not be written",
                float(self.checkpoints.failure is not None),
            ),
            "recovery_seconds": ("Time that the start took", state.recovery.seconds),
        }

    @property
    def queued_rows(self) -> int:
        """How many rows wait to be learned."""
        return self._rows

    @property
    def queued_requests(self) -> int:
        """How many requests wait to be learned."""
        return len(self._queue)

    def submit(self, record: Record, caller: Any, *, wake: bool = True) -> None:
        """Add a request to those that wait.

        Parameters
        ----------
        record : Record
            What is to be learned.
        caller : object
            Who waits for it.
        wake : bool, default=True
            Whether to wake the thread; if not, `wake` must be called. So requests that come
            together are learned together, also while the thread is busy.

        Raises
        ------
        RequestError
            If too much waits already, or nothing can be learned any more.
        """
        n_rows, n_bytes = len(record.rows), len(record.body)
        with self._lock:
            if self.failure is not None:
                raise RequestError(503, "learner_failed", self.failure)
            if self._is_stopping:
                raise RequestError(503, "stopping", "the server is stopping", retry_after=5)
            if self._queue and (
                self._rows + n_rows > self.limits.queue_rows
                or self._bytes + n_bytes > self.limits.queue_bytes
            ):
                raise RequestError(
                    429,
                    "queue_full",
                    f"{self._rows:,} rows wait to be learned; repeat the request later",
                    retry_after=1,
                )
            self._queue.append(Request(record, caller))
            self._rows += n_rows
            self._bytes += n_bytes
            if wake:
                self.wake()

    def wake(self) -> None:
        """Let the thread take all that waits as the next group."""
        with self._changed:
            self._is_woken = True
            self._changed.notify()

    def is_labelled(self, name: str, label: Any) -> bool:
        """Return whether the label of a row that waited has been learned.

        Raises
        ------
        RequestError
            If it was another label.
        """
        return self._repetitions.is_labelled(name, label)

    def checkpoint_soon(self) -> None:
        """Make a checkpoint after the present group."""
        with self._changed:
            self.checkpoints.is_wanted = True
            self._changed.notify()

    def stop(self) -> None:
        """Learn what waits, make a checkpoint, and end."""
        with self._changed:
            self._is_stopping = True
            self._changed.notify()
        self._thread.join()

    # ---- in the thread --------------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            group = self._next_group()
            if group:
                self._learn_safely(group)
            elif self._is_stopping and not self._queue:
                break
            self._checkpoint_if_due()
        self.checkpoints.finish()
        if self.failure is None and self.state.log.next > self.state.position:
            self.checkpoints.begin()
            self.checkpoints.finish()

    def _checkpoint_if_due(self) -> None:
        if self.failure is not None:
            self.checkpoints.is_wanted = False
            return
        try:
            if self.checkpoints.is_due():
                self.checkpoints.begin()
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
            self._fail(error)

    def _next_group(self) -> list[Request]:
        with self._changed:
            if not self._is_woken and not self._is_stopping:
                wanted = self.checkpoints.is_wanted
                if not wanted or self.checkpoints.is_writing:
                    self._changed.wait(timeout=0.05 if wanted else 1.0)
            group: list[Request] = []
            keys: set[str] = set()
            rows = 0
            while self._queue and rows < _ROWS_OF_A_GROUP:
                record = self._queue[0].record
                if own := keys_of(record):
                    if not keys.isdisjoint(own):
                        break  # whether it repeats another is known when that has been learned
                    keys.update(own)
                group.append(self._queue.popleft())
                rows += len(record.rows)
                self._rows -= len(record.rows)
                self._bytes -= len(record.body)
            self._is_woken = bool(self._queue)
            return group

    def _learn_safely(self, group: list[Request]) -> None:
        try:
            if self.failure is None:
                self._learn(group)
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
            self._fail(error)
        if self.failure is not None:
            for request in group:
                if not request.is_delivered:
                    request.result = RequestError(503, "learner_failed", self.failure)
        self.groups += 1
        self._deliver([request for request in group if not request.is_delivered])

    def _fail(self, error: Exception) -> None:
        # The model may have learned a part of what the log has: a start reads the log again.
        _LOGGER.error("learning failed", exc_info=error)
        self.failure = f"learning has stopped, start the server again: {error!r}"

    def _learn(self, group: list[Request]) -> None:
        new = self._repetitions.admitted(group)
        if new:
            try:
                first = self.state.log.append([request.record.encoded() for request in new])
                self.disk = None
            except LogWriteError as error:
                self._refuse(new, error)
                return
            n_rows = sum(len(request.record.rows) for request in new)
            n_bytes = sum(len(request.record.body) for request in new)
            is_few = n_rows <= _FEW_ROWS and n_bytes <= _FEW_BYTES
            if not (is_few and self._call(partial(self._apply_at_once, new, first))):
                self._apply(new, first)

    def _apply_at_once(self, requests: Sequence[Request], first: int) -> bool:
        """Learn requests unless the model is in use; return whether they were learned."""
        with self.state.model.reserved() as is_free:
            if is_free:
                self._apply(requests, first)
        return is_free

    def _apply(self, requests: Sequence[Request], first: int) -> None:
        results = self.state.apply([request.record for request in requests], first)
        self._note(requests, results)
        for request in requests:
            request.is_delivered = True
        self._deliver(requests)

    def _refuse(self, requests: Sequence[Request], error: LogWriteError) -> None:
        status, name = (507, "disk_full") if error.is_full else (503, "disk_unwritable")
        self.disk = error.reason
        message = f"the log cannot be written ({error.reason}); nothing was learned"
        for request in requests:
            request.result = RequestError(status, name, message, retry_after=10)

    def _note(self, requests: Sequence[Request], results: Sequence[Result]) -> None:
        """Keep what was predicted for the callers, and count it."""
        target = self.state.model.target
        labels: list[Any] = []
        given: list[Any] = []
        for request, result in zip(requests, results, strict=True):
            if isinstance(result, RequestError):
                request.result = result
                continue
            record = request.record
            request.result = Outcome(len(record.rows), request.repeated, result)
            labels += _targets(record.rows, target)
            given += record.predicted if record.labels else result
        if labels:
            self.errors.add(labels, given)


def _targets(rows: Rows, target: str) -> list[Any]:
    if isinstance(rows.content, list):
        return [event[target] for event in rows.content]
    return as_objects(rows.content[target])
