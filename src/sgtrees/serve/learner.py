"""The one thread that learns: requests that wait are written and learned together."""

import json
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

from sgtrees.persistence import ModelFileError
from sgtrees.serve.errors import RequestError
from sgtrees.serve.limits import Limits
from sgtrees.serve.live_errors import LiveErrors
from sgtrees.serve.records import Record, digest_of_label
from sgtrees.serve.rows import Event, Rows, as_objects
from sgtrees.serve.served_model import ServedModel
from sgtrees.serve.source import Gauges
from sgtrees.serve.state_folder import Result, StateFolder, label_key, request_key
from sgtrees.serve.waiting_rows import StoreError
from sgtrees.serve.write_ahead_log import LogWriteError

_LOGGER = logging.getLogger(__name__)

# A group of requests ends with so many rows, so that nobody waits long for a reply.
_ROWS_OF_A_GROUP = 16_384
# Up to so many rows are learned by the event loop: the interpreter would let it and a thread take
# turns, which costs more than the learning.
_FEW_ROWS = 128
# A checkpoint is due after so many records or rows: they are what a start has to learn again.
_RECORDS_BETWEEN_CHECKPOINTS = 50_000
_ROWS_BETWEEN_CHECKPOINTS = 2_000_000


class Outcome(NamedTuple):
    """What became of a request: how many rows were learned and repeated, and the predictions."""

    learned: int = 0
    repeated: int = 0
    predictions: Sequence[Any] | None = None


_NOTHING = Outcome()


@dataclass(slots=True)
class Request:
    """A record that is to be learned, and who waits for it."""

    record: Record
    caller: Any
    result: Outcome | RequestError = _NOTHING
    repeated: int = 0
    is_delivered: bool = False


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
        self.checkpoint_failure: str | None = None
        self.last_checkpoint = time.time()
        self.groups = 0
        self._deliver = deliver
        self._call = call
        self._seconds = checkpoint_seconds
        self._queue: deque[Request] = deque()
        self._rows = 0
        self._last_group = 0
        self._bytes = 0
        self._changed = threading.Condition()
        self._is_stopping = False
        self._wants_checkpoint = False
        self._writing: threading.Thread | None = None
        self._checkpointed = (state.position, state.model.rows, time.monotonic())
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
            "last_checkpoint_time_seconds": ("The last checkpoint", self.last_checkpoint),
            "recovery_seconds": ("Time that the start took", state.recovery.seconds),
        }

    @property
    def queued_rows(self) -> int:
        """How many rows wait to be learned."""
        return self._rows

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
            together are learned together.

        Raises
        ------
        RequestError
            If too much waits already, or nothing can be learned any more.
        """
        with self._changed:
            if self.failure is not None:
                raise RequestError(503, "learner_failed", self.failure)
            if self._is_stopping:
                raise RequestError(503, "stopping", "the server is stopping", retry_after=5)
            if self._queue and (
                self._rows + len(record.rows) > self.limits.queue_rows
                or self._bytes + len(record.body) > self.limits.queue_bytes
            ):
                raise RequestError(
                    429,
                    "queue_full",
                    f"{self._rows:,} rows wait to be learned; repeat the request later",
                    retry_after=1,
                )
            self._queue.append(Request(record, caller))
            self._rows += len(record.rows)
            self._bytes += len(record.body)
            if wake:
                self._changed.notify()

    def expects_more(self) -> bool:
        """Return whether more requests will come soon: those of the last group's clients."""
        return len(self._queue) < self._last_group

    def wake(self) -> None:
        """Let the thread see what was submitted without waking it."""
        with self._changed:
            self._changed.notify()

    def checkpoint_soon(self) -> None:
        """Make a checkpoint after the present group."""
        with self._changed:
            self._wants_checkpoint = True
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
            elif self._is_stopping:
                break
            if self._is_due():
                self._begin_checkpoint()
        if self._writing is not None:
            self._writing.join()
        if self.failure is None and self.state.log.next > self.state.position:
            self._begin_checkpoint()
            if self._writing is not None:
                self._writing.join()

    def _next_group(self) -> list[Request]:
        with self._changed:
            if not self._queue and not self._is_stopping and not self._wants_checkpoint:
                self._changed.wait(timeout=1.0)
            group: list[Request] = []
            keys: set[str] = set()
            rows = 0
            while self._queue and rows < _ROWS_OF_A_GROUP:
                record = self._queue[0].record
                if own := _keys(record):
                    if not keys.isdisjoint(own):
                        break  # whether it repeats another is known when that has been learned
                    keys.update(own)
                group.append(self._queue.popleft())
                rows += len(record.rows)
                self._rows -= len(record.rows)
                self._bytes -= len(record.body)
            self._last_group = len(group)
            return group

    def _learn_safely(self, group: list[Request]) -> None:
        try:
            self._learn(group)
        except Exception as error:
            # The model may have learned a part of what the log has: a start reads the log again.
            _LOGGER.exception("learning failed")
            self.failure = f"learning has stopped, start the server again: {error!r}"
            for request in group:
                if not request.is_delivered:
                    request.result = RequestError(503, "learner_failed", self.failure)
        self.groups += 1
        self._deliver([request for request in group if not request.is_delivered])

    def _learn(self, group: list[Request]) -> None:
        new = self._admitted(group)
        if new:
            try:
                first = self.state.log.append([request.record.encoded() for request in new])
                self.disk = None
            except LogWriteError as error:
                self._refuse(new, error)
                return
            n_rows = sum(len(request.record.rows) for request in new)
            is_few = n_rows <= _FEW_ROWS
            if not (is_few and self._call(partial(self._apply_at_once, new, first))):
                self._apply(new, first)

    def _apply_at_once(self, requests: Sequence[Request], first: int) -> bool:
        """Learn requests unless somebody looks at the model; return whether they were learned."""
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

    # ---- what is repeated -----------------------------------------------------------------------

    def _admitted(self, group: Sequence[Request]) -> list[Request]:
        """Return the requests that are to be learned; the others have their results."""
        new: list[Request] = []
        for request in group:
            try:
                if self._has_new_rows(request):
                    new.append(request)
            except RequestError as error:
                request.result = error
        return new

    def _has_new_rows(self, request: Request) -> bool:
        """Return whether anything of a request is new; leave only that in it."""
        record = request.record
        found = None if record.id is None else self.state.ids.find(request_key(record.id))
        if found is not None:
            if found.digest != record.digest():
                raise RequestError(
                    409, "id_used", f"other rows have been learned under the id {record.id!r}"
                )
            request.result = Outcome(0, len(record.rows))
            return False
        if not record.labels:
            return True
        kept = [
            (name, event, given)
            for name, event, given in zip(
                record.labels, record.rows.events(), record.predicted, strict=True
            )
            if not self.is_labelled(name, event[self.state.model.target])
        ]
        request.repeated = len(record.labels) - len(kept)
        if not kept:
            request.result = Outcome(0, request.repeated)
            return False
        if request.repeated:
            names, events, predicted = zip(*kept, strict=True)
            request.record = label_record(names, events, predicted, record.id, record.time)
        return True

    def is_labelled(self, name: str, label: Any) -> bool:
        """Return whether the label of a row that waited has been learned.

        Raises
        ------
        RequestError
            If it was another label.
        """
        found = self.state.ids.find(label_key(name))
        if found is None:
            return False
        if found.digest != digest_of_label(label):
            raise RequestError(
                409, "label_differs", f"the row {name!r} has been learned with another label"
            )
        return True

    # ---- checkpoints ----------------------------------------------------------------------------

    def _is_due(self) -> bool:
        if self._writing is not None and self._writing.is_alive():
            return False
        records, rows, at = self._checkpointed
        if self.failure is not None or self.state.log.next == records:
            self._wants_checkpoint = False
            return False
        return (
            self._wants_checkpoint
            or time.monotonic() - at >= self._seconds
            or self.state.log.next - records >= _RECORDS_BETWEEN_CHECKPOINTS
            or self.state.model.rows - rows >= _ROWS_BETWEEN_CHECKPOINTS
        )

    def _begin_checkpoint(self) -> None:
        """Copy the state, and let another thread write it."""
        self._wants_checkpoint = False
        self._checkpointed = (self.state.log.next, self.state.model.rows, time.monotonic())
        try:
            write = self.state.take()
        except (ModelFileError, MemoryError) as error:
            self._note_lost_checkpoint(error)
            return

        def run() -> None:
            try:
                write()
                self.last_checkpoint = time.time()
                self.checkpoint_failure = None
            except (OSError, ModelFileError, StoreError) as error:
                self._note_lost_checkpoint(error)

        self._writing = threading.Thread(target=run, name="checkpoint", daemon=True)
        self._writing.start()

    def _note_lost_checkpoint(self, error: Exception) -> None:
        # The log has everything; a start takes longer.
        self.checkpoint_failure = str(error)
        _LOGGER.error("no checkpoint: %s", error)


def label_record(
    names: Sequence[str],
    events: Sequence[Event],
    predicted: Sequence[Any],
    request_id: str | None,
    at: float,
) -> Record:
    """Return the record of rows whose labels have come."""
    body = json.dumps(list(events), separators=(",", ":")).encode()
    return Record(Rows(list(events)), "json", body, request_id, at, tuple(names), tuple(predicted))


def _keys(record: Record) -> Sequence[str]:
    if record.id is None and not record.labels:
        return ()
    keys = [] if record.id is None else [request_key(record.id)]
    return [*keys, *map(label_key, record.labels)]


def _targets(rows: Rows, target: str) -> list[Any]:
    if isinstance(rows.content, list):
        return [event[target] for event in rows.content]
    return as_objects(rows.content[target])
