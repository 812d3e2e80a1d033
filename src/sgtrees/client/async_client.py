"""The client for programs with asyncio."""

import asyncio
import ssl
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import Any, Self, TypeVar

from sgtrees.client.attempts import Attempts, Token, send
from sgtrees.client.bodies import Rows
from sgtrees.client.calls import (
    Call,
    health_call,
    labels_call,
    learn_call,
    model_call,
    predict_call,
)
from sgtrees.client.connections import Connections
from sgtrees.client.errors import ClientError
from sgtrees.client.replies import Health, Learned, Prediction

Reply = TypeVar("Reply")


class AsyncClient:
    """A client of ``sgtrees serve`` whose methods are awaited; else as `Client`.

    Requests run in threads. One that is cancelled is not waited for any more; it may still be
    learned.

    Parameters
    ----------
    url : str
        The server's URL. With a path if a proxy has put the server there.
    token : str or mapping, optional
        The token; or one for each role, as in ``{"predict": ..., "learn": ...}``.
    timeout : float, default=30.0
        How long to wait for the server to do anything, in seconds.
    retry_seconds : float, default=60.0
        How long a request is repeated, if the connection is lost or the server says that it is
        overloaded or not ready. Pauses grow to two seconds; ``Retry-After`` is obeyed. 0: once.
    tls : ssl.SSLContext, optional
        Whom to trust, for ``https``; by default those whom the system trusts.
    connections : int, default=16
        How many requests may be under way at once; others wait.

    Examples
    --------
    >>> import asyncio
    >>> from sgtrees.client import AsyncClient
    >>> async def main():
    ...     async with AsyncClient(url) as client:
    ...         fruits = [{"size": 3.5, "kind": "apple"}, {"size": 0.5, "kind": "cherry"}]
    ...         await asyncio.gather(*(client.learn(100 * fruits) for _ in range(10)))
    ...         return await client.predict([{"size": 3.5}, {"size": 0.5}])
    >>> asyncio.run(main()).predictions
    ['apple', 'cherry']
    """

    def __init__(
        self,
        url: str,
        *,
        token: Token = None,
        timeout: float = 30.0,
        retry_seconds: float = 60.0,
        tls: ssl.SSLContext | None = None,
        connections: int = 16,
    ) -> None:
        self._connections = Connections(url, timeout, tls)
        self._token = token
        self._retry_seconds = retry_seconds
        self._threads = ThreadPoolExecutor(connections, thread_name_prefix="sgtrees-client")

    async def predict(
        self,
        rows: Rows,
        *,
        ids: Sequence[str] | None = None,
        keep: bool = True,
        proba: bool = False,
    ) -> Prediction:
        """Predict rows.

        Parameters and results are those of `Client.predict`.

        Examples
        --------
        >>> async def main():
        ...     async with AsyncClient(url) as client:
        ...         return await client.predict({"size": 3.0}, ids=["order 8"])
        >>> asyncio.run(main()).ids
        ['order 8']
        """
        return await self._answer(predict_call(rows, ids, keep=keep, proba=proba))

    async def learn(self, rows: Rows, *, request_id: str | None = None) -> Learned:
        """Learn rows with their labels: all of them, once, or none.

        Parameters and results are those of `Client.learn`.

        Examples
        --------
        >>> async def main():
        ...     async with AsyncClient(url) as client:
        ...         return await client.learn({"size": 3.5, "kind": "apple"})
        >>> asyncio.run(main()).learned
        1
        """
        return await self._answer(learn_call("/learn", rows, request_id))

    async def learn_predict(self, rows: Rows, *, request_id: str | None = None) -> Learned:
        """Predict each row, and then learn it.

        Parameters and results are those of `Client.learn_predict`.

        Examples
        --------
        >>> async def main():
        ...     async with AsyncClient(url) as client:
        ...         return await client.learn_predict({"size": 3.5, "kind": "apple"})
        >>> asyncio.run(main()).predictions
        ['apple']
        """
        return await self._answer(learn_call("/learn_predict", rows, request_id))

    async def label(self, row_id: str, label: Any, *, weight: float | None = None) -> Learned:
        """Learn a row that was predicted before: its label has come.

        Parameters and results are those of `Client.label`.

        Examples
        --------
        >>> async def main():
        ...     async with AsyncClient(url) as client:
        ...         return await client.label((await client.predict({"size": 3.0})).ids[0], "apple")
        >>> asyncio.run(main()).learned
        1
        """
        return await self.labels([row_id], [label], weights=None if weight is None else [weight])

    async def labels(
        self,
        ids: Iterable[str],
        labels: Iterable[Any],
        *,
        weights: Iterable[float] | None = None,
        request_id: str | None = None,
    ) -> Learned:
        """Learn rows that were predicted before: all of them, or none.

        Parameters and results are those of `Client.labels`.

        Examples
        --------
        >>> async def main():
        ...     async with AsyncClient(url) as client:
        ...         return await client.labels((await client.predict({"size": 3.0})).ids, ["apple"])
        >>> asyncio.run(main()).learned
        1
        """
        return await self._answer(labels_call(ids, labels, weights, request_id))

    async def model(self) -> dict[str, Any]:
        """Return the model in words and numbers: columns, size, importances, errors.

        Parameters and results are those of `Client.model`.

        Examples
        --------
        >>> async def main():
        ...     async with AsyncClient(url) as client:
        ...         return await client.model()
        >>> asyncio.run(main())["target"]
        'kind'
        """
        return await self._answer(model_call())

    async def health(self) -> Health:
        """Ask what the server can do now; this is not repeated.

        Parameters and results are those of `Client.health`.

        Examples
        --------
        >>> async def main():
        ...     async with AsyncClient(url) as client:
        ...         return await client.health()
        >>> asyncio.run(main())
        Health(predict=True, learn=True, reason=None)
        """
        return await self._answer(health_call())

    async def close(self) -> None:
        """Close the connections.

        Examples
        --------
        >>> asyncio.run(AsyncClient(url).close())
        """
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._connections.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def _answer(self, call: Call[Reply]) -> Reply:
        loop = asyncio.get_running_loop()
        attempts = Attempts(self._retry_seconds if call.may_repeat else 0.0)
        while True:
            try:
                return await loop.run_in_executor(
                    self._threads, send, self._connections, call, self._token
                )
            except ClientError as error:
                pause = attempts.pause_after(error)
            await asyncio.sleep(pause)
