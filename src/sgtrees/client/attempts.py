"""When a request is sent again, and what its reply means."""

import random
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from sgtrees.client.calls import Call, document_of
from sgtrees.client.connections import Connections, RawReply
from sgtrees.client.errors import ClientError, UnreachableError, error_of

Reply = TypeVar("Reply")
Token = str | Mapping[str, str] | None

# Statuses of a server, or of a proxy before it, that may be well in a moment.
_PASSING = frozenset({429, 502, 503, 504})
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 2.0


class Attempts:
    """The attempts of one request.

    Parameters
    ----------
    seconds : float
        How long it may be repeated.
    now : callable
        The time.

    Examples
    --------
    >>> attempts = Attempts(30.0)
    >>> attempts.pause_after(error_of(429, "queue_full", "too much waits", retry_after=3.0)) >= 3.0
    True
    >>> attempts.pause_after(error_of(422, "no_target", "no label"))
    Traceback (most recent call last):
    sgtrees.client.errors.RefusedError: no label
    """

    def __init__(self, seconds: float, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._end = now() + seconds
        self._pause = _FIRST_PAUSE

    def pause_after(self, error: ClientError) -> float:
        """Return how long to wait before the next attempt.

        Raises
        ------
        ClientError
            The error itself, if the request is not to be repeated.
        """
        if not isinstance(error, UnreachableError) and error.status not in _PASSING:
            raise error
        # Clients that were refused together should not come back together.
        pause = (error.retry_after or 0.0) + random.uniform(0.5, 1.0) * self._pause
        if self._now() + pause > self._end:
            raise error
        self._pause = min(2.0 * self._pause, _LONGEST_PAUSE)
        return pause


def send(connections: Connections, call: Call[Reply], token: Token) -> Reply:
    """Send a request once.

    Raises
    ------
    ClientError
        If it does not succeed.
    """
    headers = {**call.headers, **_authorization(token, call.role)}
    raw = connections.exchange(call.method, call.path, call.body, headers)
    document = document_of(raw.content)
    if raw.status in call.answers and isinstance(document, dict):
        try:
            return call.read(document)
        except (KeyError, TypeError, ValueError) as error:
            if raw.status >= 400:
                raise _error(raw, document, connections.url) from None
            raise ClientError(
                f"{connections.url} gave a reply that is none of sgtrees: {error}",
                status=raw.status,
            ) from error
    raise _error(raw, document, connections.url)


def _authorization(token: Token, role: str | None) -> dict[str, str]:
    if isinstance(token, Mapping):
        token = next(iter(token.values()), None) if role is None else token.get(role)
    return {} if token is None else {"Authorization": f"Bearer {token}"}


def _error(raw: RawReply, document: object, url: str) -> ClientError:
    found = document.get("error") if isinstance(document, dict) else None
    if isinstance(found, dict):
        name, message = found.get("name"), str(found.get("message"))
    else:
        text = raw.content[:200].decode("utf-8", "replace").strip()
        name, message = None, f"{url} answered {raw.status}: {text}"
    return error_of(
        raw.status,
        name,
        message,
        _seconds(raw.headers.get("retry-after")),
    )


def _seconds(text: str | None) -> float | None:
    """Read ``Retry-After``; a proxy may send a date, for which the pauses of our own do."""
    return float(text) if text is not None and text.isdigit() else None
