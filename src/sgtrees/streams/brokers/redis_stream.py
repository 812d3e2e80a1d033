"""Streams of Redis, by redis-py."""

import contextlib
import gc
import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

import redis

from sgtrees.streams.brokers.addresses import Address
from sgtrees.streams.brokers.broker import PATIENCE, MessageSink, MessageSource, Start
from sgtrees.streams.brokers.messages import Messages, Position
from sgtrees.streams.errors import StreamError

_LOGGER = logging.getLogger(__name__)
_PAUSE = 0.5
# The field of an entry that has the payload, if there are several.
_PAYLOAD = b"data"
_LOST = (redis.ConnectionError, redis.TimeoutError)

Reply = TypeVar("Reply")


class RedisMessages(Messages):
    """Entries of a stream.

    Parameters
    ----------
    entries : sequence of (bytes, list)
        The id of each, and its fields and values in turn.
    before : str
        The id of the entry before them.
    n_before : int or None
        How many entries the stream had before them, if that is known.
    """

    def __init__(
        self, entries: Sequence[tuple[bytes, list[bytes]]], before: str, n_before: int | None
    ) -> None:
        self._entries = entries
        self._before = before
        self._n_before = n_before
        self.payloads = [
            fields[1] if len(fields) == 2 else _payload(fields) for _, fields in entries
        ]

    def key(self, number: int) -> str:
        """Return an entry's id."""
        return self._entries[number][0].decode()

    def label(self, number: int) -> str:
        """Return an entry's id for people."""
        return f"entry {self.key(number)}"

    def next_after(self, number: int) -> Position:
        """Return where reading continues after an entry."""
        last = self._before if number < 0 else self.key(number)
        n_before = None if self._n_before is None else self._n_before + number + 1
        return {"after": last, "entries": n_before}


def _payload(fields: list[bytes]) -> bytes:
    """Return the payload of an entry of several fields; nothing if it is not known which it is."""
    by_name = dict(zip(fields[::2], fields[1::2], strict=True))
    return by_name.get(_PAYLOAD, b"")


@contextlib.contextmanager
def paused_collection() -> Iterator[None]:
    """Collect no garbage for a moment.

    A reply is tens of thousands of lists, which the collector would look at again and again while
    they are made: that takes several times as long as to make them.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class RedisSource(MessageSource):
    """The entries of a stream; see `MessageSource`.

    Parameters
    ----------
    address : Address
        The stream.
    options : mapping
        Options of ``redis.Redis``.
    """

    def __init__(self, address: Address, options: Mapping[str, Any]) -> None:
        self._server = _Server(address, options)
        self._name = address.name
        self._source = address.source
        self._last = "0-0"
        self._n_before: int | None = None

    def seek(self, start: Start | Position) -> None:
        """Continue at the first entry, after the last one, or at a position."""
        about = self._about()
        if isinstance(start, str):
            is_first = start == "earliest" or about is None
            self._last = "0-0" if is_first or about is None else about.last
            n_kept = about.length if about is not None and is_first else 0
            self._n_before = None if about is None else about.added - n_kept
        else:
            self._last = str(start["after"])
            self._n_before = start["entries"]
            self._check_nothing_removed(about)
        if about is None and self._n_before is None:
            # There is no stream yet: it will begin with the first entry.
            self._n_before = 0

    def _check_nothing_removed(self, about: "_About | None") -> None:
        n_read = self._n_before
        if about is None or n_read is None or about.first is None:
            return
        n_lost = about.added - about.length - n_read
        if n_lost > 0 and _as_numbers(about.first) > _as_numbers(self._last):
            raise StreamError(
                f"{self._source}: {n_lost:,} entries after {self._last} were removed before they "
                "were read; --update continues the model with the entries that are there"
            )

    def read(self, most: int, seconds: float) -> Messages | None:
        """Return the next entries, as soon as there are some."""
        entries = self._entries("COUNT", most)
        if not entries and self._entries("COUNT", 1, "BLOCK", max(int(seconds * 1000), 1)):
            entries = self._entries("COUNT", most)
        if not entries:
            return None
        messages = RedisMessages(entries, self._last, self._n_before)
        self._last = messages.key(len(entries) - 1)
        if self._n_before is not None:
            self._n_before += len(entries)
        return messages

    def _entries(self, *words: Any) -> list[Any]:
        command = ("XREAD", *words, "STREAMS", self._name, self._last)
        # A wait is no reason to pause: other threads go on meanwhile.
        paused = contextlib.nullcontext() if "BLOCK" in words else paused_collection()
        with paused:
            reply = self._server.ask(lambda client: client.execute_command(*command))
        return list(reply[0][1]) if reply else []

    def lag(self, position: Position) -> int | None:
        """Return the number of entries after a position."""
        about = self._about()
        if about is None or position["entries"] is None:
            return None
        return max(min(about.added - int(position["entries"]), about.length), 0)

    def close(self) -> None:
        """End the connection."""
        self._server.close()

    def _about(self) -> "_About | None":
        """Return what the server says about the stream; None if there is none."""
        try:
            reply = self._server.ask(
                lambda client: client.execute_command("XINFO", "STREAM", self._name)
            )
        except StreamError as error:
            if "no such key" in str(error):
                return None
            raise
        return _About(dict(zip(reply[::2], reply[1::2], strict=True)))


class _About:
    """The length of a stream and its ends."""

    def __init__(self, reply: Mapping[bytes, Any]) -> None:
        self.length = int(reply[b"length"])
        # Redis before 7.0 does not count what was ever added.
        self.added = int(reply.get(b"entries-added", self.length))
        self.last = reply[b"last-generated-id"].decode()
        first = reply[b"first-entry"]
        self.first: str | None = None if first is None else first[0].decode()


def _as_numbers(entry: str) -> tuple[int, int]:
    first, _, second = entry.partition("-")
    return int(first), int(second or 0)


class RedisSink(MessageSink):
    """A stream to write to: entries with a field ``key`` and a field ``data``.

    Parameters
    ----------
    address : Address
        The stream.
    options : mapping
        Options of ``redis.Redis``.
    """

    def __init__(self, address: Address, options: Mapping[str, Any]) -> None:
        self._server = _Server(address, options)
        self._name = address.name
        self.undelivered = []

    def send(self, messages: Sequence[tuple[str, str]]) -> None:
        """Write messages; it returns when the server has them."""
        self.undelivered.extend(messages)
        self.flush()

    def flush(self) -> None:
        """Write what has not arrived."""
        if self.undelivered:
            self._server.ask(self._write)
            self.undelivered.clear()

    def _write(self, client: Any) -> None:
        pipeline = client.pipeline(transaction=False)
        for key, text in self.undelivered:
            pipeline.execute_command("XADD", self._name, "*", "key", key, "data", text)
        pipeline.execute()

    def close(self) -> None:
        """End the connection."""
        self._server.close()


class _Server:
    """A connection that is made again when it breaks."""

    def __init__(self, address: Address, options: Mapping[str, Any]) -> None:
        self._source = address.source
        try:
            # Replies are lists in version 2 of the protocol, and taken as they come: dictionaries
            # would be made of each entry otherwise.
            self._client: Any = redis.Redis.from_url(address.server_url, protocol=2, **options)
        except (ValueError, TypeError) as error:
            raise StreamError(f"{self._source}: {error}") from error
        for command in ("XREAD", "XINFO STREAM", "XINFO"):
            self._client.set_response_callback(command, lambda reply, **_: reply)
        self.ask(lambda client: client.ping(), patience=0.0)

    def ask(self, question: Callable[[Any], Reply], patience: float = PATIENCE) -> Reply:
        """Return the answer; ask again for a minute if the server cannot be reached."""
        began = time.monotonic()
        while True:
            try:
                return question(self._client)
            except redis.RedisError as error:
                # A wrong password is a `ConnectionError` too.
                is_lost = isinstance(error, _LOST) and not isinstance(
                    error, redis.AuthenticationError
                )
                if not is_lost:
                    raise StreamError(f"{self._source}: {error}") from error
                if time.monotonic() - began >= patience:
                    raise StreamError(
                        f"{self._source}: the server cannot be reached: {error}"
                    ) from error
                _LOGGER.warning("%s: %s; trying again", self._source, error)
                time.sleep(_PAUSE)

    def close(self) -> None:
        self._client.close()
