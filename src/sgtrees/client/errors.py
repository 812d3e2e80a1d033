"""What can go wrong, as types; each has the server's sentence."""

from http import HTTPStatus


class ClientError(Exception):
    """A request that did not succeed.

    Attributes
    ----------
    status : int or None
        The status of the reply; None if none came.
    name : str or None
        What is wrong, in one word that does not change between versions of the server.

    Examples
    --------
    >>> from sgtrees.client import Client, ClientError
    >>> client = Client("http://127.0.0.1:1", retry_seconds=0)
    >>> try:
    ...     client.predict({"size": 3.5})
    ... except ClientError as error:
    ...     print(type(error).__name__, error.status)
    UnreachableError None
    """

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        name: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.name = name
        self.retry_after = retry_after


class UnreachableError(ClientError):
    """No reply came: the server cannot be reached, or the connection was lost.

    Examples
    --------
    >>> from sgtrees.client import Client
    >>> Client("http://127.0.0.1:1", retry_seconds=0).model()
    Traceback (most recent call last):
    sgtrees.client.errors.UnreachableError: http://127.0.0.1:1 gave no reply: ...
    """


class RefusedError(ClientError):
    """The request is wrong: the model is as it was, and the same request will be refused again.

    Examples
    --------
    >>> from sgtrees.client import Client
    >>> with Client(url) as client:
    ...     client.learn({"size": 3.5})
    Traceback (most recent call last):
    sgtrees.client.errors.RefusedError: a row to learn has its label in 'kind'; ...
    """


class NotAllowedError(RefusedError):
    """The token is missing, unknown or for something else; or the server does not learn.

    Examples
    --------
    >>> issubclass(NotAllowedError, RefusedError)
    True
    """


class UnknownIdError(RefusedError):
    """No row waits for its label under an id.

    Examples
    --------
    >>> from sgtrees.client import Client
    >>> with Client(url) as client:
    ...     client.label("nobody", "apple")
    Traceback (most recent call last):
    sgtrees.client.errors.UnknownIdError: no row waits under the id 'nobody'; ...
    """


class ConflictError(RefusedError):
    """The id was used for other rows, or for another label.

    Examples
    --------
    >>> from sgtrees.client import Client
    >>> with Client(url) as client:
    ...     client.learn({"size": 3.5, "kind": "apple"}, request_id="morning")
    ...     client.learn({"size": 0.5, "kind": "cherry"}, request_id="morning")
    Traceback (most recent call last):
    sgtrees.client.errors.ConflictError: other rows have been learned under the id 'morning'
    """


class ServerError(ClientError):
    """The server cannot do it now; the same request may succeed later.

    Examples
    --------
    >>> issubclass(OverloadedError, ServerError)
    True
    """


class OverloadedError(ServerError):
    """Too much waits to be learned, also after the repeats.

    Examples
    --------
    >>> issubclass(OverloadedError, ClientError)
    True
    """


_TYPES: dict[int, type[ClientError]] = {
    HTTPStatus.UNAUTHORIZED: NotAllowedError,
    HTTPStatus.FORBIDDEN: NotAllowedError,
    HTTPStatus.CONFLICT: ConflictError,
    HTTPStatus.TOO_MANY_REQUESTS: OverloadedError,
}


def error_of(
    status: int, name: str | None, message: str, retry_after: float | None = None
) -> ClientError:
    """Return the error of a reply.

    Examples
    --------
    >>> error_of(409, "id_used", "other rows have been learned under the id 'a'")
    ConflictError("other rows have been learned under the id 'a'")
    """
    kind = _TYPES.get(status)
    if kind is None:
        kind = ServerError if status >= HTTPStatus.INTERNAL_SERVER_ERROR else RefusedError
    if name == "unknown_id":
        kind = UnknownIdError
    return kind(message, status=status, name=name, retry_after=retry_after)
