"""A client of ``sgtrees serve``: rows go out, predictions come back, repeats are learned once.

Every request to learn has an id, which stays the same when it is repeated: when the connection is
lost, the server starts again or is overloaded, nothing is lost and nothing is learned twice.

It needs no other package: the standard library has spoken HTTP for decades, and will. (Asynchronous
requests run in threads, so that both clients share one way to the server.) Tables go as Arrow where
pyarrow is installed.
"""

from sgtrees.client.async_client import AsyncClient
from sgtrees.client.errors import (
    ClientError,
    ConflictError,
    NotAllowedError,
    OverloadedError,
    RefusedError,
    ServerError,
    UnknownIdError,
    UnreachableError,
)
from sgtrees.client.replies import Health, Learned, Prediction
from sgtrees.client.sync_client import Client

__all__ = [
    "AsyncClient",
    "Client",
    "ClientError",
    "ConflictError",
    "Health",
    "Learned",
    "NotAllowedError",
    "OverloadedError",
    "Prediction",
    "RefusedError",
    "ServerError",
    "UnknownIdError",
    "UnreachableError",
]
