"""The client for ordinary programs."""

import ssl
import time
from collections.abc import Iterable, Sequence
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


class Client:
    """A client of ``sgtrees serve``; any number of threads may use it.

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

    Examples
    --------
    The server at ``url`` was started by ``sgtrees serve new.sgt --target kind --task
    classification``.

    >>> from sgtrees.client import Client
    >>> fruits = [{"size": 3.5, "kind": "apple"}, {"size": 0.5, "kind": "cherry"}]
    >>> with Client(url) as client:
    ...     learned = client.learn(1000 * fruits)
    ...     found = client.predict([{"size": 3.5}, {"size": 0.5}])
    ...     later = client.labels(found.ids, ["apple", "cherry"])
    >>> learned.learned, found.predictions, later.learned
    (2000, ['apple', 'cherry'], 2)
    """

    def __init__(
        self,
        url: str,
        *,
        token: Token = None,
        timeout: float = 30.0,
        retry_seconds: float = 60.0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._connections = Connections(url, timeout, tls)
        self._token = token
        self._retry_seconds = retry_seconds

    def predict(
        self,
        rows: Rows,
        *,
        ids: Sequence[str] | None = None,
        keep: bool = True,
        proba: bool = False,
    ) -> Prediction:
        """Predict rows.

        Parameters
        ----------
        rows : dict, list of dict, data frame or Arrow table
            The rows. Tables go as Arrow, where pyarrow is installed.
        ids : sequence of str, optional
            The names under which the rows wait for their labels; by default new ones are made.
        keep : bool, default=True
            Whether they wait. Without, it is faster.
        proba : bool, default=False
            Whether to return the probability of each label too.

        Returns
        -------
        Prediction
            The predictions, and the ids for `labels`.

        Raises
        ------
        ClientError
            If it does not succeed: see `sgtrees.client`.

        Examples
        --------
        >>> with Client(url) as client:
        ...     client.predict({"size": 3.0}, ids=["order 7"]).ids
        ['order 7']
        """
        return self._answer(predict_call(rows, ids, keep=keep, proba=proba))

    def learn(self, rows: Rows, *, request_id: str | None = None) -> Learned:
        """Learn rows with their labels: all of them, once, or none.

        Parameters
        ----------
        rows : dict, list of dict, data frame or Arrow table
            The rows; the label is in the target's column. Tables go as Arrow, where pyarrow is
            installed.
        request_id : str, optional
            What is repeated under it is learned once; by default a new one is made for each call,
            which all of its attempts have. Give one that a program makes again after a crash, such
            as the place in a file, and it may repeat what it does not know to be done.

        Returns
        -------
        Learned
            How many rows were learned, when they are on the server's disk.

        Raises
        ------
        ClientError
            If it does not succeed.

        Examples
        --------
        >>> with Client(url) as client:
        ...     for _ in range(2):
        ...         done = client.learn({"size": 3.5, "kind": "apple"}, request_id="line 1")
        >>> done.learned, done.repeated
        (0, 1)
        """
        return self._answer(learn_call("/learn", rows, request_id))

    def learn_predict(self, rows: Rows, *, request_id: str | None = None) -> Learned:
        """Predict each row, and then learn it.

        Parameters
        ----------
        rows, request_id
            As in `learn`.

        Returns
        -------
        Learned
            With ``predictions``; without them if the request was learned and its reply was lost.

        Raises
        ------
        ClientError
            If it does not succeed.

        Examples
        --------
        >>> with Client(url) as client:
        ...     len(client.learn_predict([{"size": 3.5, "kind": "apple"}]).predictions)
        1
        """
        return self._answer(learn_call("/learn_predict", rows, request_id))

    def label(self, row_id: str, label: Any, *, weight: float | None = None) -> Learned:
        """Learn a row that was predicted before: its label has come.

        Parameters
        ----------
        row_id : str
            The id under which it waits.
        label : str, int, float or bool
            Its label.
        weight : float, optional
            Its weight, if the model has a column of weights.

        Returns
        -------
        Learned
            1 row, learned now or before.

        Raises
        ------
        UnknownIdError
            If no row waits under the id.
        ClientError
            If it does not succeed for another reason.

        Examples
        --------
        >>> with Client(url) as client:
        ...     name = client.predict({"size": 3.0}).ids[0]
        ...     client.label(name, "apple").learned
        1
        """
        return self.labels([row_id], [label], weights=None if weight is None else [weight])

    def labels(
        self,
        ids: Iterable[str],
        labels: Iterable[Any],
        *,
        weights: Iterable[float] | None = None,
        request_id: str | None = None,
    ) -> Learned:
        """Learn rows that were predicted before: all of them, or none.

        Parameters
        ----------
        ids, labels, weights
            The ids under which the rows wait, their labels, and weights if there are any.
        request_id : str, optional
            As in `learn`.

        Returns
        -------
        Learned
            How many were learned.

        Raises
        ------
        ClientError
            If it does not succeed.

        Examples
        --------
        >>> with Client(url) as client:
        ...     found = client.predict([{"size": 3.5}, {"size": 0.5}])
        ...     client.labels(found.ids, ["apple", "cherry"]).learned
        2
        """
        return self._answer(labels_call(ids, labels, weights, request_id))

    def model(self) -> dict[str, Any]:
        """Return the model in words and numbers: columns, size, importances, errors.

        Returns
        -------
        dict
            The reply of ``/model``.

        Examples
        --------
        >>> with Client(url) as client:
        ...     client.model()["target"]
        'kind'
        """
        return self._answer(model_call())

    def health(self) -> Health:
        """Ask what the server can do now; this is not repeated.

        Returns
        -------
        Health
            Whether rows can be predicted and learned.

        Raises
        ------
        UnreachableError
            If the server does not answer.

        Examples
        --------
        >>> with Client(url) as client:
        ...     client.health()
        Health(predict=True, learn=True, reason=None)
        """
        return self._answer(health_call())

    def close(self) -> None:
        """Close the connections.

        Examples
        --------
        >>> client = Client(url)
        >>> client.close()
        """
        self._connections.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _answer(self, call: Call[Reply]) -> Reply:
        attempts = Attempts(self._retry_seconds if call.may_repeat else 0.0)
        while True:
            try:
                return send(self._connections, call, self._token)
            except ClientError as error:
                pause = attempts.pause_after(error)
            time.sleep(pause)
