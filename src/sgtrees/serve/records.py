"""What the log holds of a request to learn: all that is needed to learn it again."""

import hashlib
import json
from typing import Any, NamedTuple

from sgtrees.serve.errors import StateError
from sgtrees.serve.rows import Rows, read_rows


class Record(NamedTuple):
    """A request to learn.

    Attributes
    ----------
    rows : Rows
        The rows with their labels.
    kind, body : str, bytes
        The format and the bytes that they were read from.
    id : str or None
        The request's id.
    time : float
        When it came, in seconds since 1970.
    labels : tuple of str
        If the rows waited for their labels: the ids that they waited under.
    predicted : tuple
        What was predicted for them then.
    """

    rows: Rows
    kind: str
    body: bytes
    id: str | None
    time: float
    labels: tuple[str, ...] = ()
    predicted: tuple[Any, ...] = ()

    def encoded(self) -> tuple[bytes, bytes]:
        """Return the record as the log has it, in two parts: the body is not copied."""
        if self.id is None and not self.labels:
            return b'{"format": "%b", "time": %r}\n' % (self.kind.encode(), self.time), self.body
        header: dict[str, Any] = {"format": self.kind, "time": self.time}
        if self.id is not None:
            header["id"] = self.id
        if self.labels:
            header |= {"labels": self.labels, "predicted": self.predicted}
        return json.dumps(header).encode() + b"\n", self.body

    @classmethod
    def decoded(cls, text: bytes) -> "Record":
        """Return a record of the log.

        Examples
        --------
        >>> rows = read_rows(b'{"size": 1, "kind": "apple"}', "json")
        >>> record = Record(rows, "json", b'{"size": 1, "kind": "apple"}', "r1", 0.0)
        >>> Record.decoded(b"".join(record.encoded())) == record
        True
        """
        start, _, body = text.partition(b"\n")
        try:
            header = json.loads(start)
            rows = read_rows(body, header["format"])
            return cls(
                rows,
                header["format"],
                body,
                header.get("id"),
                header["time"],
                tuple(header.get("labels", ())),
                tuple(header.get("predicted", ())),
            )
        except (ValueError, KeyError) as error:
            raise StateError(f"a record of the log cannot be read: {error}") from error

    def goes_with(self, other: "Record") -> bool:
        """Return whether both can be learned by one call.

        That is so for single events, and for tables of the same columns and types.
        """
        own, others = self.rows.content, other.rows.content
        if self.rows.is_event:
            return other.rows.is_event
        if self.labels or other.labels or isinstance(own, list) or isinstance(others, list):
            return False
        return bool(own.schema.equals(others.schema))

    def digest(self) -> str:
        """Return what tells this request from another one under the same id."""
        return hashlib.blake2b(self.body, digest_size=8).hexdigest()


def digest_of_label(label: Any) -> str:
    """Return what tells a label from another one."""
    return hashlib.blake2b(json.dumps(label).encode(), digest_size=8).hexdigest()
