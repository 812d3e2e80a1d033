"""Messages as they were read, and from which of them the rows of a block are."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Position = Mapping[str, Any]

PAYLOAD_FORMATS = ("json", "avro", "confluent-avro", "arrow")
"""The formats of what messages hold; what reads them needs optional dependencies."""


class Messages(ABC):
    """Consecutive messages of a topic or stream.

    Attributes
    ----------
    payloads : sequence of bytes or None
        What they hold; None if a message holds nothing, which says that something was deleted.
    """

    payloads: Sequence[bytes | None]

    def __len__(self) -> int:
        return len(self.payloads)

    @abstractmethod
    def key(self, number: int) -> str:
        """Return what identifies a message: it is the key of its prediction."""

    @abstractmethod
    def label(self, number: int) -> str:
        """Return the place of a message for people."""

    @abstractmethod
    def next_after(self, number: int) -> Position:
        """Return where reading continues after a message; before them all if it is -1."""


@dataclass(frozen=True)
class Places:
    """The messages from which the rows of a block are.

    Attributes
    ----------
    source : str
        The topic or stream.
    messages : Messages
        The messages that were read together.
    numbers : ndarray of shape (n_rows,)
        The number of each row's message among them.
    rows : ndarray of shape (n_rows,) or None
        The number of each row within its message; None if every message is one row.
    counts : ndarray or None
        The number of rows in each message; None like ``rows``.
    reading : mapping from str to str
        How the messages were read, which a position has too: their format, and the columns' types.
    """

    source: str
    messages: Messages
    numbers: Rows
    rows: Rows | None = None
    counts: Rows | None = None
    reading: Mapping[str, str] = field(default_factory=dict)

    def of_rows(self, rows: Any) -> "Places":
        """Return the places of some rows, by a slice or by their numbers."""
        return replace(
            self,
            numbers=self.numbers[rows],
            rows=None if self.rows is None else self.rows[rows],
        )

    def label(self, row: int) -> str:
        """Return the place of a row for people."""
        return self.messages.label(int(self.numbers[row]))

    @property
    def keys(self) -> list[str]:
        """The key of each row: the same whenever it is read."""
        keys = [self.messages.key(number) for number in self.numbers.tolist()]
        if self.rows is None:
            return keys
        return [f"{key}:{row}" for key, row in zip(keys, self.rows.tolist(), strict=True)]

    @property
    def position(self) -> dict[str, Any]:
        """Where the stream continues after the last of the rows, as plain values for a file."""
        number = int(self.numbers[-1])
        position: dict[str, Any] = {"source": self.source, **self.reading}
        learned = 0 if self.rows is None else int(self.rows[-1]) + 1
        if self.counts is None or learned == self.counts[number]:
            return position | {"next": dict(self.messages.next_after(number))}
        # In the middle of a message, which is read again without its first rows.
        before = dict(self.messages.next_after(number - 1))
        return position | {"next": before, "message": self.messages.key(number), "rows": learned}
