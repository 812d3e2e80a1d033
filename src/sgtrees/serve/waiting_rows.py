"""Predicted rows that wait for their labels, and remembered ids, in an SQLite file."""

import sqlite3
import threading
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple, TypeAlias

from sgtrees.serve.remembered_ids import Learned

StoreError: TypeAlias = sqlite3.Error

_TABLES = """
CREATE TABLE IF NOT EXISTS waiting (
    place INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    row TEXT NOT NULL,
    predicted TEXT NOT NULL,
    time REAL NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS waiting_time ON waiting (time);
CREATE TABLE IF NOT EXISTS learned (
    key TEXT PRIMARY KEY,
    sequence INTEGER NOT NULL,
    time REAL NOT NULL,
    digest TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS learned_sequence ON learned (sequence);
"""
# SQLite takes a limited number of values in one statement.
_IDS_IN_A_STATEMENT = 500


class WaitingRow(NamedTuple):
    """A row as it was predicted: the row and its prediction are JSON."""

    id: str
    row: str
    predicted: str
    time: float


class WaitingRows:
    """Rows that wait for their labels, bounded by number and time.

    They are written before a prediction is answered, and survive the process (not always the
    machine: its last moments may be lost).

    Parameters
    ----------
    path : Path
        The file.
    most : int
        Only the latest of so many predicted rows wait.
    seconds : float
        How long they may.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = WaitingRows(Path(folder, "waiting.sqlite"), most=10, seconds=60.0)
    ...     store.keep([WaitingRow("a", '{"size": 3.5}', '"apple"', 0.0)])
    ...     store.find(["a", "b"])["a"].row, store.count()
    ...     store.close()
    ('{"size": 3.5}', 1)
    """

    def __init__(self, path: Path, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._lock = threading.Lock()
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode=WAL")
        self._connection.execute("PRAGMA synchronous=NORMAL")
        self._connection.executescript(_TABLES)

    def count(self) -> int:
        """Return how many rows wait."""
        with self._lock:
            ((count,),) = self._connection.execute("SELECT count(*) FROM waiting")
        return int(count)

    def keep(self, rows: Sequence[WaitingRow]) -> None:
        """Keep rows; those that wait under the same ids are replaced."""
        with self._lock, self._transaction() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO waiting (id, row, predicted, time) VALUES (?, ?, ?, ?)",
                rows,
            )
            oldest = rows[-1].time - self._seconds
            connection.execute("DELETE FROM waiting WHERE time < ?", (oldest,))
            ((last,),) = connection.execute("SELECT max(place) FROM waiting")
            connection.execute("DELETE FROM waiting WHERE place <= ?", (last - self._most,))

    def find(self, ids: Sequence[str]) -> dict[str, WaitingRow]:
        """Return the rows that wait under some ids."""
        found: dict[str, WaitingRow] = {}
        with self._lock:
            for first in range(0, len(ids), _IDS_IN_A_STATEMENT):
                some = ids[first : first + _IDS_IN_A_STATEMENT]
                marks = ",".join("?" * len(some))
                query = f"SELECT id, row, predicted, time FROM waiting WHERE id IN ({marks})"
                for values in self._connection.execute(query, some):
                    row = WaitingRow(*values)
                    found[row.id] = row
        return found

    def drop(self, ids: Sequence[str]) -> None:
        """Drop the rows of some ids: their labels have come."""
        with self._lock, self._transaction() as connection:
            connection.executemany("DELETE FROM waiting WHERE id = ?", [(key,) for key in ids])

    # ---- remembered ids -------------------------------------------------------------------------

    def save_learned(self, learned: Sequence[Learned], most: int, oldest: float) -> None:
        """Save ids for a checkpoint, and delete those that are too old or too many."""
        with self._lock, self._transaction() as connection:
            connection.executemany("INSERT OR REPLACE INTO learned VALUES (?, ?, ?, ?)", learned)
            connection.execute("DELETE FROM learned WHERE time < ?", (oldest,))
            ((count,),) = connection.execute("SELECT count(*) FROM learned")
            connection.execute(
                "DELETE FROM learned WHERE key IN "
                "(SELECT key FROM learned ORDER BY sequence LIMIT ?)",
                (max(0, count - most),),
            )

    def learned_before(self, sequence: int) -> Iterable[Learned]:
        """Return the ids of records before a sequence number, the oldest first."""
        query = "SELECT * FROM learned WHERE sequence < ? ORDER BY sequence"
        with self._lock:
            return [Learned(*values) for values in self._connection.execute(query, (sequence,))]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()

    def _transaction(self) -> "_Transaction":
        return _Transaction(self._connection)


class _Transaction:
    """All of what is executed, or nothing."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> sqlite3.Connection:
        self._connection.execute("BEGIN IMMEDIATE")
        return self._connection

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        with closing(self._connection.cursor()) as cursor:
            if self._connection.in_transaction:
                cursor.execute("COMMIT" if kind is None else "ROLLBACK")
