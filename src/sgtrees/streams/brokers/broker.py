"""What a broker must offer: messages to read, and a place to send messages to."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from sgtrees.extras import install_command
from sgtrees.streams.brokers.addresses import Address
from sgtrees.streams.brokers.messages import Messages, Position

Start = Literal["earliest", "latest"]

# A server that does not answer for so long has gone.
PATIENCE = 60.0


class MessageSource(ABC):
    """The messages of a topic or stream, read from one position on.

    One process reads all of them: there are no consumer groups, and the broker keeps no offsets.
    """

    @abstractmethod
    def seek(self, start: Start | Position) -> None:
        """Continue at the first message, after the last one, or at a position."""

    @abstractmethod
    def read(self, most: int, seconds: float) -> Messages | None:
        """Return the next messages, as soon as there are some; None if none came in the time."""

    @abstractmethod
    def lag(self, position: Position) -> int | None:
        """Return how many messages there are after a position, if the broker knows."""

    @abstractmethod
    def close(self) -> None:
        """End the connection."""


class MessageSink(ABC):
    """A topic or stream to write to.

    Attributes
    ----------
    undelivered : list of (str, str)
        Keys and texts of messages of which it is not known that they arrived.
    """

    undelivered: list[tuple[str, str]]

    @abstractmethod
    def send(self, messages: Sequence[tuple[str, str]]) -> None:
        """Write messages: a key and a text each."""

    @abstractmethod
    def flush(self) -> None:
        """Wait until all messages have arrived; raise a `StreamError` if they do not."""

    @abstractmethod
    def close(self) -> None:
        """End the connection."""


def open_source(address: Address, options: Mapping[str, Any]) -> MessageSource:
    """Connect to a topic or stream to read it.

    Parameters
    ----------
    address : Address
        The topic or stream.
    options : mapping
        Options of the broker's client library.
    """
    try:
        # Each needs an extra of its own.
        if address.kind == "kafka":
            from sgtrees.streams.brokers.kafka_topic import KafkaSource  # noqa: PLC0415

            return KafkaSource(address, options)
        from sgtrees.streams.brokers.redis_stream import RedisSource  # noqa: PLC0415

        return RedisSource(address, options)
    except ImportError as error:
        raise _missing(address, error) from error


def open_sink(address: Address, options: Mapping[str, Any]) -> MessageSink:
    """Connect to a topic or stream to write to it; the parameters are those of `open_source`."""
    try:
        if address.kind == "kafka":
            from sgtrees.streams.brokers.kafka_topic import KafkaSink  # noqa: PLC0415

            return KafkaSink(address, options)
        from sgtrees.streams.brokers.redis_stream import RedisSink  # noqa: PLC0415

        return RedisSink(address, options)
    except ImportError as error:
        raise _missing(address, error) from error


def _missing(address: Address, error: ImportError) -> ImportError:
    return ImportError(f"{error.name} is needed to reach it: {install_command(address.kind)}")
