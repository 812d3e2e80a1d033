"""The folder in which a served model is kept: checkpoints, log, waiting rows.

At any time the last checkpoint and the records of the log after it are the model. One process
serves from a folder.
"""

import errno
import hashlib
import itertools
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from sgtrees.checkpoint import Checkpoints, TakenCheckpoint
from sgtrees.persistence.model_file import read_file, write_file
from sgtrees.persistence.python_values import from_json, to_json
from sgtrees.persistence.savable import contents_of
from sgtrees.serve.errors import RequestError, StateError
from sgtrees.serve.limits import Limits
from sgtrees.serve.records import Record, digest_of_label
from sgtrees.serve.remembered_ids import Learned, RememberedIds
from sgtrees.serve.rows import Rows
from sgtrees.serve.served_model import LearnedRows, Result, ServedModel
from sgtrees.serve.waiting_rows import WaitingRows
from sgtrees.serve.write_ahead_log import WriteAheadLog
from sgtrees.streams.transformations import prefetched

if sys.platform != "win32":
    import fcntl

# Two, so that a damaged one costs nothing: the log reaches back to the older one.
_KEPT_CHECKPOINTS = 2
# So many rows of the log are read before they are learned.
_ROWS_AT_ONCE = 16_384


@dataclass(frozen=True)
class Recovery:
    """What a start had to do: rows and records that were learned again, and the time it took."""

    rows: int
    records: int
    seconds: float


class StateFolder:
    """A served model and all that is kept of it.

    Parameters
    ----------
    folder : Path
        The folder; it is created if it does not exist.
    begin : callable
        Returns the model to begin with, if the folder has none.
    limits : Limits
        How many ids and waiting rows are kept.
    origin : Path, optional
        The file of that model. If it is there it must be the one that the folder began with, or
        one that `save_as` wrote.

    Raises
    ------
    StateError
        If another process serves from the folder, if the model file is another one, or if
        acknowledged records cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from sgtrees import SGTRegressor
    >>> from sgtrees.serve.rows import read_rows
    >>> def begin():
    ...     return ServedModel(SGTRegressor(), "delay")
    >>> body = b'{"distance": 300, "delay": 12}'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     state = StateFolder(Path(folder), begin, Limits())
    ...     record = Record(read_rows(body, "json"), "json", body, None, 0.0)
    ...     _ = state.apply([record], state.log.append([record.encoded()]))
    ...     state.close()
    ...     again = StateFolder(Path(folder), begin, Limits())
    ...     again.close()
    >>> again.model.rows, again.recovery.rows
    (1, 1)
    """

    def __init__(
        self,
        folder: Path,
        begin: Callable[[], ServedModel],
        limits: Limits,
        origin: Path | None = None,
    ) -> None:
        began = time.perf_counter()
        self.folder = folder
        self.limits = limits
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock = _lock(folder / "lock")
        try:
            self._open(begin, origin)
            rows, records = self._replay()
        except BaseException:
            os.close(self._lock)
            raise
        self.recovery = Recovery(rows, records, time.perf_counter() - began)

    def _open(self, begin: Callable[[], ServedModel], origin: Path | None) -> None:
        folder, limits = self.folder, self.limits
        self.checkpoints = Checkpoints(folder / "checkpoints", keep=_KEPT_CHECKPOINTS)
        last = self.checkpoints.begin(resume=True)
        if last is None:
            self.model = begin()
            self._progress: dict[str, Any] = {
                "target": self.model.target,
                "weight": self.model.weight,
                "state": secrets.token_hex(16),
                "origin": None if origin is None else _digest(origin),
            }
            self.position = 0
            self.checkpoints.save(self.model.estimator, 0, self._progress)
        else:
            self._progress = dict(last.progress)
            self._check_origin(origin)
            self.model = ServedModel(
                last.estimator, self._progress["target"], self._progress["weight"]
            )
            self.position = last.rows
        self.log = WriteAheadLog(folder / "log", first=self.position)
        self.waiting = WaitingRows(
            folder / "waiting.sqlite", limits.waiting_rows, limits.waiting_seconds
        )
        self.ids = RememberedIds(limits.remembered_ids, limits.remembered_seconds)
        self.ids.restore(self.waiting.learned_before(self.position))

    def _check_origin(self, origin: Path | None) -> None:
        if origin is None or not origin.exists() or _digest(origin) == self._progress["origin"]:
            return
        position = read_file(origin).checkpoint or {}
        notes = from_json(position.get("progress"), "progress")
        if not isinstance(notes, dict) or notes.get("state") != self._progress["state"]:
            raise StateError(
                f"{origin} is not the model that {self.folder} began with; serve it from another "
                "folder (--state), or delete this one"
            )

    def _replay(self) -> tuple[int, int]:
        rows = n_records = 0
        # Records are decoded by a thread while those before them are learned.
        for first, records in prefetched(_groups(self.log.read(self.position)), 2):
            n_records += len(records)
            for record, result in zip(records, self.apply(records, first), strict=True):
                # What was refused then is refused now.
                if isinstance(result, RequestError):
                    continue
                rows += len(record.rows)
                if record.labels:
                    self.waiting.drop(record.labels)
        return rows, n_records

    def apply(self, records: Sequence[Record], first: int) -> list[Result]:
        """Learn records of the log in their order.

        Neighbours that are tables of the same columns are learned as one: the model is the same,
        and it takes less time.

        Parameters
        ----------
        records : sequence of Record
            The records.
        first : int
            The number of the first one in the log.

        Returns
        -------
        list
            Of each record what was predicted just before each row, and its label; or why its rows
            do not suit the model, which they have not changed then.
        """
        results: list[Result] = []
        for run in _runs(records):
            for record, result in zip(run, self._learned(run), strict=True):
                if not isinstance(result, RequestError):
                    self._remember(record, first + len(results))
                results.append(result)
        return results

    def _learned(self, run: Sequence[Record]) -> Sequence[Result]:
        if len(run) == 1 or run[0].rows.is_event:
            return self.model.learn_each([record.rows for record in run])
        try:
            return self._learned_as_one(run)
        except RequestError:
            # Nothing was learned: one by one it shows which of them is wrong.
            return self.model.learn_each([record.rows for record in run])

    def _learned_as_one(self, run: Sequence[Record]) -> list[LearnedRows]:
        """Learn records as one table; return what was predicted for each."""
        whole = pa.concat_tables([record.rows.content for record in run]).combine_chunks()
        learned = self.model.learn(Rows(whole))
        ends = list(itertools.accumulate(len(record.rows) for record in run))
        return [learned.part(a, b) for a, b in itertools.pairwise([0, *ends])]

    def _remember(self, record: Record, sequence: int) -> None:
        if record.id is not None:
            key = request_key(record.id)
            self.ids.add(Learned(key, sequence, record.time, record.digest()))
        for name, event in zip(record.labels, record.rows.content, strict=False):
            digest = digest_of_label(event[self.model.target])
            self.ids.add(Learned(label_key(name), sequence, record.time, digest))

    # ---- checkpoints ----------------------------------------------------------------------------

    def take(self) -> Callable[[], None]:
        """Copy the state after the last record; return the function that writes it to the disk."""
        position = self.log.next
        taken = self.checkpoints.take(self.model.estimator, position, self._progress)
        learned = self.ids.take_unsaved()

        def write() -> None:
            try:
                self._write(taken, learned)
            except BaseException:
                self.ids.put_back(learned)
                raise
            self.position = position

        return write

    def _write(self, taken: TakenCheckpoint, learned: list[Learned]) -> None:
        # The ids come first: those that the checkpoint does not know yet are passed over.
        if learned:
            oldest = learned[-1].time - self.limits.remembered_seconds
            self.waiting.save_learned(learned, self.limits.remembered_ids, oldest)
        self.checkpoints.write(taken)
        first = int(self.checkpoints.paths()[0].stem.partition("-")[2])
        self.log.forget(first)

    def save_as(self, path: Path) -> None:
        """Write the model as a file for the other commands."""
        position = {
            "rows": self.model.rows,
            "progress": to_json(self._progress, "progress"),
        }
        write_file(path, contents_of(self.model.estimator, checkpoint=position))

    def close(self) -> None:
        """Close all files; the model stays as it is."""
        self.log.close()
        self.waiting.close()
        os.close(self._lock)


def request_key(name: str) -> str:
    """Return the key of a request's id."""
    return f"request:{name}"


def label_key(name: str) -> str:
    """Return the key of the id under which a row waited."""
    return f"label:{name}"


def _digest(path: Path) -> str | None:
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def _lock(path: Path) -> int:
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    if sys.platform == "win32":
        return descriptor
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(descriptor)
        if error.errno not in (errno.EWOULDBLOCK, errno.EACCES):
            raise
        raise StateError(f"another process serves from {path.parent}") from error
    return descriptor


def _groups(texts: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, list[Record]]]:
    """Yield the records of a log in groups of some rows, with the number of the first of each."""
    first = n_rows = 0
    group: list[Record] = []
    for sequence, text in texts:
        if not group:
            first = sequence
        group.append(Record.decoded(text))
        n_rows += len(group[-1].rows)
        if n_rows >= _ROWS_AT_ONCE:
            yield first, group
            group, n_rows = [], 0
    if group:
        yield first, group


def _runs(records: Sequence[Record]) -> Iterator[Sequence[Record]]:
    """Yield neighbours that can be learned by one call."""
    first = 0
    for place in range(1, len(records) + 1):
        if place == len(records) or not records[place - 1].goes_with(records[place]):
            yield records[first:place]
            first = place
