"""Learning, in order: requests that wait are written and learned together.

One thread writes a group, and a second one learns it while the first writes the next. Groups of few
rows are lent to the event loop; the thread that writes then waits until it has them back.
"""

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from sgtrees.serve.bell import Bell
from sgtrees.serve.checkpoint_writer import CheckpointWriter
from sgtrees.serve.errors import RequestError
from sgtrees.serve.helper_thread import HelperThread
from sgtrees.serve.learn_requests import Outcome, Repetitions, Request, keys_of
from sgtrees.serve.limits import Limits
from sgtrees.serve.live_errors import LiveErrors
from sgtrees.serve.records import Record
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
Call = Callable[[Callable[[], object]], object]


def call_here(function: Callable[[], object]) -> object:
    """Call a function in the thread that asks for it."""
    return function()


@dataclass(slots=True)
class _Group:
    """Requests that are written together; those that are new, and the first one's number."""

    requests: list[Request]
    new: list[Request] = field(default_factory=list)
    first: int = 0

    @property
    def is_few(self) -> bool:
        """Whether the event loop may learn it."""
        n_rows = sum(len(request.record.rows) for request in self.new)
        n_bytes = sum(len(request.record.body) for request in self.new)
        return n_rows <= _FEW_ROWS and n_bytes <= _FEW_BYTES


class Learner:
    """Learns requests in the order in which they come, each after it has been written.

    Parameters
    ----------
    state : StateFolder
        The model and its log.
    errors : LiveErrors
        Where labels and predictions are counted.
    deliver : callable
        Called with requests that have their results.
    call : callable, optional
        Lets a function be called, soon: where a few rows are to be learned. A thread learns more
        than a few, and those that would have to wait for the model.
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
        self._bell = Bell()
        self._is_woken = self._is_stopping = False
        # What the event loop learns; the log's thread does nothing before it is back.
        self._lent: _Group | None = None
        self._is_given_back = False
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._learning = HelperThread("learner")

    def start(self) -> None:
        """Begin to learn."""
        self._learning.start()
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
        with self._lock:
            self._is_woken = True
            if self._lent is None:
                self._bell.ring()

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
        self.checkpoints.is_wanted = True
        self._bell.ring()

    def stop(self) -> None:
        """Learn what waits, make a checkpoint, and end."""
        with self._lock:
            self._is_stopping = True
        self._bell.ring()
        self._thread.join()
        self._learning.stop()

    # ---- in the log's thread --------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            self._wait()
            if self._lent is not None:
                if self._is_given_back:
                    self._take_back(self._lent)
                continue
            self._checkpoint_if_due()
            requests = self._next_requests()
            if requests:
                self._begin(_Group(requests))
            elif self._is_stopping and not self._queue:
                break
        self._learning.finish()
        self.checkpoints.finish()
        if self.failure is None and self.state.log.next > self.state.position:
            self.checkpoints.begin()
            self.checkpoints.finish()

    def _wait(self) -> None:
        """Wait until there is something to do, or a checkpoint may be due."""
        if self._lent is None and (self._is_woken or self._is_stopping):
            return
        wanted = self.checkpoints.is_wanted
        if self._lent is not None or not wanted or self.checkpoints.is_writing:
            self._bell.wait(0.05 if wanted else 1.0)

    def _checkpoint_if_due(self) -> None:
        if self.failure is not None:
            self.checkpoints.is_wanted = False
            return
        try:
            if self.checkpoints.is_due():
                self._learning.finish()  # what is in the log must be in the model
                if self.failure is None:
                    self.checkpoints.begin()
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
            self._fail(error)

    def _next_requests(self) -> list[Request]:
        with self._lock:
            if not self._is_woken and not self._is_stopping:
                return []
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

    def _begin(self, group: _Group) -> None:
        """Write a group, and let it be learned."""
        try:
            if any(keys_of(request.record) for request in group.requests):
                self._learning.finish()  # whether they repeat others is known then
            if self.failure is None:
                self._write(group)
            if group.new and group.is_few:
                self._learning.finish()
                self._lent = group
                self._call(self._learn_lent)
                return
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
            self._lent = None
            self._fail(error)
        self._learning.begin(lambda: self._learn_safely(group))

    def _take_back(self, group: _Group) -> None:
        """Learn a group that was lent and given back."""
        self._lent = None
        self._is_given_back = False
        self._learning.begin(lambda: self._learn_safely(group))

    def _write(self, group: _Group) -> None:
        """Write what is new in a group; the rest has its results."""
        new = self._repetitions.admitted(group.requests)
        if not new:
            return
        try:
            group.first = self.state.log.append([request.record.encoded() for request in new])
            self.disk = None
            group.new = new
        except LogWriteError as error:
            self._refuse(new, error)

    def _refuse(self, requests: Sequence[Request], error: LogWriteError) -> None:
        status, name = (507, "disk_full") if error.is_full else (503, "disk_unwritable")
        self.disk = error.reason
        message = f"the log cannot be written ({error.reason}); nothing was learned"
        for request in requests:
            request.result = RequestError(status, name, message, retry_after=10)

    # ---- in the learner's thread, or where the group was lent to --------------------------------

    def _learn_lent(self) -> bool:
        """Learn the group that was lent unless the model is in use; return whether so."""
        group = self._lent
        assert group is not None
        is_learned = False
        try:
            with self.state.model.reserved() as is_free:
                if is_free:
                    is_learned = True
                    self._learn_safely(group)
        finally:
            with self._lock:
                if is_learned:
                    self._lent = None
                self._is_given_back = not is_learned
                # Whoever has woken the thread meanwhile has not rung.
                if not is_learned or self._is_woken:
                    self._bell.ring()
        return is_learned

    def _learn_safely(self, group: _Group) -> None:
        """Learn what is new in a group, and deliver all of it, whatever happens."""
        try:
            if self.failure is None and group.new:
                self._apply(group.new, group.first)
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait must hear of it
            self._fail(error)
        if self.failure is not None:
            for request in group.requests:
                if not request.is_delivered:
                    request.result = RequestError(503, "learner_failed", self.failure)
        self.groups += 1
        self._deliver([request for request in group.requests if not request.is_delivered])

    def _fail(self, error: Exception) -> None:
        # The model may have learned a part of what the log has: a start reads the log again.
        _LOGGER.error("learning failed", exc_info=error)
        self.failure = f"learning has stopped, start the server again: {error!r}"

    def _apply(self, requests: Sequence[Request], first: int) -> None:
        results = self.state.apply([request.record for request in requests], first)
        self._note(requests, results)
        for request in requests:
            request.is_delivered = True
        self._deliver(requests)

    def _note(self, requests: Sequence[Request], results: Sequence[Result]) -> None:
        """Keep what was predicted for the callers, and count it."""
        for request, result in zip(requests, results, strict=True):
            if isinstance(result, RequestError):
                request.result = result
                continue
            record = request.record
            request.result = Outcome(len(record.rows), request.repeated, result.predicted)
            given = list(record.predicted) if record.labels else result.predicted
            self.errors.add(result.targets, given)
