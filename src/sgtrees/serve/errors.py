"""Errors that a client is told: a status, a name for programs and a sentence for people."""

from typing import Any


class RequestError(Exception):
    """A request that is refused; the model is as it was.

    Parameters
    ----------
    status : int
        The status of the reply.
    name : str
        What is wrong, in one word that does not change between versions.
    message : str
        What is wrong, and what would be right.
    retry_after : int, optional
        After how many seconds the same request may succeed.

    Examples
    --------
    >>> RequestError(404, "unknown_id", "no row waits under the id 'a'").document()
    {'error': {'name': 'unknown_id', 'message': "no row waits under the id 'a'"}}
    """

    def __init__(
        self, status: int, name: str, message: str, *, retry_after: int | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.name = name
        self.message = message
        self.retry_after = retry_after

    def document(self) -> dict[str, Any]:
        """Return the body of the reply."""
        return {"error": {"name": self.name, "message": self.message}}


class StateError(Exception):
    """A state folder that cannot be served from."""
