"""What a server takes: sizes, numbers and times, each with its default."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Limits of a server.

    Attributes
    ----------
    body_bytes : int
        The size of a request.
    request_rows : int
        The number of rows of a request.
    body_seconds : float
        How long a request may take to arrive.
    queue_rows, queue_bytes : int
        What may wait to be learned.
    connections : int
        How many connections may be open.
    waiting_rows : int
        The latest of so many predicted rows wait for their labels.
    waiting_seconds : float
        How long they may.
    remembered_ids : int
        How many ids of learned requests are remembered.
    remembered_seconds : float
        For how long.
    """

    body_bytes: int = 64 << 20
    request_rows: int = 100_000
    body_seconds: float = 30.0
    queue_rows: int = 200_000
    queue_bytes: int = 256 << 20
    connections: int = 1000
    waiting_rows: int = 1_000_000
    waiting_seconds: float = 7 * 86_400.0
    remembered_ids: int = 200_000
    remembered_seconds: float = 86_400.0
